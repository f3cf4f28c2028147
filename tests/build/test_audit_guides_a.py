"""The audit of the guides of Paperspace, AutoDL and WeChat, and the functions that it uses."""

from collections.abc import Iterator

import duckdb
import pytest

from pipeline.warehouse import connection

GUIDES = ("paperspace-2022", "autodl-2022", "wechat-2022")
VERDICTS = {
    "p01": "holds", "p02": "fails", "p03": "fails", "p04": "fails", "p05": "mixed", "p07": "fails", "p09": "fails",
    "p10": "fails", "p11": "fails", "p12": "fails", "p15": "fails", "p17": "holds", "p18": "fails", "a01": "fails",
    "a03": "holds", "w03": "mixed", "w04": "fails",
}  # fmt: skip


@pytest.fixture(scope="module")
def functions() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database that holds the project's functions and nothing else."""
    with duckdb.connect() as con:
        connection.define_macros(con)
        yield con


def value(con: duckdb.DuckDBPyConnection, sql: str, *given: object) -> object:
    row = con.execute(sql, list(given)).fetchone()
    assert row is not None
    return row[0]


def audited(con: duckdb.DuckDBPyConnection, figure_id: str) -> dict[str, object]:
    (row,) = connection.dictionaries(con.execute("SELECT * FROM audit WHERE figure_id = ?", [figure_id]))
    return row


@pytest.mark.parametrize(
    ("x", "decimals", "rounded"),
    [
        (2.675, 2, 2.68), (0.125, 2, 0.13), (0.1375, 3, 0.138), (11.15, 1, 11.2), (1.005, 2, 1.01), (0.285, 2, 0.29), (2.5, 0, 3),
        (0.5, 0, 1), (0.0714, 2, 0.07), (-2.5, 0, -3), (0, 2, 0), (1655.9999999999998, 0, 1656), (2224.7999999999997, 1, 2224.8),
        (0.4999999, 0, 0), (123456789.5, 0, 123456790),
    ],
)  # fmt: skip
def test_round_half_up(functions, x, decimals, rounded):
    assert value(functions, "SELECT round_half_up(?::DOUBLE, ?)", x, decimals) == rounded


def test_round_half_up_agrees_with_decimal_arithmetic(functions):
    """Every three-decimal value below 2, as text, by exact decimals and by the function."""
    wrong = functions.execute(
        "SELECT n / 1000 FROM range(-2000, 2000) t(n) "
        "WHERE round_half_up(n / 1000, 2) <> round((n::DECIMAL(10, 0) * 0.001)::DECIMAL(10, 3), 2)::DOUBLE"
    ).fetchall()
    assert wrong == []


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ("[true]", "holds"), ("[true, true]", "holds"), ("[false]", "fails"), ("[false, false]", "fails"),
        ("[true, false]", "mixed"), ("[true, false, NULL]", "mixed"), ("[false, NULL]", "fails"),
        ("[true, NULL]", "unchecked"), ("[NULL]", "unchecked"),
        ("[]", "unchecked"), ("NULL", "unchecked"),
    ],
)  # fmt: skip
def test_verdict(functions, parts, verdict):
    assert value(functions, f"SELECT verdict({parts}::BOOLEAN[])") == verdict


def test_number_text(functions):
    texts = [value(functions, "SELECT number_text(?)", x) for x in (0.45, 720, 0.071875, 10752, -38.83)]
    assert texts == ["0.45", "720", "0.071875", "10752", "-38.83"]


def test_the_wrong_cost_of_memory_is_found(con):
    row = audited(con, "paperspace-2022/V100-32GB/usd_per_gb")
    assert (row["published"], row["recomputed_rounded"], row["agrees"]) == (0.14, 0.07, False)
    assert row["formula"] == "2.3 / 32 = 0.071875"
    assert "V100-16GB" in str(row["note"])


@pytest.mark.parametrize("quantity", ["usd_per_gb_per_min", "usd_per_100_cuda_cores", "usd_per_tflop", "usd_per_gb"])
def test_cost_rows_reproduce(con, quantity):
    rows = con.execute(
        "SELECT subject, agrees FROM audit WHERE source_id = 'paperspace-2022' AND quantity = ? ORDER BY subject", [quantity]
    ).fetchall()
    assert len(rows) == 12
    assert [subject for subject, agrees in rows if not agrees] == (["V100-32GB"] if quantity == "usd_per_gb" else [])


@pytest.mark.parametrize(("quantity", "count"), [("usd_per_run", 32), ("usd_per_batch_item", 24)])
def test_runs_and_batches_reproduce(con, quantity, count):
    sql = "SELECT count(*) FILTER (agrees), count(*) FROM audit WHERE source_id = 'paperspace-2022' AND quantity = ?"
    assert con.execute(sql, [quantity]).fetchone() == (count, count)


def test_throughput_cost_carries_a_note_on_its_unit(con):
    row = audited(con, "paperspace-2022/A100/usd_per_gb_per_min")
    assert row["agrees"] is True
    assert "3600 times less" in str(row["note"])


def test_a_month_of_use_is_not_free(con):
    row = audited(con, "paperspace-2022/A100/usage_usd_per_month")
    assert (row["recomputed_rounded"], row["agrees"]) == (2225, False)
    assert str(row["note"]).startswith("one cause for this row of all 12 machines")


@pytest.mark.parametrize(
    ("figure_id", "agrees"),
    [
        ("paperspace-2022/A6000 over A100/price_difference_percent", False),
        ("paperspace-2022/A100/stylegan_xl_training/rank_seconds", False),
        ("paperspace-2022/A4000 over A6000/price_ratio_at_most", True),
        ("paperspace-2022/P6000/fp32_tflops", False),
        ("paperspace-2022/RTX5000/fp32_tflops", True),
        ("autodl-2022/A5000/fp16_tensor_tflops", True),
        ("autodl-2022/A40/fp32_tflops", True),
        ("autodl-2022/TITAN Xp/fp16_tflops", False),
        ("autodl-2022/3090/min_cuda_major", True),
        ("wechat-2022/RTX 2060 over Tesla V100/cost_efficiency_ratio_at_least", None),
    ],
)
def test_single_figures(con, figure_id, agrees):
    assert audited(con, figure_id)["agrees"] is agrees


def test_a_spec_that_differs_says_what_was_printed_instead(con):
    assert "fp32_tflops" in str(audited(con, "autodl-2022/TITAN Xp/fp16_tflops")["note"])
    assert "cut off instead of rounded" in str(audited(con, "paperspace-2022/P6000/fp32_tflops")["note"])


def test_every_figure_of_the_guides_is_audited_with_a_reason(con):
    sql = "SELECT count(*), count(*) FILTER (agrees IS NOT true AND note IS NULL) FROM audit WHERE source_id IN (?, ?, ?)"
    figures, without_reason = con.execute(sql, list(GUIDES)).fetchone() or (0, 1)
    assert figures == value(con, "SELECT count(*) FROM published_figure WHERE source_id IN (?, ?, ?)", *GUIDES)
    assert figures >= 190
    assert without_reason == 0


def test_out_of_memory_stays_a_row_without_a_cost(con):
    sql = "SELECT machine FROM run_cost WHERE source_id = ? AND own_price AND status = 'oom' AND usd_per_run IS NULL"
    assert sorted(name for (name,) in con.execute(sql, ["paperspace-2022"]).fetchall()) == ["M4000", "P4000", "P5000", "RTX4000"]


def test_price_metrics_of_a_rental(con):
    sql = """SELECT usd_per_fp32_tflop_hour, usd_per_gb_hour, usd_per_100_cuda_cores_hour, usd_per_pb_moved, usd_per_month,
            cpu_starved, stale
        FROM price_metric WHERE source_id = 'paperspace-2022' AND instance_type = 'V100-32GB'"""
    (row,) = con.execute(sql).fetchall()
    assert row[:5] == pytest.approx((2.3 / 14, 2.3 / 32, 230 / 5120, 2.3 / (900 * 3600) * 1e6, 2.3 * 730))
    assert row[5:] == (False, True)


@pytest.mark.parametrize(("claim_id", "verdict"), VERDICTS.items())
def test_verdicts(con, claim_id, verdict):
    assert value(con, "SELECT verdict FROM guide_claim WHERE claim_id = ?", claim_id) == verdict


def test_every_statement_of_the_guides_is_judged(con):
    sql = "SELECT count(*), count(*) FILTER (arithmetic IS NULL) FROM guide_claim WHERE source_id IN (?, ?, ?)"
    assert con.execute(sql, list(GUIDES)).fetchone() == (73, 0)


@pytest.mark.parametrize(("x", "decimals"), [(37.4, 1), (37.42, 2), (48, 0), (0.1772, 4), (0, 0), (-2.5, 1)])
def test_decimals_of(functions, x, decimals):
    assert value(functions, "SELECT decimals_of(?)", x) == decimals


def test_a_figure_with_more_decimals_than_the_vendors_is_compared_at_the_vendors(con):
    row = audited(con, "autodl-2022/A40/fp32_tflops")
    assert (row["published"], row["recomputed"], row["agrees"]) == (37.42, 37.4, True)
    assert "gives the printed figure" in str(row["note"])


def test_verdicts_agree_with_the_rules_of_thumb(con):
    """Wherever a rule of thumb tests a statement, both have one verdict."""
    rules = con.execute("""
        SELECT claim_id, any_value(c.source_id), any_value(r.source_id), any_value(c.verdict), verdict(list(r.holds))
        FROM rule_of_thumb AS r LEFT JOIN guide_claim AS c USING (claim_id)
        WHERE claim_id IS NOT NULL
        GROUP BY claim_id
    """).fetchall()
    assert {claim for claim, *_ in rules} == {"c03", "d17", "a04", "a05", "p19", "w04"}
    assert [rule for rule in rules if rule[1] != rule[2] or rule[3] != rule[4]] == []
    assert value(con, "SELECT count(*) FROM rule_of_thumb WHERE holds IS NOT NULL AND family = 'all' AND claim_id IS NULL") == 0


def test_a_speed_that_was_measured_is_not_taken_from_specifications(con):
    row = audited(con, "pro-vs-consumer-2023/RTX 6000 Ada over RTX 4090/speed_advantage_percent")
    ratio = value(con, "SELECT value FROM rule_of_thumb WHERE rule_id = 'ada_workstation_ahead'")
    assert row["recomputed"] == pytest.approx(100 * (ratio - 1))
    assert row["agrees"] is False


def test_a_statement_is_attributed_to_the_guide_that_makes_it(con):
    """`Up to ten times` is in the WeChat digest only; bandwidth is `one of the best` indicators."""
    assert value(con, "SELECT source_id FROM guide_claim WHERE claim_id = 'd16'") == "wechat-2022"
    assert "one of the best indicators" in str(value(con, "SELECT statement FROM guide_claim WHERE claim_id = 'd17'"))


def test_statements_on_measured_speed_are_judged(con):
    sql = "SELECT verdict FROM guide_claim WHERE claim_id = ?"
    assert [value(con, sql, claim) for claim in ("a04", "a05", "a08")] == ["fails", "holds", "fails"]


def test_conflicts_between_authors(con):
    sql = """SELECT raw_gpu_name, avoided_as FROM guide_conflict
        WHERE recommended_by LIKE 'Lambda%' AND avoided_by LIKE '%(2019)' ORDER BY raw_gpu_name"""
    assert con.execute(sql).fetchall() == [
        ("Quadro RTX 6000", "any Quadro"),
        ("Quadro RTX 8000", "any Quadro"),
        ("Titan RTX", "Titan RTX"),
    ]
    alone = "SELECT count(*) FROM guide_conflict WHERE split_part(recommended_by, ' (', 1) = split_part(avoided_by, ' (', 1)"
    assert value(con, alone) == 0


@pytest.mark.parametrize(("x", "decimals"), [(1.5, 1), (0.0039, 4), (10, 0), (2225, 0), (-0.103, 2), (0, 0)])
def test_decimals_for_two_digits(functions, x, decimals):
    assert value(functions, "SELECT decimals_for_two_digits(?)", x) == decimals


def test_a_recomputed_figure_is_shown_no_coarser_than_two_digits_and_than_it_is_compared(con):
    sql = """SELECT count(*), count(*) FILTER (abs(recomputed_shown - recomputed) <= 0.05001 * abs(recomputed)),
            count(*) FILTER (abs(recomputed_shown - recomputed) > abs(recomputed_rounded - recomputed) + 1e-9)
        FROM audit WHERE recomputed IS NOT NULL"""
    n, close, coarser = con.execute(sql).fetchone()
    assert (n > 200, close, coarser) == (True, n, 0)
