"""The pages of the guides: their figures are those of the tables, and a reader's question has its answer."""

import html
import re
from pathlib import Path

import duckdb
import pytest

from pipeline.website.components import numbers
from pipeline.website.components.database import Row
from pipeline.website.components.labels import short_gpu
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


def name_of(row: Row) -> str:
    """The words of the first cell: the guide's name of the machine, or the GPU's."""
    return str(row["machine"]) if "machine" in row else short_gpu(row.get("name") or row["gpu_name"], "")


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
    (
        "autodl-2022",
        "gpu-table",
        ("usd_per_hour",),
        ("memory_gb", "fp32_tflops", "vendor_fp32_tflops", "vendor_half_precision_tflops"),
    ),
    ("autodl-2022", "core-table", (), ("n_stated", "n_below", "n_within", "n_above", "vcpus_per_gpu_low", "vcpus_per_gpu_high")),
    ("pro-vs-consumer-2023", "board-table", ("purchase_usd",), ("gpus", "memory_gb_total", "gpu_watts", "watts_for_192_gb")),
    ("pro-vs-consumer-2023", "job-table", ("usd_on_one",), ("gpus_in_24_hours",)),
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
        assert printed <= {*cells[name_of(row)], ""}, row


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
    """Figures of the guide: EfficientNet ran out of memory on four machines, the A6000 took batches of 32 and 256."""
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


def test_autodl_says_what_a_3090_has_and_how_many_gpus_a_task_takes(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Figures of the guide: 35.58 TFLOPS single, about 71 half precision, CUDA 11, four GPUs for MS COCO."""
    cells = cells_of(site, "autodl-2022", "gpu-table")["3090"]
    [today] = query_rows(con, "SELECT * FROM guide_machine_price WHERE source_id = 'autodl-2022' AND machine = '3090'")
    assert cells[:4] == [numbers.usd(today["usd_per_hour"]), "24", "35.58", numbers.number(today["vendor_fp32_tflops"])]
    assert (cells[4], cells[6]) == ("71", "11")
    assert "first choice for value" in cells_of(site, "autodl-2022", "note-table")["3090"][1]
    assert "MS COCO" in cells_of(site, "autodl-2022", "count-table")["4"][0]


def test_autodl_counts_machines_below_its_rule_on_cores(con: duckdb.DuckDBPyConnection) -> None:
    """A machine with two threads per GPU would count as below the guide's four."""
    sums = "sum(n_below) AS below, sum(n_stated) AS stated, min(vcpus_per_gpu_low) AS least"
    [row] = query_rows(con, f"SELECT {sums} FROM guide_cpu_rule")
    assert row["stated"] > 50
    assert (row["below"] > 0) == (row["least"] < 4)


def test_the_density_of_the_guide_is_on_its_page(site: Path) -> None:
    """Figures of the guide: 192 GB and 1,200 W for four RTX 6000 Ada, two RTX 4090 that fit, two machines for their 192 GB."""
    boards = cells_of(site, "pro-vs-consumer-2023", "board-table")
    assert boards["RTX 6000 Ada Generation"][:5] == ["2", "4", "192", "1,200", "4"]
    assert boards["GeForce RTX 4090"][:2] == ["3", "2"]
    assert int(boards["GeForce RTX 4090"][5]) >= 2


def test_the_epochs_of_the_guide_are_on_its_page(site: Path) -> None:
    text = " ".join(re.sub(r"<[^>]+>", " ", text_of_page(site, "pro-vs-consumer-2023")).split())
    assert re.search(r"Tesla T4 EfficientNet B7 2 839 678 9\.88", text)
    assert "The guide expects 4 days on a GTX 1070 and 6.5 hours on two RTX 6000 Ada." in text
