"""10,000 uploads of different tools and figures: time and memory to ingest and load them.

`python -m benchmarks.project.uploads [COUNT [FOLDER]]` prints the figures. The outputs are copies of the templates below, or of
the files of a folder, each with other digits in its figures.
"""

import json
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
from pipeline.uploads import load_accepted
from pipeline.uploads.ingest import Group, ingest

COUNT = 10_000
CHECKPOINTS = 4
_LAST_DECIMAL = re.compile(r"(?<=\d\.\d)\d")
_SIZES = [2**exponent for exponent in range(12, 31)]


def _simplest() -> str:
    rates = "".join(
        f"NVIDIA H100 80GB HBM3,copy,{size},{size / 1.25e9:.6f},{2500.125 + n:.3f}\n" for n, size in enumerate(_SIZES)
    )
    return "device_name,kernel,size_bytes,time_ms,gbps\n" + rates


def _babelstream() -> str:
    kernels = "".join(
        f"{name:<12}{1380123.456 + n:<12.3f}0.00039     0.00040     0.00039     \n" for n, name in enumerate(_KERNELS)
    )
    head = "BabelStream\nVersion: 5.0\nImplementation: CUDA\nRunning kernels 100 times\nPrecision: double\n"
    sizes = (
        "Array size: 268.4 MB (=0.3 GB)\nTotal size: 805.3 MB (=0.8 GB)\nUsing CUDA device NVIDIA A100-SXM4-40GB\nDriver: 12040\n"
    )
    return f"{head}{sizes}Function    MBytes/sec  Min (sec)   Max         Average     \n{kernels}"


_KERNELS = ("Copy", "Mul", "Add", "Triad", "Dot")


def _nccl() -> str:
    ranks = "".join(
        f"#  Rank {n:2} Group  0 Pid  {4000 + n} on node-a device {n:2} [0000:1b:00] NVIDIA H100 80GB HBM3\n" for n in range(8)
    )
    lines = "".join(
        f"{size:12}{size // 4:14}     float     sum      -1{n * 7.123 + 20:9.2f}{n * 9.125:8.2f}{n * 15.968:8.2f}      0"
        f"{n * 7.223 + 20:9.2f}{n * 9.025:8.2f}{n * 15.793:8.2f}      0\n"
        for n, size in enumerate(_SIZES, start=1)
    )
    head = (
        "# nThread 1 nGpus 8 minBytes 4096 maxBytes 1073741824 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 "
        "validation: 1 graph: 0\n"
    )
    columns = (
        "#\n#                                                              out-of-place                       in-place\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
    )
    return f"{head}#\n# Using devices\n{ranks}{columns}{lines}# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 151.25\n#\n"


def _vllm() -> str:
    figures = (
        "request_throughput",
        "output_throughput",
        "total_token_throughput",
        "mean_ttft_ms",
        "median_ttft_ms",
        "p99_ttft_ms",
    )
    more = ("mean_tpot_ms", "median_tpot_ms", "p99_tpot_ms", "mean_itl_ms", "median_itl_ms", "p99_itl_ms")
    settings = {"model_id": "a/model-8b", "num_prompts": 100, "request_rate": "inf", "max_concurrency": 16, "duration": 41.25}
    counted = {"completed": 100, "total_input_tokens": 51200, "total_output_tokens": 12800}
    return json.dumps({**settings, **counted, **{name: 100.125 + n for n, name in enumerate((*figures, *more))}})


def templates(folder: Path | None) -> list[str]:
    """The outputs to copy."""
    if folder is None:
        return [_simplest(), _babelstream(), _nccl(), _vllm()]
    return [
        path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "manifest.json"
    ]


def copies(originals: list[str], count: int) -> Iterator[str]:
    """Yield copies in turn, each with other digits after the decimal points."""
    dice = random.Random(20261120)  # noqa: S311 - no secret
    for n in range(count):
        yield _LAST_DECIMAL.sub(lambda _: str(dice.randrange(10)), originals[n % len(originals)])


def main(count: int = COUNT, folder: Path | None = None) -> None:
    """Measure ingesting, loading what was accepted, and ingesting the same bytes again."""
    with tempfile.TemporaryDirectory() as scratch:
        data, uploads = Path(scratch) / "data", Path(scratch) / "uploads"
        for name in ("specs", "names", "raw/llm-model-configs"):
            shutil.copytree(paths.DATA / name, data / name)
        uploads.mkdir()
        for n, text in enumerate(copies(templates(folder), count)):
            (uploads / f"{n:06}.txt").write_text(text)
        files = sorted(uploads.iterdir())
        print(f"{count:,} files, {sum(file.stat().st_size for file in files) / 2**20:.1f} MiB")
        _ingest(data, files, "ingested")
        for state in ("nothing cached", "all cached"):
            start = time.perf_counter()
            accepted = load_accepted.uploads(data, Path(scratch) / "cache")
            loaded = sum(len(run.measurements) for upload in accepted for run in upload.runs)
            print(f"loaded, {state}: {loaded:,} figures in {time.perf_counter() - start:.1f} s, {_peaks()}")
        _ingest(data, files, "ingested again")


def _ingest(data: Path, files: list[Path], label: str) -> None:
    start, statuses = time.perf_counter(), Counter[str]()
    for n, outcome in enumerate(ingest(data, (Group([file]) for file in files)), start=1):
        statuses[outcome.code or outcome.status] += 1
        if n % max(1, len(files) // CHECKPOINTS) == 0:
            print(f"  {n:,} after {time.perf_counter() - start:.1f} s, {_peaks()}", flush=True)
    print(f"{label} in {time.perf_counter() - start:.1f} s: {dict(statuses)}")


def _peaks() -> str:
    own, child = (resource.getrusage(scope).ru_maxrss / 1024 for scope in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return f"peak memory {own:.0f} MiB" + (f", of a child {child:.0f} MiB" if child else "")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else COUNT, Path(sys.argv[2]) if sys.argv[2:] else None)
