"""The page of value for money: what it shows is what the tables hold, and what the printed SQL gives."""

import csv
import datetime as dt
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipeline.website.pages.value import page as value_page
from pipeline.website.pages.value import value_figures, value_job
from pipeline.website.writing import numbers
from pipeline.website.writing.database import Row
from tests.build.pages.site_pages import body_rows, printed_sql, query_rows, recompute, text_of, words_of, write_pages

PAGE = "value/index.html"
TABLES = (
    "value_index",
    "gpu_price",
    "offer_current",
    "recommendation",
    "task_cost",
    "training_job",
    "assumption",
    "base_system_cost",
    "performance_index",
    "gpu",
    "source",
)
# what each table prints of a row: as a ratio, as money, as it is
SHOWN = {
    "value-table": (
        (
            "value_rental",
            "value_rental_low",
            "value_rental_high",
            *(f"value_{n}" for n in ("1", "1_low", "1_high", "2", "4", "8")),
        ),
        ("rental_usd_per_gpu_hour", "purchase_usd"),
        ("basis",),
    ),
    "task-table": ((), ("rental_usd_per_gpu_hour",), ()),
    "job-table": (
        ("days_on_one", "days_low", "days_high", "hours"),
        ("usd_on_one", "usd_in_24_hours", "rental_usd_per_gpu_hour"),
        ("basis", "gpus_in_24_hours"),
    ),
    "advice-table": ((), (), ("said", "asked", "today_reason")),
    "assumption-table": ((), (), ("note",)),
    "machine-table": ((), (), ("basis",)),
}


TINY = {"task-table": ("usd_per_run", "usd_per_run_low", "usd_per_run_high", "electricity_usd_per_run")}  # for 1,000 runs


def format_row(row: Row, table: str) -> list[str]:
    ratios, money, texts = SHOWN[table]
    tiny = [numbers.usd(numbers.thousand(row[key])) for key in TINY.get(table, ())]
    plain = [" ".join(str(row[key]).split()) for key in texts if row[key] is not None]
    if table == "advice-table" and row["scenario_id"] is None:
        plain = plain[:1]
    return [*(numbers.ratio(row[key]) for key in ratios), *(numbers.usd(row[key]) for key in money), *tiny, *plain]


@pytest.mark.parametrize("table", SHOWN)
def test_the_printed_sql_gives_the_rows_shown(site: Path, con: duckdb.DuckDBPyConnection, table: str) -> None:
    text = (site / PAGE).read_text()
    shown, rows = body_rows(text, table), query_rows(con, printed_sql(text, f'id="{table}"'))
    assert len(shown) == len(rows) > 0
    for line, row in zip(shown, rows, strict=True):
        assert [one for one in format_row(row, table) if one not in " ".join(line.split())] == [], row


@pytest.mark.parametrize(
    ("chart", "key", "most"), [("value-of-renting", "value_rental", 15), ("value-of-buying", "value_purchase_relative", 10)]
)
def test_the_sql_of_a_chart_gives_its_figures(
    site: Path, con: duckdb.DuckDBPyConnection, chart: str, key: str, most: int
) -> None:
    rows = query_rows(con, printed_sql((site / PAGE).read_text(), f'id="{chart}"'))
    with (site / "data" / "charts" / f"{chart}.csv").open() as file:
        shown = list(csv.DictReader(file))
    for size in dict.fromkeys(row.get("size") for row in shown):
        drawn = [row for row in shown if row.get("size") == size]
        count = int(size.split()[0]) if size else None
        given = [row for row in rows if count is None or row["gpu_count"] == count][:most]
        assert [float(row["value"]) for row in drawn] == [row[key] for row in given]
        assert [row["ci_low"] or "None" for row in drawn] == [str(row[f"{key}_low"]) for row in given]
        assert [row["basis"] for row in drawn] == [row["basis"] for row in given]


def test_the_figures_are_those_of_the_table(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text, wanted = words_of(site, PAGE), "family = 'all' AND precision = 'fp16' AND gpu_count = 1"
    ((rented, low, high),) = con.execute(
        "SELECT value_rental, value_rental_low, value_rental_high FROM value_index "
        f"WHERE {wanted} ORDER BY 1 DESC NULLS LAST LIMIT 1"
    ).fetchall()
    assert f"{rented:.2f} times the speed of an RTX 2080 Ti for $1 an hour ({value_figures.interval_text(low, high)})" in text
    ((bought, seen),) = con.execute(
        "SELECT value_purchase_relative, gpu_price_date FROM value_index "
        f"WHERE {wanted} AND purchase_current ORDER BY value_purchase DESC NULLS LAST LIMIT 1"
    ).fetchall()
    assert re.search(rf"To buy, as one GPU in a machine, the .* is best value: {bought:.2f} times the value of an RTX 3080", text)
    assert re.search(rf"First for a machine of 1 GPU: .* {bought:.2f} \(", text)
    assert seen.isoformat() in text


def test_the_advice_is_counted(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((every, agree, differ),) = con.execute(
        "SELECT count(*), count(*) FILTER (agrees), count(*) FILTER (NOT agrees) FROM recommendation"
    ).fetchall()
    counted = f"The guides give {every} recommendations. These data support {agree} and contradict {differ}. "
    assert f"{counted}{every - agree - differ} cannot be judged." in words_of(site, PAGE)


def test_the_stated_training_is_told_from_its_table(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = words_of(site, PAGE)
    ranked = "(basis = 'measured' OR basis = 'predicted' AND seconds_high <= 2 * seconds_low)"
    ((every, certain, epochs, one, day),) = con.execute(
        f"""SELECT count(*), count(*) FILTER ({ranked}), max(epochs), min(usd_on_one) FILTER ({ranked}),
            min(usd_in_24_hours) FILTER ({ranked}) FROM training_job"""
    ).fetchall()
    assert 1 < certain < every
    assert f"Only {certain} of {every} GPUs have a rank. The times of the others are too uncertain" in text
    assert f"{epochs:g} epochs of EfficientNet B7" in text
    on_one, in_a_day = text.split("Cheapest on one GPU with a rank: ", 1)[1].split(" Within 24 hours: ", 1)
    assert f", {numbers.usd(one)} and " in on_one
    assert f", {numbers.usd(day)} and " in in_a_day.split(" hours. ", 1)[0]


RENTED: dict[str, Any] = {
    "gpu_id": "a", "name": "NVIDIA A", "basis": "measured", "value_rental": 2.0,
    "value_rental_low": 1.5, "value_rental_high": 2.5,
    "rental_usd_per_hour": 0.5, "n_offers": 3, "n_providers": 2, "usd_per_gpu_hour_median": None,
    "first_day": dt.date(2026, 1, 1), "last_day": dt.date(2026, 1, 2),
}  # fmt: skip
BOUGHT: dict[str, Any] = {
    "gpu_id": "a", "name": "NVIDIA A", "gpu_count": 1, "basis": "predicted", "value_purchase_relative": 1.2,
    "value_purchase_relative_low": None, "value_purchase_relative_high": None, "usd_per_index": 700.0,
    "purchase_usd": 650.0, "gpu_price_kind": "msrp", "gpu_price_date": dt.date(2026, 1, 1), "stale": True,
}  # fmt: skip
JOB: dict[str, Any] = {
    "gpu_id": "a", "name": "NVIDIA A", "basis": "measured", "days_on_one": 2.0, "days_low": None, "days_high": None,
    "usd_on_one": 9.0, "gpus_in_24_hours": 4, "hours": 13.4, "usd_in_24_hours": 11.0, "rankable": True,
}  # fmt: skip
UNPRICED = {"usd_on_one": None, "usd_in_24_hours": None}
ALONE = JOB | {"name": "B", "usd_on_one": 10.0, "usd_in_24_hours": 10.0, "gpus_in_24_hours": 1}
GREY = JOB | {"name": "C", "rankable": False, "usd_on_one": 1.0, "usd_in_24_hours": 1.0}
BOUNDED = GREY | UNPRICED | {"basis": "bounded", "days_on_one": None, "gpus_in_24_hours": None, "hours": None}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            [JOB],
            "Cheapest on one GPU with a rank: the A, $9.00 and 2.00 days, measured. "
            "Within 24 hours: 4 x A, $11.00 and 13.4 hours.",
        ),
        ([JOB, ALONE], "with a rank: the A, $9.00 and 2.00 days, measured. Within 24 hours: 1 x B, $10.00 and "),
        (
            [JOB | UNPRICED],
            "No ranked GPU has a current price. The cost within 24 hours is not known for any ranked GPU.",
        ),
        ([JOB, ALONE, GREY], "rank: the A, $9.00 and 2.00 days, measured. Within 24 hours: 1 x B, $10.00 and "),
        (
            [JOB, ALONE, GREY, BOUNDED],
            "Only 2 of 4 GPUs have a rank. The times of the others are too uncertain. They are grey and sorted by",
        ),
        (
            [JOB, GREY | {"days_low": 1.0, "days_high": 4.0}],
            "longest time of their range: 1. Cheapest by prediction: the C, $1.00 and 1.00 to 4.00 days.",
        ),
        ([GREY, BOUNDED], "No GPU has a time that is certain enough for a rank."),
    ],
)
def test_the_stated_training_says_what_is_cheapest_and_what_is_not_known(rows: list[Row], told: str) -> None:
    said = value_job.finding(rows)
    assert told in said
    assert ("have a rank" in said) == ({row["rankable"] for row in rows} == {True, False})
    assert "$1 " not in said


def rival(name: str, high: float | None) -> Row:
    return RENTED | {"name": name, "value_rental": 1.0, "value_rental_high": high}


@pytest.mark.parametrize(("gpu", "is_named"), [("a", False), ("b", True)])
def test_the_best_rent_names_another_gpu_that_is_first_at_the_lowest_prices(gpu: str, is_named: bool) -> None:
    lead = value_page._rental_lead([RENTED], [{"gpu_id": gpu, "name": "NVIDIA B"}])
    assert ("At the cheapest offer of each GPU, instead of the median, the B is best value." in lead) == is_named


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ([], "Its interval overlaps with no other."),
        ([rival("B", 1.4), rival("C", None)], "Its interval overlaps with no other."),
        ([rival("B", 1.6)], "its interval overlaps with that of B."),
        ([rival("B", 1.6), rival("C", 1.7)], "its interval overlaps with that of B and C."),
        ([rival(name, 2.0) for name in "BCDEF"], "its interval overlaps with that of B, C, D and 2 more."),
    ],
)
def test_the_best_rent_is_as_sure_as_its_interval(others: list[Row], told: str) -> None:
    lead = value_page._rental_lead([RENTED, *others], [])
    assert lead.endswith(told)
    assert "its price $0.50 an hour, the cheapest of 3 offers of 2 providers, seen 1 January 2026 to 2 January 2026." in lead


def test_a_median_is_called_one() -> None:
    lead = value_page._rental_lead([RENTED | {"n_providers": 3, "usd_per_gpu_hour_median": 0.5}], [])
    assert "its price $0.50 an hour, the median of 3 offers of 3 providers, seen" in lead


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({}, "of an RTX 3080 (no interval). Its speed is predicted. It costs $650 (launch price, 1 January 2026, 10 days old)."),
        ({"stale": False}, "It costs $650 (launch price, 1 January 2026). It has no interval"),
        ({"stale": None, "gpu_price_kind": "purchase_used"}, "It costs $650 (used, 1 January 2026). It has no interval"),
        ({"value_purchase_relative": None}, "$700 for the speed of one RTX 2080 Ti. Its"),
        ({"gpu_price_date": None}, "$650 (launch price, of an unknown day)"),
    ],
)  # fmt: skip
def test_the_best_purchase_says_the_age_of_its_price(known: Row, told: str) -> None:
    assert told in value_page._purchase_lead([BOUGHT | known], dt.date(2026, 1, 11))


@pytest.mark.parametrize("emptied", [TABLES, *(pytest.param((table,), marks=pytest.mark.full) for table in TABLES)])
def test_the_page_stands_without_tables(database_copy: Path, emptied: tuple[str, ...]) -> None:
    with duckdb.connect(str(database_copy)) as con:
        for table in emptied:
            con.execute(f"DELETE FROM {table}")
        recompute(con, *emptied)
    text = text_of(write_pages(database_copy, value_page) / "value" / "index.md")
    assert "Value for money" in text
    assert not {"None", "nan"} & set(text.split())
    if emptied == TABLES:
        for none in (
            "No GPU with a known speed has a current",
            "No purchase price is known",
            "No guide in these data gives advice",
            "No task",
            "No GPU has a time that is certain enough for a rank.",
        ):
            assert none in text


def test_without_the_reference_purchases_stand_in_dollars(database_copy: Path) -> None:
    with duckdb.connect(str(database_copy)) as con:
        columns = ", ".join(
            ["purchase_current = true", *(f"value_purchase_relative{end} = NULL" for end in ("", "_low", "_high"))]
        )
        con.execute(f"UPDATE value_index SET {columns}")
    text = text_of(write_pages(database_copy, value_page) / "value" / "index.md")
    assert "for the speed of one RTX 2080 Ti. Its speed is" in text
    assert "times the value of an RTX 3080" not in text


def test_a_gpus_page_has_its_places_and_its_days(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    place, n = con.execute("""
        SELECT place, n FROM (
            SELECT gpu_id, rank() OVER (ORDER BY value_rental DESC) AS place, count(*) OVER () AS n FROM value_index
            WHERE family = 'all' AND precision = 'fp16' AND gpu_count = 1 AND value_rental IS NOT NULL
        ) WHERE gpu_id = 'nvidia-geforce-rtx-4090-24gb'
    """).fetchall()[0]  # fmt: skip
    page = (site / "gpus" / "nvidia-geforce-rtx-4090-24gb" / "index.html").read_text()
    text = " ".join(page.split())
    assert f"rank {place} of {n}" in text
    assert 'id="break-even"' in text
    assert 'id="break-even"' not in (site / "gpus" / "nvidia-h100-sxm5-80gb" / "index.html").read_text()
