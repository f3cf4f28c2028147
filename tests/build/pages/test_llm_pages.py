"""Pages of language models: speeds and costs as in the tables, errors beside the roofline, and examples that add up."""

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipeline.website.pages.gpu import models
from pipeline.website.pages.llm import page
from pipeline.website.writing import numbers
from pipeline.website.writing.labels import short_gpu
from tests.build.pages.site_pages import body_rows, printed_sql, query_rows, words_of


def test_the_list_leads_to_a_page_of_every_family(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    listed = set(re.findall(r'href="\.\./llm/([a-z0-9-]+)/index\.html', (site / "llm/index.html").read_text()))
    families = con.execute("SELECT count(DISTINCT family) FROM llm_speed JOIN llm_model USING (llm_model_id)").fetchall()[0][0]
    assert len(listed - {"inference", "fine-tuning"}) == families
    assert all((site / f"llm/{name}/index.html").exists() for name in listed)


def test_a_family_page_shows_speed_and_cost_of_the_tables(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    shown = body_rows((site / "llm/llama/index.html").read_text(), "t-llama-3-1-8b")
    (row,) = (row for row in shown if "H100 SXM5" in row and "16 bit" in row)
    speed, usd = con.execute(
        "SELECT s.tokens_per_s, c.usd_per_million_output_tokens FROM llm_speed s "
        "JOIN llm_cost c USING (llm_model_id, gpu_id, gpu_count, use) "
        "WHERE s.llm_model_id = 'llama-3.1-8b' AND use = 'chat' AND gpu_id = 'nvidia-h100-sxm5-80gb' AND s.quantization = 'bf16' "
        "AND c.quantization = 'bf16' AND c.priced_by = 'gpu' AND c.billing = 'on_demand'"
    ).fetchall()[0]
    assert str(numbers.number(speed, 3)) in row
    assert str(numbers.usd(usd)) in row


def test_every_error_is_printed_beside_the_roofline(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = (site / "llm/inference/index.html").read_text()
    rows = query_rows(con, printed_sql(text, 'id="error-table"'))
    shown = body_rows(text, "error-table")
    assert len(shown) == len(rows) > 10
    for row, cells in zip(rows, shown, strict=True):
        assert f"{numbers.number(row['median_abs_pct'], 3)}%" in cells
        assert f"{numbers.number(row['roofline_median'], 3)}%" in cells


def test_the_parts_of_an_example_give_its_speed(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute(
        "SELECT s.phase, sum(p.example_s), any_value(s.concurrency), any_value(s.predicted_tokens_per_s) "
        "FROM llm_speed_part p JOIN llm_speed s ON s.phase = p.phase AND s.llm_model_id = 'llama-3.1-8b' "
        "AND s.gpu_id = 'nvidia-h100-sxm5-80gb' AND s.use = CASE WHEN s.phase = 'serving' THEN 'chat' ELSE 'single' END "
        "AND s.quantization <> 'fp8' AND s.is_fewest WHERE p.example_s IS NOT NULL GROUP BY s.phase"
    ).fetchall()
    assert {row[0] for row in rows} == {"decode", "prefill", "serving"}
    for _, seconds, requests, speed in rows:
        assert requests / seconds == pytest.approx(speed)


def test_the_example_of_fine_tuning_multiplies_out(site: Path) -> None:
    text = words_of(site, "llm/fine-tuning/index.html")
    found = re.search(r"([\d.]+) × 10 ?15 / \(([\d.]+) TFLOPS × ([\d.]+)%\) = ([\d.]+) h", text)
    assert found
    operations, peak, share, hours = map(float, found.groups())
    assert operations * 1e15 / (peak * 1e12 * share / 100) / 3600 == pytest.approx(hours, rel=0.01)
    cost = re.search(r"([\d.]+) h × \$([\d.]+) an hour = \$([\d.]+)", text)
    assert cost
    hours, usd_per_hour, usd = map(float, cost.groups())
    assert hours * usd_per_hour == pytest.approx(usd, rel=0.01)


def test_every_measured_chat_has_the_cost_of_the_ranking(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Weights that a run stored as fp16 count as bf16, so the A10G has a cost and a place among the ranked GPUs."""
    shown = body_rows((site / "llm/llama/index.html").read_text(), "t-llama-3-1-8b")
    ranked = con.execute(
        "SELECT g.name, r.usd_per_million_output_tokens FROM llm_rank AS r JOIN gpu AS g USING (gpu_id) "
        "WHERE r.basis = 'measured' AND (r.llm_model_id, r.use, r.quantization) = ('llama-3.1-8b', 'chat', 'bf16') "
        "AND r.gpu_count = 1 ORDER BY 2"
    ).fetchall()
    assert len(ranked) > 3
    places = []
    for name, usd in ranked:
        label = name.removeprefix("NVIDIA ")
        cost = str(numbers.usd(usd))
        places += [at for at, row in enumerate(shown) if row.strip().startswith(label) and "16 bit" in row and cost in row]
    assert places == sorted(places)
    assert len(places) == len(ranked)


def test_a_prediction_is_named_as_cheaper_if_its_whole_range_is() -> None:
    def line(usd: float, low: float, high: float, *, unranked: bool) -> dict[str, Any]:
        return {"uses": {"chat": {"usd": usd, "usd_low": low, "usd_high": high, "unranked": unranked}}}

    first, below, across = (
        line(5, 4, 6, unranked=False),
        line(3, 2, 3.9, unranked=True),
        line(2.9, 2, 4.1, unranked=True),
    )
    assert page._maybe_cheaper([first, across, below]) == below["uses"]["chat"]
    assert page._maybe_cheaper([first, across]) is None
    assert page._maybe_cheaper([below]) is None


def test_no_page_names_a_cheaper_prediction_where_the_table_has_none(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    known = "SELECT count(*) > 0 FROM llm_rank WHERE rank = 1 AND use = 'chat' AND n_cheaper > 0"
    pages = [words_of(site, f"llm/{name}/index.html") for name in ("phi", "llama", "qwen", "gemma")]
    assert con.execute(known).fetchone() == (any("Probably cheaper, by a prediction" in text for text in pages),)


@pytest.mark.parametrize("basis", ["measured", "predicted"])
def test_the_list_shows_the_cheapest_chat_of_the_table(site: Path, con: duckdb.DuckDBPyConnection, basis: str) -> None:
    """A prediction without a rank counts, too: the list must not show a dearer GPU as the cheapest."""
    ((usd,),) = con.execute(
        """SELECT min(c.usd_per_million_output_tokens) FROM llm_cost AS c
        WHERE (llm_model_id, use, basis, priced_by, billing) = ('llama-3.1-8b', 'chat', ?, 'gpu', 'on_demand') AND NOT price_stale
            AND quantization IN ('bf16', 'fp16', 'fp8')""",
        [basis],
    ).fetchall()
    listed = words_of(site, "llm/index.html").partition("popular models")[2]
    (row,) = re.findall(r"Llama-3\.1-8B.*?Llama-3\.3-70B", listed)
    assert str(numbers.usd(usd)) in row


def test_the_list_begins_with_the_cheapest_gpu_of_four_sizes(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """It is the first with a rank; where no prediction has one, it is the cheapest, which says so."""
    rows = body_rows((site / "llm/index.html").read_text(), "first")
    costs = con.execute("""
        SELECT m.name, g.name, gpu_id, c.usd_per_hour, c.usd_per_million_output_tokens, s.name,
            is_rankable(c.basis, c.tokens_per_s_low, c.tokens_per_s_high) IS TRUE AS rankable
        FROM llm_cost c JOIN llm_model m USING (llm_model_id) JOIN gpu g USING (gpu_id)
        JOIN provider s ON s.provider_id = c.provider
        WHERE (use, priced_by, billing) = ('chat', 'gpu', 'on_demand') AND NOT price_stale AND g.segment <> 'accelerator'
            AND llm_model_id IN ('llama-3.1-8b', 'qwen3-32b', 'llama-3.3-70b', 'gpt-oss-120b')
        QUALIFY row_number() OVER (PARTITION BY llm_model_id ORDER BY rankable DESC, c.usd_per_million_output_tokens) = 1
        ORDER BY m.n_parameters
    """).fetchall()
    assert len(rows) == len(costs) == 4
    for row, (model, gpu, gpu_id, usd_per_hour, usd, seller, rankable) in zip(rows, costs, strict=True):
        for text in (model, short_gpu(gpu, gpu_id), str(numbers.usd(usd_per_hour)), str(numbers.usd(usd)), seller):
            assert text in " ".join(row.split()), (text, row)
        assert ("too uncertain for a rank" in row) is not rankable


def test_a_cost_stands_beside_the_speed_that_it_is_of(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Where another program was measured than the one that is predicted, cost and speed are both of the measured one."""
    rows = query_rows(con, printed_sql((site / "llm/qwen/index.html").read_text(), 'id="t-'))
    chats = [row for row in rows if row["usd"] is not None and row["use"] != "single"]
    known = con.execute("SELECT usd_per_million_output_tokens, tokens_per_s / replicas FROM llm_cost").fetchall()
    speeds = {(f"{usd:.9g}", f"{speed:.6g}") for usd, speed in known}
    assert len(chats) > 100
    assert [row for row in chats if (f"{row['usd']:.9g}", f"{row['tokens_per_s']:.6g}") not in speeds] == []


@pytest.mark.parametrize("sql", [page._SPEEDS, models._MODELS])
def test_a_model_measured_in_two_programs_has_one_row(con: duckdb.DuckDBPyConnection, sql: str) -> None:
    before = con.execute(sql).fetchall()
    con.execute("""
        CREATE TEMP TABLE llm_cost AS
        FROM ledger.llm_cost
        UNION ALL
        SELECT * REPLACE (cost_id || '/other' AS cost_id, 'SGLang' AS engine)
        FROM ledger.llm_cost
        WHERE priced_by = 'gpu' AND engine IN (SELECT engine FROM llm_speed)
    """)
    try:
        assert con.execute(sql).fetchall() == before
    finally:
        con.execute("DROP TABLE temp.llm_cost")


def test_the_form_states_how_much_less_than_sold_programs_see(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    less = "max(1 - llm_visible_gb(driver_memory_gb, memory_gb) / memory_gb)"
    ((percent,),) = con.execute(f"SELECT ceil(100 * {less}) FROM gpu WHERE driver_memory_gb IS NOT NULL").fetchall()
    assert f"programs see up to {percent:g}% less than the size as sold" in " ".join((site / "index.html").read_text().split())
