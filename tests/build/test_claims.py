"""Statements of the guides on the built database: verdicts, sources of their inputs, agreement with other tables."""

import pytest

VERDICTS = {
    "w05": "holds", "c08": "holds", "c10": "mixed", "c11": "holds", "c12": "fails", "c13": "fails",
    "p20": "fails", "p23": "fails", "p24": "holds", "p25": "holds", "p26": "fails", "d19": "fails",
    "d20": "fails", "d21": "fails", "d22": "holds", "d23": "holds", "d24": "mixed", "d25": "fails",
    "d44": "mixed", "d47": "fails", "d48": "fails", "d49": "fails", "d51": "holds", "a09": "fails",
}  # fmt: skip


@pytest.mark.parametrize(("claim_id", "verdict"), VERDICTS.items())
def test_verdicts_of_formulas_and_forecasts(con, claim_id, verdict):
    assert con.execute("SELECT verdict FROM guide_claim WHERE claim_id = ?", [claim_id]).fetchall() == [(verdict,)]


def test_many_statements_have_arithmetic_and_a_verdict(con):
    sql = "SELECT count(*) FROM guide_claim WHERE arithmetic IS NOT NULL AND verdict <> 'unchecked'"
    assert con.execute(sql).fetchone()[0] >= 140


def test_every_statement_has_its_place_and_the_formulas_their_inputs(con):
    assert con.execute("SELECT count(*) FROM guide_claim WHERE place IS NULL").fetchone() == (0,)
    bare = "SELECT claim_id, name FROM claim_input WHERE reference IS NULL AND origin IS NULL"
    assert con.execute(bare).fetchall() == []
    assert con.execute("SELECT claim_id FROM claim_part ANTI JOIN guide_claim USING (claim_id)").fetchall() == []


def test_statements_agree_with_the_audit_where_both_speak(con):
    """The launch price of 6,800 USD and the 2,270 USD of the desktop are figures of the audit as well, both compared in tens."""
    sql = "SELECT agrees FROM audit WHERE figure_id IN (?, ?)"
    names = ["pro-vs-consumer-2023/RTX 6000 Ada/launch_msrp_usd", "dettmers-2020/desktop at break-even/desktop_cost_usd"]
    assert con.execute(sql, names).fetchall() == [(True,), (True,)]
    parts = "SELECT holds FROM claim_part WHERE (claim_id, part) IN (('c21', 1), ('d42', 2))"
    assert con.execute(parts).fetchall() == [(True,), (True,)]


def test_contradictions_within_a_guide(con):
    found = dict(con.execute("SELECT raw_gpu_name, avoided_as FROM guide_contradiction").fetchall())
    assert "any Tesla card" in found["A100"]
    assert found["Titan RTX"] == "Titan RTX"


def test_a_statement_on_predicted_speeds_says_so(con):
    """No RTX 2060 and no RTX 2070 was timed."""
    found = dict(
        con.execute("SELECT claim_id, predicted FROM guide_claim WHERE claim_id IN ('w05', 'w06', 'c08', 'd33')").fetchall()
    )
    assert found["w05"] == "NVIDIA GeForce RTX 2060 6 GB, NVIDIA GeForce RTX 2070, NVIDIA GeForce RTX 2080"
    assert found["w06"] == "NVIDIA GeForce RTX 2060 6 GB"
    assert "RTX 2070" in found["c08"]
    assert found["d33"] is None


def test_a_rounded_figure_is_compared_as_it_is_printed(con):
    verdicts = dict(con.execute("SELECT claim_id, verdict FROM guide_claim WHERE claim_id IN ('c21', 'd42')").fetchall())
    assert verdicts == {"c21": "holds", "d42": "holds"}
