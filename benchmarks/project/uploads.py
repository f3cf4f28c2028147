"""10,000 uploads of different tools and figures: time and memory to ingest and load them.

`python -m benchmarks.project.uploads [COUNT [FOLDER]]` prints the figures. The outputs are copies of the project's accepted
uploads, or of the files of a folder, each with other digits in its figures.
"""

import random
import re
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline import paths
from pipeline.files import sidecar_of
from pipeline.uploads import load_accepted
from pipeline.uploads.ingest import Group, ingest
from pipeline.uploads.store import Store

COUNT = 10_000
CHECKPOINTS = 4
_LAST_DECIMAL = re.compile(r"(?<=\d\.\d)\d(?!\d*\.\d)")  # of a figure, not of a version such as 0.19.1


def originals(folder: Path | None) -> list[str]:
    """The outputs to copy. Copies of a run with a start time, which has a fingerprint, would contradict each other."""
    if folder:
        paths_of_outputs = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "manifest.json"]
    else:
        accepted = Store(paths.DATA).files()
        paths_of_outputs = [path for path in accepted if '"fingerprint"' not in sidecar_of(path).read_text(encoding="utf-8")]
    return [path.read_text(encoding="utf-8") for path in paths_of_outputs]


def copies(outputs: list[str], count: int) -> Iterator[str]:
    """Yield copies in turn, each with other digits after the decimal points."""
    dice = random.Random(20261120)  # noqa: S311 - no secret
    for n in range(count):
        yield _LAST_DECIMAL.sub(lambda _: str(dice.randrange(10)), outputs[n % len(outputs)])


def main(count: int = COUNT, folder: Path | None = None) -> None:
    """Measure ingesting, loading what was accepted, and ingesting the same bytes again."""
    with tempfile.TemporaryDirectory() as scratch:
        data, uploads = Path(scratch) / "data", Path(scratch) / "uploads"
        for name in ("specs", "names", "raw/llm-model-configs"):
            shutil.copytree(paths.DATA / name, data / name)
        uploads.mkdir()
        for n, text in enumerate(copies(originals(folder), count)):
            (uploads / f"{n:06}.txt").write_text(text)
        files = sorted(uploads.iterdir())
        print(f"{count:,} files, {sum(file.stat().st_size for file in files) / 2**20:.1f} MiB")
        _ingest(data, files, "ingested")
        for state in ("nothing cached", "all cached"):
            start = time.perf_counter()
            accepted = load_accepted.uploads(data, Path(scratch) / "cache")
            loaded = sum(len(run.measurements) for upload in accepted for run in upload.runs)
            print(f"loaded, {state}: {loaded:,} figures in {time.perf_counter() - start:.1f} s, {peaks()}")
        _ingest(data, files, "ingested again")


def _ingest(data: Path, files: list[Path], label: str) -> None:
    start, statuses = time.perf_counter(), Counter[str]()
    for n, outcome in enumerate(ingest(data, (Group([file]) for file in files)), start=1):
        statuses[outcome.code or outcome.status] += 1
        if n % max(1, len(files) // CHECKPOINTS) == 0:
            print(f"  {n:,} after {time.perf_counter() - start:.1f} s, {peaks()}", flush=True)
    print(f"{label} in {time.perf_counter() - start:.1f} s: {dict(statuses)}")


def peaks() -> str:
    """Return the most memory of this process and of its children so far, in words."""
    own, child = (resource.getrusage(scope).ru_maxrss / 1024 for scope in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return f"peak memory {own:.0f} MiB" + (f", of a child {child:.0f} MiB" if child else "")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else COUNT, Path(sys.argv[2]) if sys.argv[2:] else None)
