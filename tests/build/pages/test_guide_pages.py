"""The pages of the guides: their figures are those of the tables, and a reader's question has its answer."""

import html
import re
from pathlib import Path

import duckdb
import pytest

from pipeline.website.writing import numbers
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import short_gpu
from tests.build.pages.site_pages import printed_sql, query_rows

Cells = dict[str, list[str]]


def text_of_page(site: Path, guide: str) -> str:
    return html.unescape((site / "guides" / guide / "index.html").read_text(encoding="utf-8"))


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
        ("guide_usd_per_hour", "usd_per_gpu_hour", "usd_per_gb", "usd_per_tflop", "usd_per_100_cuda_cores", "usd_per_gb_per_min"),
        (),
    ),
    ("paperspace-2022", "run-table", ("guide_usd_per_run", "usd_per_run"), ("seconds",)),
    ("paperspace-2022", "batch-table", ("guide_usd_per_batch_item", "usd_per_batch_item"), ("max_batch_items",)),
    (
        "autodl-2022",
        "gpu-table",
        ("usd_per_gpu_hour",),
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
        # a run and an item cost a fraction of a cent, so their tables show 1,000
        shown = {column: numbers.thousand(row[column]) if column.endswith(("_run", "_item")) else row[column] for column in money}
        money_shown = map(numbers.usd, shown.values())
        printed = {*map(str, money_shown), *(str(numbers.number(row[column])) for column in plain)}
        assert printed <= {*cells[name_of(row)], ""}, row


def test_prices_of_a_guides_page_have_the_date_of_the_data(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((as_of,),) = con.execute("SELECT as_of FROM release").fetchall()
    for path in (site / "guides").glob("*/index.html"):
        text = " ".join(re.sub(r"<(script|pre)\b.*?</\1>|<[^>]+>", " ", path.read_text(), flags=re.DOTALL).split())
        assert re.findall(r".{30}\btoday\b.{30}", text, re.IGNORECASE) == [], path
        assert str(numbers.day(as_of)) in text.split("Protocol", 1)[-1], path


def test_paperspace_says_what_the_a4000_cost_then_and_costs_today(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    [today] = query_rows(con, "SELECT * FROM guide_machine_price WHERE source_id = 'paperspace-2022' AND machine = 'A4000'")
    cells = cells_of(site, "paperspace-2022", "cost-table")["A4000"]
    assert cells[:6] == [
        *("$0.76", numbers.usd(today["usd_per_gpu_hour"])),
        *("$0.05", numbers.usd(today["usd_per_gb"])),
        *("$0.04", numbers.usd(today["usd_per_tflop"])),
    ]
    assert today["usd_per_gpu_hour"] < 0.76


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
    assert cells[:4] == [numbers.usd(today["usd_per_gpu_hour"]), "24", "35.58", numbers.number(today["vendor_fp32_tflops"])]
    assert (cells[4], cells[6]) == ("71", "11")
    assert "first choice for value" in cells_of(site, "autodl-2022", "note-table")["3090"][1]
    assert "MS COCO" in cells_of(site, "autodl-2022", "count-table")["4"][0]


def test_a_single_gpu_has_one_cheapest_price_on_a_guide_page(con: duckdb.DuckDBPyConnection) -> None:
    """A100 SXM4 80 GB: $1.09 in the list of GPUs, but $1.38 among machines, without offers that leave it open."""
    both = """FROM guide_machine_price AS p JOIN guide_count_price AS c USING (gpu_id)
        WHERE c.gpu_count = 1 AND p.usd_per_gpu_hour IS NOT NULL"""
    assert query_rows(con, f"SELECT count(*) > 10 AS many {both}") == [{"many": True}]
    differ = "(p.usd_per_gpu_hour, p.n_offers, p.n_providers) IS DISTINCT FROM (c.usd_per_hour, c.n_offers, c.n_providers)"
    assert query_rows(con, f"SELECT p.machine, p.usd_per_gpu_hour, c.usd_per_hour AS of_count {both} AND {differ}") == []


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


def test_the_guide_of_2020_says_how_much_memory_a_purpose_needs_and_where_it_is_cheapest(
    site: Path, con: duckdb.DuckDBPyConnection
) -> None:
    """Figures of the guide: 8 GB for Kaggle, 10 for prototypes, 11 for pretrained Transformers, 24 for large ones."""
    cells = cells_of(site, "dettmers-2020", "memory-table")
    needs = {purpose: row[0] for purpose, row in cells.items()}
    assert sorted(needs.values(), key=int) == ["8", "10", "10", "11", "24"]
    assert needs["Kaggle"] == "8"
    [large] = query_rows(con, "SELECT * FROM guide_memory_rule WHERE memory_gb = 24")
    row = cells["Large Transformers or CNNs in research or production"]
    assert short_gpu(large["rent_name"], "") in row[1]
    assert row[2] == numbers.usd(large["usd_per_gpu_hour"])
    cheaper = "usd_per_gpu_hour_low < ? AND memory_gb >= 24 AND vendor = 'NVIDIA' AND fp16_tensor_tflops IS NOT NULL"
    query = f"FROM rental_market JOIN gpu USING (gpu_id) WHERE (billing, gpus) = ('on_demand', 'single') AND {cheaper}"
    assert con.execute(query, [large["usd_per_gpu_hour"]]).fetchall() == []


def test_the_guide_of_2020_has_its_readers_forecasts_and_carbon(site: Path) -> None:
    """Figures of the guide: an RTX 3080 for NLP research, an RTX 3060 at 250 to 300 USD, 591 kWh a year for an RTX 3090."""
    advice = cells_of(site, "dettmers-2020", "advice-table")
    assert advice["NLP research without translation, language models or pretraining"][0] == "RTX 3080"
    forecasts = {name: row for name, row in cells_of(site, "dettmers-2020", "forecast-table").items() if "RTX 3060" in name}
    assert any(row[0].startswith("250–300") and row[1].startswith("329") for row in forecasts.values())
    assert cells_of(site, "dettmers-2020", "carbon-table")["GeForce RTX 3090"][1] == "591"
    rules = text_of_page(site, "dettmers-2020").split('id="rule-table"', 1)[1]
    assert "65,504" in rules
    assert "about 3e38" in " ".join(rules.split())
    assert "at least 1,600 W" in " ".join(rules.split())


def test_the_digest_has_its_order_its_platforms_and_lambdas_prices(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Figures of the digest: tensor cores first for CNNs, bandwidth for RNNs, Colab at 10 USD a month, PyTorch 1.0.1."""
    text = " ".join(re.sub(r"<[^>]+>", " ", text_of_page(site, "wechat-2022")).split())
    assert re.search(r"CNN Tensor cores 1 \d", text)
    assert re.search(r"RNN Memory bandwidth 1 1 ", text)
    assert "Google Colab paid 10" in text
    assert "PyTorch 1.0.1 with CUDA 10" in text
    [row] = query_rows(con, "SELECT * FROM lambda_value WHERE suite = 'v1' AND gpu_id = 'nvidia-geforce-rtx-3090-24gb'")
    assert (row["usd"], row["watts"]) == (2750, 350)
    assert row["speed_per_1000_usd_system"] == pytest.approx(1000 * row["speed"] / (2750 + 701))


def test_advice_stands_beside_the_first_choice_of_today(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Kaggle in the guide of 2020: an RTX 3070."""
    where = "source_id = 'dettmers-2020' AND scenario = 'Kaggle'"
    [row] = query_rows(con, f"SELECT said, today_name, today_cost_usd, today_price_date FROM recommendation WHERE {where}")
    cells = cells_of(site, "dettmers-2020", "advice-table")["Kaggle"]
    assert cells[0] == row["said"] == "RTX 3070"
    assert cells[1].startswith(short_gpu(row["today_name"], ""))
    assert cells[2].startswith(str(numbers.usd(row["today_cost_usd"])))
    assert cells[2].endswith(str(numbers.day(row["today_price_date"])))


def test_a_recomputed_figure_is_printed_with_two_digits_at_least(site: Path) -> None:
    """Rounded to the guide's decimals, one and a half times the power read as twice."""
    figures = cells_of(site, "pro-vs-consumer-2023", "figure-table")
    assert ["3", "1.5"] in [cells[-2:] for subject, cells in figures.items() if "192 GB of RTX 4090" in subject]
    for cells in figures.values():
        assert len(re.sub(r"^[-0.]*|[^0-9]", "", cells[-1])) >= 2 or float(cells[-1] or 0) % 1 == 0, cells
