"""The pages of the guides: their figures are those of the tables, and a reader's question has its answer."""

import html
import re
from pathlib import Path

import duckdb
import pytest

from pipeline.website.components import numbers
from tests.build.pages.site_pages import printed_sql, query_rows

Cells = dict[str, list[str]]


def text_of_page(site: Path, guide: str) -> str:
    return (site / "guides" / guide / "index.html").read_text(encoding="utf-8")


def cells_of(site: Path, guide: str, table: str) -> Cells:
    """The cells of a table by the words of its first cell."""
    body = text_of_page(site, guide).split(f'id="{table}"', 1)[1].split("</tbody>", 1)[0].split("<tbody>", 1)[1]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in body.split("</tr>")[:-1]]
    plain = [[" ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in row] for row in rows]
    return {row[0]: row[1:] for row in plain}


# the table of a page, the columns printed as money, and those printed as numbers
TABLES = [
    (
        "paperspace-2022",
        "cost-table",
        ("guide_usd_per_hour", "usd_per_hour", "usd_per_gb", "usd_per_tflop", "usd_per_100_cuda_cores", "usd_per_gb_per_min"),
        (),
    ),
    ("paperspace-2022", "run-table", ("guide_usd_per_run", "usd_per_run"), ("seconds",)),
    ("paperspace-2022", "batch-table", ("guide_usd_per_batch_item", "usd_per_batch_item"), ("max_batch_items",)),
]


@pytest.mark.parametrize(("guide", "table", "money", "plain"), TABLES, ids=[f"{case[0]}-{case[1]}" for case in TABLES])
def test_each_row_prints_the_figures_that_the_sql_gives(
    site: Path, con: duckdb.DuckDBPyConnection, guide: str, table: str, money: tuple[str, ...], plain: tuple[str, ...]
) -> None:
    cells = cells_of(site, guide, table)
    rows = query_rows(con, printed_sql(text_of_page(site, guide), f'id="{table}"'))
    assert len(rows) > 3
    for row in rows:
        printed = {*(str(numbers.usd(row[column])) for column in money), *(str(numbers.number(row[column])) for column in plain)}
        assert printed <= {*cells[row["machine"]], ""}, row


def test_paperspace_says_what_the_a4000_cost_then_and_costs_today(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    [today] = query_rows(con, "SELECT * FROM guide_machine_price WHERE source_id = 'paperspace-2022' AND machine = 'A4000'")
    cells = cells_of(site, "paperspace-2022", "cost-table")["A4000"]
    assert cells[:6] == [
        *("$0.76", numbers.usd(today["usd_per_hour"])),
        *("$0.05", numbers.usd(today["usd_per_gb"])),
        *("$0.04", numbers.usd(today["usd_per_tflop"])),
    ]
    assert today["usd_per_hour"] < 0.76


def test_paperspace_says_which_machines_ran_out_of_memory_and_the_largest_batches(site: Path) -> None:
    """Of the seed: EfficientNet ran out of memory on M4000, P4000, P5000 and RTX4000; the A6000 took batches of 32 and 256."""
    runs = cells_of(site, "paperspace-2022", "run-table")
    assert {machine for machine, cells in runs.items() if "out of memory" in cells} == {"M4000", "P4000", "P5000", "RTX4000"}
    assert runs["A100"][0] == "12.42"
    batches = cells_of(site, "paperspace-2022", "batch-table")
    assert (batches["A6000"][1], batches["A6000"][4]) == ("32", "256")


def test_paperspace_says_what_a_machine_has_and_how_long_its_plan_lasts(site: Path) -> None:
    """The RTX4000 at 0.56 USD an hour: a plan of 8 USD is worth 14.3 hours."""
    machine = cells_of(site, "paperspace-2022", "machine-table")["A100"]
    assert machine[5:8] == ["12", "97", "50"]
    assert cells_of(site, "paperspace-2022", "plan-table")["RTX4000"][:2] == ["8", "14.3"]
