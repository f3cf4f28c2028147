"""The sentence on how old the purchase prices are."""

from pathlib import Path

import duckdb
import pytest

from pipeline.website.components.purchases import purchase_note
from pipeline.website.writing.database import Database

CURRENT = "2 GPUs have a purchase price from the last 12 months. The others are not ranked by purchase price."
OLD = (
    "The newest purchase price is from 23 July 2025. No GPU has one from the last 12 months, so none is ranked by purchase price."
)


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ("('a', true, 'purchase_new', DATE '2026-09-30'), ('b', true, 'purchase_used', DATE '2026-07-31')", CURRENT),
        ("('a', false, 'purchase_new', DATE '2025-07-23'), ('b', false, 'msrp', DATE '2026-01-05')", OLD),
        ("('b', false, 'msrp', DATE '2026-01-05')", "No purchase price is known."),
    ],
)
def test_the_note_says_whether_a_price_is_current(tmp_path: Path, rows: str, note: str) -> None:
    path, columns = tmp_path / "prices.duckdb", "gpu_id, purchase_current, purchase_kind, purchase_date"
    with duckdb.connect(str(path)) as con:
        con.execute(f"CREATE TABLE gpu_price AS FROM (VALUES {rows}) AS t({columns})")
    with Database(path) as data:
        assert purchase_note(data) == note
