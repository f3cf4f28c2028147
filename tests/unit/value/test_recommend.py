"""The rules of recommend on made-up GPUs and offers, and the same rules behind the published tables."""

import datetime as dt
import re
from dataclasses import astuple, fields

import duckdb
import pytest

from pipeline.recommend import workload as rules
from pipeline.recommend.workload import Question
from pipeline.website.components.recommend.left_out import left_out
from tests.unit.value.value_rows import add, compute, empty_tables, gpu, machines, speed

OFFERS = """CREATE TABLE offer_current (observation_id VARCHAR, acquisition VARCHAR, gpu_id VARCHAR, least_gpu_id VARCHAR,
    provider VARCHAR, kind VARCHAR, billing VARCHAR, commitment_months BIGINT,
    min_gpus BIGINT, usd DOUBLE, price_date DATE, stale BOOLEAN,
    in_purchase_range BOOLEAN,
    preference BIGINT, price_rank BIGINT)"""
COLUMNS = ", ".join(field.name for field in fields(rules.RankedGpu))
JOB = "resnet50-imagenet-90-epochs"
TODAY = dt.date(2026, 8, 20)


def rental(con, gpu_id, usd, **terms):
    (number,) = con.execute("SELECT count(*) FROM offer_current").fetchone()
    row = {
        "acquisition": "rent",
        "provider": "Acme",
        "kind": "cloud_rental",
        "billing": "on_demand",
        "price_date": TODAY,
        "stale": False,
    }
    add(
        con,
        "offer_current",
        observation_id=f"{number:03}",
        usd=usd,
        **({"gpu_id": gpu_id, "least_gpu_id": gpu_id} | row | {"preference": 1, "price_rank": number} | terms),
    )


def purchase(con, gpu_id, usd, **terms):
    rental(con, gpu_id, usd, **({"acquisition": "buy", "kind": "purchase_new", "billing": None} | terms))


@pytest.fixture
def shop():
    """GPUs slow (1 h, 1 USD/h), good (half the time, 1.5), fast (a quarter, 8) and beaten (as slow as slow, 2)."""
    con = duckdb.connect()
    empty_tables(con)
    con.execute(OFFERS)
    con.execute("CREATE TABLE assumption AS FROM (VALUES ('host_w', 100.0), ('gpus_per_host_w', 4.0)) AS t(assumption_id, value)")
    machines(con)
    for gpu_id, index, usd in (("slow", 1.0, 1.0), ("good", 2.0, 1.5), ("fast", 4.0, 8.0), ("beaten", 1.0, 2.0)):
        gpu(con, gpu_id)
        speed(con, gpu_id, index, index / 1.25, index * 1.25)
        rental(con, gpu_id, usd)
        purchase(con, gpu_id, 1000 * usd)
    compute(con, "gpu_interconnect", "workload_time", "workload_memory")
    yield con
    con.close()


def places(con, **limits):
    return [c.gpu_id for c in rules.answer(con, Question(workload="all", **limits)) if c.rank]


def missed(con, gpu_id, **limits):
    """Why a GPU is left out; None where it is not."""
    (found,) = (c for c in rules.answer(con, Question(workload="all", **limits)) if c.gpu_id == gpu_id)
    return None if found.rank else found.reason


def test_cost_time_and_front_by_hand(shop):
    found = {c.gpu_id: c for c in rules.answer(shop, Question(workload="all"))}
    assert {name: (c.seconds, c.cost_usd, c.is_pareto_optimal) for name, c in found.items()} == {
        "slow": (3600, 1.0, False),  # good is faster and cheaper
        "good": (1800, 0.75, True),
        "fast": (900, 2.0, True),
        "beaten": (3600, 2.0, False),
    }
    assert (found["good"].seconds_low, found["good"].seconds_high) == pytest.approx((1440, 2250))
    assert (found["good"].cost_usd_low, found["good"].cost_usd_high) == pytest.approx((0.6, 0.9375))
    assert found["good"].reason == "the cheapest; takes 2.00 times as long as the fastest"
    assert found["fast"].reason == "the fastest; 2.67 times the cost of the cheapest"
    assert found["slow"].reason.startswith("another GPU is faster and cheaper")


def test_a_purchase_that_is_slower_and_dearer_for_the_same_work_is_no_trade_off(shop):
    found = {c.gpu_id: c for c in rules.answer(shop, Question(workload="all", acquisition="buy", hours=1200.0))}
    assert found["good"].is_pareto_optimal
    assert not found["slow"].is_pareto_optimal, "it costs less, but not for the same work"
    assert found["slow"].reason.startswith("another GPU is faster and cheaper; takes ")


def test_each_objective_ranks_by_its_own(shop):
    shop.execute("UPDATE gpu SET memory_gb = 80 WHERE gpu_id = 'slow'")
    assert places(shop) == ["good", "slow", "fast", "beaten"]
    assert places(shop, objective="fastest")[0] == "fast"
    assert places(shop, objective="fastest", budget_usd=2.0)[0] == "good"
    assert places(shop, objective="memory")[0] == "slow"
    bought = rules.answer(shop, Question(workload="all", acquisition="buy"))
    assert [(c.gpu_id, c.cost_usd, c.system_usd) for c in bought][:2] == [("good", 1500.0, 2200.0), ("slow", 1000.0, 1700.0)]


def test_memory_for_the_money_goes_by_the_price_of_a_gb(shop):
    shop.execute("UPDATE gpu SET memory_gb = 80 WHERE gpu_id = 'beaten'")
    found = rules.answer(shop, Question(workload="all", objective="memory_per_usd"))
    assert [c.gpu_id for c in found] == ["beaten", "slow", "good", "fast"]  # 40, 24, 16 and 3 GB for a dollar an hour
    assert found[0].reason.startswith("40 GB for 1 USD an hour; another GPU is faster and cheaper")


def test_electricity_of_the_hours_is_part_of_a_bought_machine(shop):
    terms = {"acquisition": "buy", "hours": 10_000, "usd_per_kwh": 0.5}
    shop.execute("UPDATE gpu SET tdp_w = 1900 WHERE gpu_id = 'good'")
    found = {c.gpu_id: c for c in rules.answer(shop, Question(workload="all", **terms))}
    assert {name: c.electricity_usd for name, c in found.items()} == {"good": 10_000, "slow": 2000, "fast": 2000, "beaten": 2000}
    assert [c.gpu_id for c in found.values()] == ["fast", "slow", "beaten", "good"]  # (8700 + 2000) / 4 < 3700 < 4700 < 12200 / 2
    assert "electricity $10000.00 in 10000 h" in found["good"].reason
    assert places(shop, acquisition="buy")[0] == "good"
    shop.execute("UPDATE gpu SET tdp_w = NULL WHERE gpu_id = 'fast'")
    assert missed(shop, "fast", **terms) == "its electricity is not known: no power limit is stated"
    assert missed(shop, "fast", acquisition="buy") is None


def test_electricity_without_hours_is_that_of_one_run(shop):
    shop.execute("UPDATE gpu SET tdp_w = 1900 WHERE gpu_id = 'good'")  # 2 kW with the machine
    shop.execute("UPDATE workload_time SET seconds = 50 * seconds")
    found = {c.gpu_id: c for c in rules.answer(shop, Question(workload="all", acquisition="buy", hours=None, usd_per_kwh=0.5))}
    assert (found["good"].seconds / 3600, found["good"].electricity_usd) == (25, 25.0)
    assert "electricity $25.00 in 25 h" in found["good"].reason
    assert found["slow"].electricity_usd == 10.0  # 0.4 kW, 50 h


def test_several_gpus_that_are_one_to_a_machine_are_left_out(shop):
    shop.execute("UPDATE gpu SET form_factor = 'Superchip', architecture = 'Hopper' WHERE gpu_id = 'fast'")
    assert missed(shop, "fast") is None
    assert missed(shop, "fast", gpus=2) == "a machine has only one of it"
    shop.execute("UPDATE gpu SET architecture = 'Blackwell' WHERE gpu_id = 'fast'")  # machines of a rack share NVLink
    assert missed(shop, "fast", gpus=2) != "a machine has only one of it"


def test_each_limit_leaves_out_with_its_reason(shop):
    shop.execute(
        "UPDATE gpu SET segment = 'consumer', tdp_w = 450, slot_width = 3, min_cuda_version = '11.8' WHERE gpu_id = 'good'"
    )
    shop.execute(
        "UPDATE gpu SET vendor = 'AMD', min_cuda_version = NULL, form_factor = 'SXM4', slot_width = NULL WHERE gpu_id = 'fast'"
    )
    assert missed(shop, "slow", min_memory_gb=40) == "24 GB of memory, 40 GB asked for"
    assert "driver licence" in missed(shop, "good", data_centre=True)
    shop.execute("UPDATE gpu SET vendor = 'AMD', segment = 'consumer' WHERE gpu_id = 'slow'")
    assert missed(shop, "slow", data_centre=True) is None, "the licence is NVIDIA's"
    assert missed(shop, "fast", vendor="nvidia") == "made by AMD, nvidia asked for"
    assert missed(shop, "good", min_cuda="11.2") == "needs CUDA 11.8, 11.2 at hand"
    assert missed(shop, "good", min_cuda="11.10") is None
    assert missed(shop, "fast", min_cuda="12.0") == "not known to support CUDA"
    shop.execute("UPDATE gpu SET max_cuda_version = '12.9' WHERE gpu_id = 'good'")
    assert missed(shop, "good", min_cuda="13.0") == "runs CUDA up to 12.9, 13.0 at hand"
    assert [missed(shop, "good", min_cuda=version) for version in ("12.9", "12.9.1", "12")] == [None, None, None]
    assert missed(shop, "good", max_slots=8, gpus=4, acquisition="buy") == "3 slots wide: 4 x it do not fit 8 slots"
    assert missed(shop, "slow", max_slots=8, gpus=4, acquisition="buy") is None
    assert missed(shop, "fast", max_slots=8) == "a module, which no slot takes"
    assert missed(shop, "good", max_watts=800, gpus=2, acquisition="buy") == "2 x 450 W = 900 W, above 800 W"
    assert missed(shop, "fast", budget_usd=10, hours=2) == "1 x 8.00 USD x 2 h = 16.00 USD, above the budget of 10.00 USD"
    assert (
        missed(shop, "slow", budget_usd=1500, gpus=2, acquisition="buy")
        == "2 x 1000.00 USD = 2000.00 USD, above the budget of 1500.00 USD"
    )
    assert missed(shop, "slow", billing="spot") == "no offer on these terms is for this GPU"
    assert missed(shop, "slow", provider="Nobody") == "no offer on these terms is for this GPU"


def test_terms_choose_the_offer(shop):
    rental(shop, "slow", 0.2, billing="spot")
    rental(shop, "slow", 0.5, min_gpus=8)
    cost = {b: rules.answer(shop, Question(workload="all", billing=b))[0].cost_usd for b in ("spot", "on_demand,spot")}
    assert cost == {"spot": 0.2, "on_demand,spot": 0.2}
    assert places(shop)[0] == "good"
    assert missed(shop, "slow", billing="spot", gpus=2) == "no offer on these terms states several GPUs"
    rental(shop, "slow", 0.3, billing="spot", min_gpus=1)
    assert rules.answer(shop, Question(workload="all", billing="spot", gpus=2))[0].price_usd == 0.3
    shop.execute("DELETE FROM offer_current WHERE gpu_id = 'slow' AND billing = 'spot' AND min_gpus = 1")
    shop.execute("DELETE FROM offer_current WHERE gpu_id = 'slow' AND min_gpus IS NULL")
    assert missed(shop, "slow") == "only rented as 8 GPUs or more"


def test_a_price_with_a_commitment_says_so(shop):
    rental(shop, "slow", 0.2, billing="reserved", commitment_months=12)
    (only,) = (c for c in rules.answer(shop, Question(workload="all", billing="reserved")) if c.rank)
    assert (only.commitment_months, only.reason) == (12, "the cheapest and the fastest; price with a commitment of 12 months")
    assert all("commitment" not in c.reason for c in rules.answer(shop, Question(workload="all")))


def test_the_answer_takes_the_commitment_that_pages_show(con):
    """The shortest one that a provider offers, and not the cheapest price with a commitment of years."""
    found = [c for c in rules.answer(con, Question(workload=JOB, billing="reserved")) if c.rank and c.commitment_months]
    assert len(found) > 1
    for choice in found:
        sql = """SELECT commitment, usd_per_gpu_hour_low FROM rental_market
            WHERE shortest_commitment AND gpus = 'any' AND billing = 'reserved' AND gpu_id = ?"""
        ((commitment, usd),) = con.execute(sql, [choice.gpu_id]).fetchall()
        assert commitment == f"{choice.commitment_months} months"
        assert choice.price_usd > usd * 0.999  # an offer that states no variant counts for the weakest alone


def test_old_rentals_count_only_where_there_is_nothing_else_and_if_asked(shop):
    old = {"stale": True, "price_date": dt.date(2022, 4, 1), "preference": 2}
    rental(shop, "slow", 0.01, **old)
    found = {c.gpu_id: c for c in rules.answer(shop, Question(workload="all"))}
    assert found["slow"].price_usd == 1.0
    shop.execute("DELETE FROM offer_current WHERE gpu_id = 'slow' AND acquisition = 'rent' AND NOT stale")
    for older in (False, True):
        assert missed(shop, "slow", older_prices=older) == "no current offer: its newest price is of 2022-04-01"
    shop.execute("DELETE FROM offer_current WHERE acquisition = 'rent' AND NOT stale")
    assert places(shop) == []
    assert missed(shop, "slow") == "no current offer: its newest price is of 2022-04-01"
    (only,) = (c for c in rules.answer(shop, Question(workload="all", older_prices=True)) if c.rank)
    assert (only.gpu_id, only.reason) == ("slow", "the cheapest and the fastest; price of 2022-04-01, not of today")


def test_old_and_launch_prices_rank_a_purchase_only_if_asked(shop):
    for gpu_id, kind in (("slow", "purchase_new"), ("fast", "msrp")):
        old = "UPDATE offer_current SET usd = 10, stale = true, price_date = DATE '2025-07-23', kind = ?"
        shop.execute(f"{old} WHERE acquisition = 'buy' AND gpu_id = ?", [kind, gpu_id])
    assert places(shop, acquisition="buy") == ["good", "beaten"]
    assert missed(shop, "slow", acquisition="buy") == "no purchase price of the past year: the newest is of 2025-07-23"
    assert missed(shop, "fast", acquisition="buy") == "no purchase price of the past year: the launch price is of 2025-07-23"
    asked = rules.answer(shop, Question(workload="all", acquisition="buy", older_prices=True))
    assert [c.gpu_id for c in asked] == ["fast", "slow", "good", "beaten"]
    assert asked[0].reason.endswith("launch price of 2025-07-23")
    assert asked[1].reason.endswith("price of 2025-07-23, not of today")


def test_a_ranking_by_older_prices_compares_prices_of_one_year(shop):
    shop.execute(
        "UPDATE offer_current SET in_purchase_range = gpu_id <> 'slow', price_date = DATE '2020-11-02' WHERE acquisition = 'buy'"
    )
    assert "slow" not in places(shop, acquisition="buy", older_prices=True)
    reason = "its newest price, of 2020-11-02, is outside the year that this ranking compares"
    assert missed(shop, "slow", acquisition="buy", older_prices=True) == reason


def test_an_offer_that_states_no_variant_counts_as_the_weakest_and_says_so(shop):
    rental(shop, None, 0.2, least_gpu_id="slow")
    found = {c.gpu_id: c for c in rules.answer(shop, Question(workload="all"))}
    assert found["slow"].price_usd == 0.2
    assert "the offer does not state the variant, so it counts as the weakest" in found["slow"].reason
    assert "variant" not in found["good"].reason


def test_several_gpus_work_at_their_efficiency(shop):
    found = {c.gpu_id: c for c in rules.answer(shop, Question(workload="all", gpus=4))}
    assert (found["slow"].seconds, found["slow"].cost_usd) == pytest.approx((3600 / 3.2, 4 / 3.2))
    shop.execute("DELETE FROM gpu_interconnect WHERE gpu_id = 'slow'")
    assert missed(shop, "slow", gpus=4) == "scaling to 4 GPUs was not measured on a similar GPU"
    assert missed(shop, "slow") is None
    shop.execute("UPDATE scaling_efficiency SET ci_low = 0.45, ci_high = 0.9 WHERE gpu_count = 4")
    assert missed(shop, "good", gpus=4) is None
    shop.execute("UPDATE scaling_efficiency SET ci_low = 0.44 WHERE gpu_count = 4")
    assert missed(shop, "good", gpus=4) == "scaling to 4 GPUs is too uncertain: 44% to 90% on similar GPUs"
    assert (missed(shop, "good", gpus=2), missed(shop, "good")) == (None, None)


def test_more_gpus_than_scaling_is_measured_for_have_no_rank(con):
    found = rules.answer(con, Question(workload="transformer", hours=None, gpus=rules.MOST_GPUS + 1))
    assert {choice.rank for choice in found} == {None}
    assert "scaling to 9 GPUs was not measured on a similar GPU" in {choice.reason for choice in found}


def test_the_most_gpus_are_those_of_the_measured_scaling(con):
    assert con.execute("SELECT max(gpu_count) FROM scaling_efficiency").fetchone() == (rules.MOST_GPUS,)


def test_predictions_say_so_and_need_an_interval(shop):
    shop.execute("UPDATE workload_time SET basis = 'predicted' WHERE gpu_id IN ('good', 'fast')")
    shop.execute("UPDATE workload_time SET seconds_low = NULL, seconds_high = NULL WHERE gpu_id = 'fast'")
    assert missed(shop, "fast") == "prediction too uncertain: no similar GPU was measured"
    (good,) = (c for c in rules.answer(shop, Question(workload="all")) if c.gpu_id == "good")
    assert (good.basis, good.reason) == ("predicted", "the cheapest and the fastest; speed predicted")
    shop.execute("DELETE FROM workload_time WHERE gpu_id = 'slow'")
    assert missed(shop, "slow") == "no speed or memory data for this workload"
    shop.execute("UPDATE workload_time SET kind = 'job'")
    shop.execute("UPDATE workload_memory SET ran_memory_gb = 96")
    assert re.fullmatch(r"\d+ GB of memory: measured only on GPUs with 96 GB or more", missed(shop, "slow"))


@pytest.mark.parametrize("objective", rules.OBJECTIVES)
def test_a_prediction_wider_than_a_factor_of_2_follows_without_a_place(shop, objective):
    shop.execute("UPDATE workload_time SET basis = 'predicted' WHERE gpu_id IN ('good', 'fast', 'slow')")
    shop.execute(
        "UPDATE workload_time SET seconds_low = 0.6 * seconds, seconds_high = 1.3 * seconds WHERE gpu_id IN ('fast', 'slow')"
    )
    shop.execute("UPDATE workload_time SET seconds_low = 0.8 * seconds, seconds_high = 1.6 * seconds WHERE gpu_id = 'good'")
    shop.execute("DELETE FROM offer_current WHERE gpu_id = 'beaten' AND acquisition = 'buy'")
    for acquisition in ("rent", "buy"):
        found = rules.answer(shop, Question(workload="all", acquisition=acquisition, objective=objective))
        ranked = [choice.gpu_id for choice in found if choice.rank]
        assert set(ranked) == ({"good", "beaten"} if acquisition == "rent" else {"good"})
        rest = found[len(ranked) :]
        assert [(choice.gpu_id, choice.unranked) for choice in rest[:2]] == [("fast", True), ("slow", True)]
        assert rest[0].reason == "prediction too uncertain for a rank: 9.0 to 19.5 minutes"
        assert not any(choice.unranked for choice in rest[2:])


def test_a_gpu_that_misses_a_limit_is_out_and_not_unranked(shop):
    shop.execute("UPDATE workload_time SET basis = 'predicted', seconds_low = seconds / 3 WHERE gpu_id = 'fast'")
    assert missed(shop, "fast", min_memory_gb=40) == "24 GB of memory, 40 GB asked for"
    assert not any(choice.unranked for choice in rules.answer(shop, Question(workload="all", min_memory_gb=40)))
    shop.execute("UPDATE offer_current SET stale = true WHERE gpu_id = 'fast'")
    assert missed(shop, "fast") == "no current offer: its newest price is of 2026-08-20"
    shop.execute("UPDATE offer_current SET stale = true")
    assert missed(shop, "fast", older_prices=True).startswith("prediction too uncertain for a rank: ")


@pytest.mark.parametrize(
    ("low_s", "text"),
    [
        (58, "58.0 to 145.0 seconds"),
        (60, "1.0 to 2.5 minutes"),
        (3500, "58.3 to 145.8 minutes"),
        (11_460, "3.2 to 8.0 hours"),
        (172_799, "48.0 to 120.0 hours"),
        (172_800, "2.0 to 5.0 days"),
    ],
)
def test_an_uncertain_time_is_in_a_unit_that_people_read(shop, low_s, text):
    sql = "UPDATE workload_time SET basis = 'predicted', seconds_low = ?, seconds_high = ? WHERE gpu_id = 'fast'"
    shop.execute(sql, [low_s, 2.5 * low_s])
    assert missed(shop, "fast") == f"prediction too uncertain for a rank: {text}"


def test_a_budget_of_many_hours_is_written_in_full(shop):
    assert (
        missed(shop, "slow", hours=20_000, budget_usd=10)
        == "1 x 1.00 USD x 20000 h = 20000.00 USD, above the budget of 10.00 USD"
    )


def test_uncertain_predictions_are_one_group_of_those_left_out(shop):
    shop.execute("UPDATE workload_time SET basis = 'predicted', seconds_low = seconds / 3 WHERE gpu_id IN ('fast', 'slow')")
    (group,) = left_out([c for c in rules.answer(shop, Question(workload="all")) if not c.rank])
    assert (group["reason"], group["count"]) == ("Prediction too uncertain for a rank", 2)
    assert all(gpu["reason"].endswith(("minutes", "hours")) for gpu in group["gpus"])


def test_sizes_of_memory_that_ran_out_are_one_group(shop):
    shop.execute("UPDATE workload_time SET status = 'oom', basis = 'predicted' WHERE gpu_id IN ('fast', 'slow')")
    shop.execute("UPDATE gpu SET memory_gb = 8 WHERE gpu_id = 'fast'")
    (group,) = left_out([c for c in rules.answer(shop, Question(workload="all")) if not c.rank])
    assert (group["reason"], group["count"]) == ("Not enough memory", 2)


@pytest.mark.parametrize("objective", rules.OBJECTIVES)
@pytest.mark.parametrize("gpu_id", ["slow", "good", "fast", "beaten"])
def test_a_cheaper_price_never_costs_a_place(shop, objective, gpu_id):
    before = places(shop, objective=objective).index(gpu_id)
    shop.execute("UPDATE offer_current SET usd = usd * 0.6 WHERE gpu_id = ?", [gpu_id])
    assert places(shop, objective=objective).index(gpu_id) <= before


def test_the_command_and_the_table_give_the_same_answers(con):
    names = [field.name for field in fields(Question)]
    rows = con.execute(f"SELECT scenario_id, {', '.join(names)} FROM scenario ORDER BY 1").fetchall()
    for scenario_id, *asked in rows[::9]:
        found = rules.answer(con, Question(**dict(zip(names, asked, strict=True))))
        sql = f"""SELECT {COLUMNS} FROM scenario_rank WHERE scenario_id = ?
            ORDER BY rank NULLS LAST, NOT unranked, CASE WHEN unranked THEN seconds END, gpu_id"""
        table = con.execute(sql, [scenario_id]).fetchall()
        assert [astuple(choice) for choice in found] == table


def test_first_choices_for_today_have_prices_of_today(con):
    sql = """SELECT count(*) FROM scenario_rank JOIN scenario USING (scenario_id) JOIN price USING (observation_id)
        WHERE rank IS NOT NULL AND acquisition = 'rent' AND price.stale"""
    assert con.execute(sql).fetchone() == (0,)


def test_no_choice_beats_one_on_the_front(con):
    # what is compared: the cost of a run, or what a bought machine costs for the same work
    con.execute("""CREATE OR REPLACE TEMP VIEW placed AS
        SELECT scenario_id, is_pareto_optimal, seconds, CASE WHEN acquisition = 'rent' THEN cost_usd
            ELSE (system_usd + coalesce(electricity_usd, 0)) * seconds END AS cost
        FROM scenario_rank JOIN scenario USING (scenario_id) WHERE rank IS NOT NULL""")
    sql = """SELECT count(*) FROM placed AS a JOIN placed AS b USING (scenario_id)
        WHERE a.is_pareto_optimal AND b.seconds <= a.seconds AND b.cost <= a.cost
            AND (b.seconds < a.seconds OR b.cost < a.cost)"""
    assert con.execute(sql).fetchone() == (0,)
    hidden = """SELECT count(*) FROM placed AS a WHERE NOT is_pareto_optimal AND NOT EXISTS (
        SELECT 1 FROM placed AS b WHERE b.scenario_id = a.scenario_id AND b.seconds <= a.seconds
            AND b.cost <= a.cost AND (b.seconds < a.seconds OR b.cost < a.cost))"""
    assert con.execute(hidden).fetchone() == (0,)


def test_every_gpu_of_every_question_has_a_reason(con):
    assert con.execute("SELECT count(*) FROM scenario_rank WHERE reason IS NULL OR reason = ''").fetchone() == (0,)
    sql = "SELECT (SELECT count(*) FROM gpu) * (SELECT count(*) FROM scenario) = (SELECT count(*) FROM scenario_rank)"
    assert con.execute(sql).fetchone() == (True,)


def test_every_advice_of_every_guide_is_compared_with_current_data(con):
    sql = """SELECT count(DISTINCT source_id), count(*) = (SELECT count(*) FROM (
            SELECT DISTINCT source_id, purpose, stance FROM guide_recommendation)), count(*) FILTER (scenario_id IS NULL)
        FROM recommendation"""
    guides, complete, unasked = con.execute(sql).fetchone()
    assert (guides, complete) == (5, True)
    assert unasked < 10


def test_agreement_follows_from_the_first_choice(con):
    sql = """SELECT r.source_id, r.scenario, today_gpu_id, list(a.gpu_id), any_value(agrees) FROM recommendation AS r
        JOIN guide_recommendation AS a ON a.source_id = r.source_id AND a.purpose = r.scenario AND a.stance = r.stance
        WHERE r.stance = 'recommended' AND agrees IS NOT NULL GROUP BY ALL HAVING count(a.gpu_class) = 0"""
    rows = con.execute(sql).fetchall()
    assert len(rows) > 40
    assert all(agrees == (today in said) for _, _, today, said, agrees in rows)
    assert {agrees for *_, agrees in rows} == {True, False}


def test_four_of_the_three_slot_card_do_not_fit_the_board(con):
    sql = "SELECT agrees, missed_limits FROM recommendation WHERE scenario = 'four cards in four double slots'"
    agrees, why = con.execute(sql).fetchone()
    assert agrees
    assert "3 slots wide: 4 x it do not fit 8 slots" in why
