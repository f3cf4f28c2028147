"""Results of the formats for a folder of outputs, such as a public repository: files read, partial and refused, by tool.

`python -m benchmarks.project.check_folder FOLDER [--list]` prints a table; --list adds files that are not read whole.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pipeline.readers import RefusedError
from pipeline.uploads import precheck
from pipeline.uploads.worker import parse_bytes


class Result(NamedTuple):
    """A file's tools, its number of figures, and read, partial or the code of its refusal."""

    path: Path
    tools: str
    figures: int
    outcome: str
    reason: str


def check_folder(folder: Path) -> Iterator[Result]:
    """Parse every file below the folder as `gpuledger ingest --dry-run` does, in this process."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            raw = precheck.read_file(path)
            precheck.refuse_binary(raw)
            yield check_bytes(path, raw)
        except RefusedError as refused:
            yield Result(path, "-", 0, refused.code, refused.reason)


def check_bytes(path: Path, raw: bytes) -> Result:
    """Parse one file's bytes."""
    found = parse_bytes(raw)
    if "code" in found:
        reason = found["reason"] + (f" (line {found['line']})" if found["line"] else "")
        return Result(path, "-", 0, found["code"], reason)
    runs = found["runs"]
    partial = sorted({run["run"]["status"] for run in runs} & {"truncated", "failed", "invalid"})
    tools = "+".join(sorted({run["run"]["tool"] for run in runs}))
    figures = sum(len(run["measurements"]) for run in runs)
    return Result(path, tools, figures, "partial" if partial else "read", ", ".join(partial))


def main(folder: Path, *, list_files: bool) -> None:
    """Print the number of files and figures by tool and outcome."""
    files, figures = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for result in check_folder(folder):
        files[result.tools, result.outcome] += 1
        figures[result.tools, result.outcome] += result.figures
        if list_files and result.outcome != "read":
            print(f"{result.path.relative_to(folder)}: {result.outcome} {result.reason}")
    if not files:
        raise SystemExit(f"{folder}: no file; name a folder of outputs of benchmark tools")
    for (tools, outcome), count in sorted(files.items()):
        print(f"{count:6} files {figures[tools, outcome]:8} figures  {outcome:14} {tools}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), list_files="--list" in sys.argv[2:])
