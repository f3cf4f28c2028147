"""Bytes that a query over HTTP reads: runs the example of `site/docs/remote.md` and writes its table of requests and bytes.

`python -m benchmarks.project.remote SITE` needs DuckDB with httpfs in `PACKAGES`, where `make remote-reader` installs both.
"""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline import paths
from pipeline.cli.serve import SiteHandler, make_server
from pipeline.files import write_atomically

PAGE = paths.SITE / "docs" / "remote.md"
PACKAGES = Path(sys.prefix) / "remote-reader"
_EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_FIGURES = re.compile(r"(<!-- figures[^\n]*-->\n).*?(<!-- end of figures -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Read:
    """Requests and bytes sent of one file. `path` is below the site's folder."""

    path: str
    requests: int
    bytes_sent: int
    bytes_of_file: int


def main() -> None:
    """Measure, and write the table into the page."""
    (site,) = (Path(argument) for argument in sys.argv[1:])
    _output, reads = run_example(site)
    text = _FIGURES.sub(rf"\1\n{table(reads)}\n\n\2", PAGE.read_text(encoding="utf-8"))
    write_atomically(PAGE, text.encode())


def table(reads: list[Read]) -> str:
    """Return the figures as rows of Markdown."""
    head = ["| file | size | requests | read | share |", "|---|---|---|---|---|"]
    rows = [
        f"| `{one.path}` | {one.bytes_of_file:,} bytes | {one.requests} | {one.bytes_sent:,} bytes "
        f"| {one.bytes_sent / one.bytes_of_file:.1%} |"
        for one in reads
    ]
    return "\n".join([*head, *rows])


def run_example(site: Path) -> tuple[str, list[Read]]:
    """Run the page's example against the site. Returns what it prints, and what it read of each file."""
    (example,) = _EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))
    with _counting_server(site) as (address, sent):
        program = example.replace("https://HOST", address)
        # in a home without extensions of earlier downloads, so that those of the package are read
        environment = {"PYTHONPATH": str(PACKAGES), "PATH": os.environ["PATH"], "HOME": "/nonexistent"}
        result = subprocess.run(  # noqa: S603
            [sys.executable, "-P", "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=120
        )
    if result.returncode:
        raise SystemExit(result.stderr)
    read = {path.removeprefix("/"): sizes for path, sizes in sent.items()}
    return result.stdout, [Read(path, len(sizes), sum(sizes), (site / path).stat().st_size) for path, sizes in read.items()]


@contextmanager
def _counting_server(site: Path) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """Yield the address of the site's server, and the bytes of each answer by path."""
    sent: dict[str, list[int]] = {}

    class Counting(SiteHandler):
        def copyfile(self, source: Any, outputfile: Any) -> None:
            body = source.read()
            sent.setdefault(self.path, []).append(len(body))
            outputfile.write(body)

        def log_message(self, *_message: Any) -> None:
            """Print no line for each request."""

    with make_server(site, 0, Counting) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", sent
        server.shutdown()
        thread.join()


if __name__ == "__main__":
    main()
