"""Comparisons of GPUs: which pairs there are, that pages show the figures of the tables, and the verdict of a GPU's page."""

import csv
import re
from pathlib import Path

import duckdb
import pytest
from selectolax.lexbor import LexborHTMLParser

from pipeline.website.pages.compare.page import HOME
from pipeline.website.pages.pairs.members import brief_gpu
from pipeline.website.writing import numbers
from pipeline.website.writing.labels import short_gpu
from tests.build.pages.site_pages import Page, body_rows, text_of

EXPECTED = {
    "rtx-4090-vs-rtx-5090", "rtx-3090-vs-rtx-4090", "a100-vs-h100", "h100-vs-h200", "h100-vs-mi300x", "v100-vs-a100",
}  # fmt: skip
A100_AND_V100 = "v100-vs-a100"
AT_HOME = "rtx-3090-vs-rtx-4090"


def test_buyers_find_the_pairs_that_they_ask_for(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ids = {name for (name,) in con.execute("SELECT DISTINCT comparison_id FROM gpu_comparison").fetchall()}
    assert ids >= EXPECTED
    assert len(ids) == 30
    assert {path.parent.name for path in (site / "pairs").glob("*/index.html")} == ids
    links = set(Page(site / "pairs" / "index.html").values("href"))
    assert {f"../pairs/{name}/index.html" for name in ids} <= links


def test_both_gpus_of_a_pair_are_rented_now_and_near_in_price(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("""
        SELECT pair_rank, count(*), max(usd) / min(usd), count(usd), max(price_ratio), count(marketplace_usd_per_gpu_hour)
        FROM (SELECT *, coalesce(usd_per_gpu_hour_median, usd_per_gpu_hour) AS usd FROM gpu_comparison)
        JOIN (SELECT rank AS pair_rank, price_ratio FROM gpu_pair) USING (pair_rank)
        GROUP BY ALL ORDER BY 1
    """).fetchall()
    assert [rank for rank, *_ in rows] == list(range(1, 31))
    for _, members, ratio, on_demand, stated, on_marketplace in rows:
        assert members == 2
        assert 1 <= stated <= 3
        assert ratio == pytest.approx(stated) if on_demand == 2 else on_marketplace == 2


def test_the_chart_of_a_pair_has_both_gpus(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    for name, gpus in con.execute("SELECT comparison_id, count(*) FROM gpu_comparison GROUP BY ALL").fetchall():
        with (site / "data" / "charts" / f"pair-{name}.csv").open() as file:
            assert len({row["gpu"] for row in csv.DictReader(file)}) == gpus, name


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_comparison_shows_price_seller_date_and_speed(site: Path, con: duckdb.DuckDBPyConnection, name: str) -> None:
    text = (site / "pairs" / name / "index.html").read_text()
    lines = [" ".join(line.split()) for line in body_rows(text, "comparison-table")]
    rows = con.execute("""
        SELECT usd_per_gpu_hour, coalesce(p.name, c.provider), price_date, marketplace_usd_per_gpu_hour,
            small_tokens_per_s, small_usd, training_index, training_per_usd, training_usd_per_gpu_hour, buy_usd, buy_date
        FROM gpu_comparison c LEFT JOIN provider p ON p.provider_id = c.provider
        WHERE comparison_id = ? ORDER BY position
    """, [name]).fetchall()  # fmt: skip
    for usd, provider, date, marketplace, tokens, cost, index, value, rent, bought, bought_on in rows:
        offer = (str(numbers.usd(usd)), provider, str(numbers.day(date))) if usd else ("no offer",)
        assert [part for part in offer if part not in lines[0]] == []
        assert (str(numbers.usd(marketplace)) if marketplace else "no offer") in lines[3]
        assert tokens is None or str(numbers.number(tokens, 3)) in lines[5]
        assert cost is None or str(numbers.usd(cost)) in lines[6]
        assert index is None or str(numbers.ratio(index)) in lines[10]
        assert value is None or f"{numbers.ratio(value)} at {numbers.usd(rent)} an hour" in lines[11]
        offer_to_buy = (str(numbers.usd(bought)), str(numbers.day(bought_on))) if bought else ("unknown",)
        assert [part for part in offer_to_buy if part not in lines[4]] == []
    prices = [usd for usd, *_ in rows if usd]
    if len(prices) == len(rows):
        assert f"{numbers.usd(min(prices))} an hour" in text_of(site / "pairs" / name / "index.html")


@pytest.mark.parametrize(("model", "column"), [("Llama 3.1 8B", "small_gpus"), ("Llama 3.3 70B", "large_gpus")])
def test_a_speed_is_better_only_on_as_many_gpus(site: Path, con: duckdb.DuckDBPyConnection, model: str, column: str) -> None:
    rows = con.execute(f"SELECT comparison_id, count(DISTINCT {column}) FROM gpu_comparison GROUP BY ALL").fetchall()
    bold = {}
    for name, _ in rows:
        table = LexborHTMLParser((site / "pairs" / name / "index.html").read_text()).css("#comparison-table tbody tr")
        heading = f"{model} tokens/s, 16 bit, 64 requests"
        (speed,) = [row for row in table if " ".join(row.css_first("th").text().split()) == heading]
        bold[name] = speed.css_first("strong") is not None
    assert any(bold.values())
    assert [name for name, counts in rows if bold[name] and counts > 1] == []
    assert "on 2 GPUs" in body_rows((site / "pairs" / "rtx-a4000-vs-rtx-a5000" / "index.html").read_text(), "comparison-table")[5]


def test_the_guides_tasks_have_times_and_costs_then_and_today(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    path = site / "pairs" / A100_AND_V100 / "index.html"
    lines = body_rows(path.read_text(), "task-table")
    rows = con.execute("""
        SELECT machine, seconds, guide_usd_per_run, usd_per_gpu_hour, usd_per_run FROM gpu_comparison_task
        WHERE comparison_id = ? ORDER BY task, position, machine
    """, [A100_AND_V100]).fetchall()  # fmt: skip
    assert len(lines) == len(rows) == 9
    assert {machine for machine, *_ in rows} == {"A100", "V100-16GB", "V100-32GB"}
    for line, (machine, seconds, then, hourly, today) in zip(lines, rows, strict=True):
        assert (today is None and hourly is None) or today == pytest.approx(seconds / 3600 * hourly)
        shown = (
            machine,
            str(numbers.duration(seconds)),
            *(str(numbers.usd(1000 * usd)) for usd in (then, today) if usd is not None),
        )
        assert [one for one in shown if one not in line] == []
    best: dict[tuple[str, bool], float] = {}
    for task, is_a100, usd in con.execute(
        "SELECT task, machine = 'A100', usd_per_run FROM gpu_comparison_task WHERE comparison_id = ? AND usd_per_run IS NOT NULL",
        [A100_AND_V100],
    ).fetchall():
        best[task, is_a100] = min(usd, best.get((task, is_a100), usd))
    tasks = {task for task, _ in best}
    wins = sum(best[task, True] < best[task, False] for task in tasks)
    assert f"it is cheaper for {wins or 'none'} of {len(tasks)}." in text_of(path)
    assert ("is not worth its price" in text_of(path)) is (2 * wins <= len(tasks))
    assert not re.search(r"\btoday\b", text_of(path), re.IGNORECASE)


def test_the_guides_tasks_cost_the_same_on_the_guides_page(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("""
        SELECT t.machine, (t.usd_per_gpu_hour, t.provider, t.usd_per_run) = (r.usd_per_gpu_hour, r.provider, r.usd_per_run)
            OR (t.usd_per_gpu_hour IS NULL AND t.usd_per_run IS NULL AND t.provider IS NULL AND r.provider IS NULL)
        FROM gpu_comparison_task t JOIN guide_run_price r USING (machine, task)
        WHERE r.source_id = 'paperspace-2022' AND r.current IS NOT FALSE
    """).fetchall()
    assert {"A100", "V100-16GB", "V100-32GB"} <= {machine for machine, _ in rows}
    assert [machine for machine, same in rows if not same] == []


def test_gpus_for_a_home_have_prices_with_dates_and_the_way_to_the_readers_own(
    site: Path, con: duckdb.DuckDBPyConnection
) -> None:
    path = site / "pairs" / AT_HOME / "index.html"
    shown = " ".join(" ".join(body_rows(path.read_text(), "buying-table")).split())
    rows = con.execute("""
        SELECT new_usd, new_date, used_usd, used_date, single_tokens_per_s, (new_usd + base_cost_usd) / single_tokens_per_s
        FROM gpu_comparison JOIN base_system_cost ON gpu_count = 1 WHERE comparison_id = ?
    """, [AT_HOME]).fetchall()  # fmt: skip
    assert len(rows) == 2
    for new, new_date, used, used_date, tokens, each in rows:
        assert f"{numbers.usd(new)} {numbers.day(new_date)}" in shown
        assert used is None or f"{numbers.usd(used)} {numbers.day(used_date)}" in shown
        assert str(numbers.number(tokens, 3)) in shown
        assert str(numbers.usd(each)) in shown
    own = "compare/index.html?gpus=nvidia-geforce-rtx-3090-24gb,nvidia"
    assert any(own in link for link in Page(path).values("href"))


def test_a_gpus_page_begins_with_its_ranks_and_the_date_of_the_price(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("""
        SELECT gpu_id, llm_rank, llm_ranked, training_rank, training_ranked, greatest(llm_date, training_date),
            llm_usd_per_gpu_hour, training_usd_per_gpu_hour,
            CASE training_rent_basis WHEN 'low' THEN 'lowest' ELSE training_rent_basis END, llm_gpu_count, llm_n_cheaper
        FROM gpu_verdict WHERE llm_rank IS NOT NULL AND training_rank IS NOT NULL
    """).fetchall()
    assert len(rows) >= 5
    assert {gpus > 1 for *_, gpus, _ in rows} == {False}, "groups over PCIe, which 16 GB cards need, have no rank"
    names = dict(con.execute("SELECT gpu_id, name FROM gpu").fetchall())
    for gpu_id, llm, llm_of, training, training_of, date, llm_usd, training_usd, basis, gpus, cheaper in rows:
        text = text_of(site / "gpus" / gpu_id / "index.html")
        machine, each = (f" on {gpus} GPUs", " each") if gpus > 1 else ("", "")
        first = f"It ranks {llm} of {llm_of}{{}}{machine} at {numbers.usd(llm_usd)} an hour{each}."
        second = f"It ranks {training} of {training_of}{{}} at the {basis} price of {numbers.usd(training_usd)} an hour."
        chat, train = " in chat with Llama 3.1 8B in BF16", " in training"
        both = f"{first.format(chat)} {second.format(train)}"
        said = (
            f"for{chat.removeprefix(' in')}. {first.format('')} {second.format(train)}",
            f"for{train.removeprefix(' in')}. {second.format('')} {first.format(chat)}",
            f"for{chat.removeprefix(' in')} and for{train.removeprefix(' in')}. {both}",
            f"per dollar than the {short_gpu(names[gpu_id], gpu_id)}. {both}",
        )
        assert sum(f"{one} Rental prices of {numbers.day(date)}." in text for one in said) == 1, gpu_id
        assert (f"{cheaper} GPU{'s' * (cheaper > 1)} without a rank" in text) is (cheaper > 0), gpu_id


def test_the_page_of_a_gpu_without_a_rank_begins_with_its_rent(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("""
        SELECT gpu_id, rental_usd_per_gpu_hour_min, training_date FROM gpu_verdict JOIN gpu_price USING (gpu_id)
        WHERE rental_usd_per_gpu_hour IS NOT NULL AND llm_rank IS NULL AND training_rank IS NULL
    """).fetchall()
    assert rows
    for gpu_id, usd, date in rows:
        text = text_of(site / "gpus" / gpu_id / "index.html")
        assert f" rents from {numbers.usd(usd)} an hour, but is not ranked by rental value" in text, gpu_id
        assert f"because its speed is not known well enough. Rental prices of {numbers.day(date)}." in text, gpu_id


def test_gpus_before_a_ranked_one_cost_less_even_at_the_ends_of_both_intervals(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("""
        SELECT gpu_id, rank, usd_per_hour / tokens_per_s_low, usd_per_hour / tokens_per_s_high, n_cheaper FROM llm_rank
        WHERE (llm_model_id, use, quantization) = ('llama-3.1-8b', 'chat', 'bf16')
    """).fetchall()
    for _, _, _, least, cheaper in rows:
        assert cheaper == sum(1 for _, rank, most, *_ in rows if rank is None and most < least)
    assert any(cheaper for *_, cheaper in rows)


def test_a_gpu_without_a_rank_says_what_is_missing(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("""
        SELECT gpu_id, rental_usd_per_gpu_hour IS NOT NULL FROM gpu_verdict LEFT JOIN gpu_price USING (gpu_id)
        WHERE coalesce(llm_rank, training_rank) IS NULL
    """).fetchall()
    reasons = {
        True: "its speed is not known well enough",
        False: "no current on-demand offer is for this GPU",
    }
    assert {is_rented for _, is_rented in rows} == {*reasons}
    for gpu_id, is_rented in rows:
        assert reasons[is_rented] in text_of(site / "gpus" / gpu_id / "index.html"), gpu_id


def test_equal_value_is_no_advantage(site: Path) -> None:
    texts = [text_of(path) for path in (site / "pairs").glob("*/index.html")]
    better = [max(map(float, re.findall(r"([\d.]+) times the work per dollar", text)), default=None) for text in texts]
    assert all(times is None or times >= 1.05 for times in better)
    equal = [text for text in texts if "do about as much work per dollar" in text]
    assert equal
    assert not any(re.search(r"For training, the [^.]* is better value", text) for text in equal)


def test_each_price_of_a_pair_names_its_scope(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """The lead has the cheapest offer of a variant, the table that of all variants."""
    rows = con.execute("""
        SELECT comparison_id, name, training_usd_per_gpu_hour FROM gpu_comparison JOIN gpu USING (gpu_id)
        WHERE comparison_id IN (
            SELECT comparison_id FROM gpu_comparison GROUP BY ALL HAVING count(training_per_usd) = 2
        )
    """).fetchall()
    assert len(rows) > 20
    for name, gpu, usd in rows:
        text = text_of(site / "pairs" / name / "index.html")
        assert re.search(f"the {re.escape(brief_gpu(gpu))} at [a-z ]*{re.escape(numbers.usd(usd))} an hour", text), name
        assert "Median price USD/h, any variant" in text


def test_training_in_a_pair_costs_what_its_workload_costs(con: duckdb.DuckDBPyConnection) -> None:
    """The V100 at its lowest rent stood against the A100 at the median: 5.57 times the work per dollar, not 3.27."""
    rows = con.execute("""
        SELECT c.training_per_usd * w.usd_per_run_cheapest, c.training_usd_per_gpu_hour >= c.usd_per_gpu_hour
        FROM gpu_comparison c JOIN workload_cost w ON (w.gpu_id, w.workload) = (c.gpu_id, 'all')
        WHERE w.usd_per_run_cheapest IS NOT NULL
    """).fetchall()
    assert len(rows) > 40
    assert all(product == pytest.approx(1) and is_of_one_variant for product, is_of_one_variant in rows)


def test_ranks_follow_the_cost_of_a_token(con: duckdb.DuckDBPyConnection) -> None:
    groups = con.execute("""
        SELECT list(usd_per_million_output_tokens ORDER BY rank), max(n_ranked), count(*) FROM llm_rank WHERE rank IS NOT NULL
        GROUP BY llm_model_id, use, quantization
    """).fetchall()
    assert len(groups) > 40
    assert all(costs == sorted(costs) and ranked == rows for costs, ranked, rows in groups)


def test_no_page_of_a_gpu_prints_an_internal_name(site: Path) -> None:
    internal = ("pcie_no_p2p", "pcie_p2p", "AMBIGUOUS_GPU", "UNKNOWN_GPU", "Co2 kg", "electricity_kwh", "datacenter")
    internal += ("80 GB 80 GB", "16 GB 16 GB", "12 GB 12 GB", "NVIDIA NVIDIA", "AMD AMD", "NVIDIA Nvidia")
    found = []
    for folder in ("gpus", "pairs", "workloads", "guides"):
        for path in (site / folder).glob("*/index.html"):
            page = Page(path)
            text = " ".join("".join(page.text).split())
            text = text.split("SQL of", 1)[0] if folder == "pairs" else text
            found += [(path.parent.name, name) for name in internal if name in text]
    assert found == []


def test_a_pair_has_the_cost_of_fine_tuning(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("""
        SELECT c.comparison_id, c.tuning_usd, t.usd_per_job FROM gpu_comparison AS c
        LEFT JOIN llm_tuning_cost AS t
            ON (t.gpu_id, t.llm_model_id, t.tune, t.price_stale) = (c.gpu_id, 'llama-3.1-8b', 'qlora', false)
        ORDER BY c.comparison_id, c.position
    """).fetchall()
    assert sum(shown is not None for _, shown, _ in rows) > 30
    for name, shown, cost in rows:
        assert shown == cost, name
        (line,) = [
            row
            for row in body_rows((site / "pairs" / name / "index.html").read_text(), "comparison-table")
            if "Fine-tuning" in row
        ]
        assert shown is None or str(numbers.usd(shown)) in line, name


def test_the_comparison_shows_its_first_gpus_without_scripts(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """The speed of each GPU, and the rent of those with a current offer of one GPU."""
    page = (site / "compare" / "index.html").read_text()
    speeds, rents = [
        next(row for row in body_rows(page, "compare-first") if name in row) for name in ("Tokens/s", "Rent (USD/h)")
    ]
    for gpu_id in HOME:
        (speed,) = con.execute(
            """
            SELECT tokens_per_s FROM llm_request
            WHERE (llm_model_id, quantization, use, gpu_id, gpu_count) = ('llama-3.1-8b', 'q4_k_m', 'single', ?, 1)""",
            [gpu_id],
        ).fetchall()[0]
        assert str(numbers.number(speed, 3)) in speeds.split(), gpu_id
        usd = con.execute(
            """
            SELECT usd_per_gpu_hour_low FROM rental_market
            WHERE (gpu_id, billing, commitment, gpus) = (?, 'on_demand', 'any', 'single')""",
            [gpu_id],
        ).fetchone()
        assert (str(numbers.usd(usd[0])) if usd else "no current on-demand offer") in rents, gpu_id
