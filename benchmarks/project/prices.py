"""A million offers in the sources' own formats: how long parsing, normalizing and loading take, and how much memory.

`python -m benchmarks.project.prices` prints the figures; `make bench` calls it. Prices and regions are varied so that
every row is an offer of its own.
"""

import csv
import io
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import dagster as dg

from benchmarks.project.uploads import peaks
from pipeline import paths
from pipeline.fetch import snapshots
from pipeline.orchestration.build_run import BuildRun
from pipeline.orchestration.resources import BuildResource
from pipeline.warehouse.connection import connect

HISTORY = "gpurentalprices/rental_daily_2026.csv"
CATALOG = "skypilot_catalog/v8_lambda_vms.csv"
PAGE = "azure_retail/retail_prices.json"
ROWS = 1_000_000
ROWS_PER_CSV = 100_000
ROWS_PER_PAGE = 10_000


def generate(data: Path, rows: int) -> None:
    """Copy the committed data and add generated files of three sources: half CSV history, a quarter each of two others."""
    shutil.copytree(paths.DATA, data, ignore=shutil.ignore_patterns("build", ".incoming"))
    raw = data / "raw"
    _csv_files(raw / HISTORY, "usd_per_gpu_hour", "min_gpus", lambda _value, n: str(n % 1000 + 1), rows // 2)
    _csv_files(raw / CATALOG, "Price", "Region", lambda value, n: f"{value}-{n}", rows // 4)
    _azure_pages(raw / PAGE, rows // 4)


def _csv_files(template: Path, price: str, varied: str, vary: Callable[[str, int], str], rows: int) -> None:
    """Write files like the template with its rows repeated, each time with another value of the varied column."""
    with template.open(newline="") as file:
        reader = csv.DictReader(file)
        header, originals = list(reader.fieldnames or []), [row for row in reader if row[price]]
    for start in range(0, rows, ROWS_PER_CSV):
        out = io.StringIO()
        writer = csv.DictWriter(out, header, lineterminator="\n")
        writer.writeheader()
        for n in range(start, min(start + ROWS_PER_CSV, rows)):
            row = originals[n % len(originals)]
            varying = {varied: vary(row[varied], n // len(originals)), price: f"{float(row[price]) * (1 + n % 97 / 1000):.4f}"}
            writer.writerow(row | varying)
        _store(template.parent / str(start) / template.name, out.getvalue())


def _azure_pages(template: Path, rows: int) -> None:
    page = json.loads(template.read_text())
    originals = page["Items"]
    for start in range(0, rows, ROWS_PER_PAGE):
        numbers = range(start, min(start + ROWS_PER_PAGE, rows))
        items = [originals[n % len(originals)] | {"armRegionName": f"region{n // len(originals)}"} for n in numbers]
        _store(template.parent / str(start) / template.name, json.dumps(page | {"Items": items, "Count": len(items)}))


def _store(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text)
    facts = {"url": "https://example.org/generated", "published_at": "2026-08-20", "origin": "transcribed", "extent": "excerpt"}
    snapshots.write_sidecar(path, **facts)


def load(build: BuildResource) -> int:
    """Parse, normalize and load every price; return the rows of table price."""
    selection = dg.AssetSelection.assets("price").upstream() - dg.AssetSelection.key_prefixes("daily")
    problems = BuildRun(build, selection).execute(lambda _step: None)
    if problems:
        raise AssertionError(problems)
    with connect(build.make_workspace().database, read_only=True) as con:
        return int(con.execute("SELECT count(*) FROM price").fetchall()[0][0])


def main(rows: int = ROWS) -> None:
    """Measure a first and a second run over unchanged snapshots."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        generate(data, rows)
        build = BuildResource(data=str(data), out=str(Path(folder) / "build"))
        for run in ("first run", "second run, nothing changed"):
            start = time.perf_counter()
            loaded = load(build)
            print(f"{run}: {loaded:,} prices in {time.perf_counter() - start:.1f} s")
        print(peaks())


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else ROWS)
