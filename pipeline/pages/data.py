"""The data page: what can be downloaded, what each table and column means and how far it is filled."""

import hashlib
from pathlib import Path

from pipeline import charts
from pipeline.pages.database import Database, Row
from pipeline.pages.figures import Figure, draw, place
from pipeline.pages.labels import words
from pipeline.pages.rendering import Book
from pipeline.pages.tables import label

_FILES = {
    "gpuledger.duckdb": "everything in one DuckDB file, every table and column commented",
    "datapackage.json": "description of the CSV files (Data Package 2.0)",
    "croissant.json": "description for machine-learning tools (Croissant)",
    "SHA256SUMS": "hash of every file",
}


def write(book: Book) -> None:
    """Write the data page."""
    data = book.data
    coverage = data.rows("SELECT * FROM spec_coverage ORDER BY values_unconfirmed DESC, attribute")
    book.write(
        "data",
        "data.md.j2",
        "The data",
        "Downloads, and a dictionary with coverage per column.",
        files=[
            (name, text, (book.release / name).stat().st_size) for name, text in _FILES.items() if (book.release / name).exists()
        ],
        tables=data.tables,
        sizes=_sizes(book.release),
        coverage=coverage,
        words=words,
        unconfirmed=_count(data, "agrees IS NULL"),
        contradicted=_count(data, "NOT agrees"),
        chosen=_count(data, "TRUE"),
        core=_core(data),
        figure=place("../", draw(book, _figure(coverage, f"{book.as_of:%Y-%m-%d}"))),
        digest=_digest(book.release / "gpuledger.duckdb"),
    )


_CORE = ("memory_gb", "memory_bandwidth_gb_per_s", "fp32_tflops", "fp16_tensor_tflops", "tdp_w")
_OUTCOMES = {
    "values_confirmed": "stated outside",
    "values_contradicted": "outside sources differ",
    "values_unconfirmed": "no outside source",
}


def _figure(coverage: list[Row], dated: str) -> Figure:
    """What outside sources say of the values of each attribute."""
    order = sorted(coverage, key=lambda row: (-row["values_confirmed"], -row["cards_with_value"]))
    rows = [
        {"attribute": label(row["attribute"], row["unit"] or ""), "verdict": outcome, "figures": row[key], "place": place}
        for row in order
        for place, (key, outcome) in enumerate(_OUTCOMES.items())
    ]
    stated, known = (sum(row[key] for row in coverage) for key in ("values_confirmed", "cards_with_value"))
    return Figure(
        name="values-by-evidence",
        heading="Specification values by what outside sources say",
        direction="more stated outside is better",
        finding=f"{stated:,} of {known:,} values are stated by an independent outside source; most often {rows[0]['attribute']}.",
        dated=f"Counted in the data of {dated}",
        source="table spec_coverage",
        chart=charts.verdicts(rows, "attribute", "Cards"),
        rows=rows,
        columns=[("attribute", "Attribute"), ("verdict", "Evidence"), ("figures", "Cards")],
    )


def _count(data: Database, condition: str) -> int:
    """Chosen specification values that meet an SQL condition."""
    return int(data.rows(f"SELECT count(*) AS n FROM gpu_spec WHERE chosen AND {condition}")[0]["n"])


def _core(data: Database) -> int:
    """Values of the five core figures that no outside source states."""
    names = ", ".join(f"'{name}'" for name in _CORE)
    return _count(data, f"agrees IS NULL AND attribute IN ({names})")


def _sizes(release: Path) -> dict[str, dict[str, int]]:
    """Bytes of each table's Parquet and CSV file."""
    return {
        kind: {path.stem: path.stat().st_size for path in sorted((release / kind).glob(f"*.{kind}"))}
        for kind in ("parquet", "csv")
    }


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
