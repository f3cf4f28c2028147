"""llm_cost: prices of tokens follow from measured speed and listed prices, by machine and by GPU."""

import itertools
import statistics

import pytest

from pipeline.recommend import language_model
from pipeline.recommend.other_billing import BILLINGS
from pipeline.tables.lineage import sources_of

CHAT = "llm_model_id = 'llama-3.1-8b' AND use = 'chat'"


def by_machine(con):
    """USD per million output tokens of Llama 3.1 8B in chat on machines, straight from measurements and prices."""
    return con.execute("""
        WITH run AS (
            SELECT provider_id, instance_type, arg_min(tokens_per_s, abs(ln(concurrency / 64))) AS tokens_per_s
            FROM llm_measurement
            WHERE source_id = 'sparecores-vllm' AND llm_model_id = 'llama-3.1-8b' AND flags IS NULL
                AND prompt_tokens = 256 AND output_tokens = 128 AND concurrency BETWEEN 64 / 1.42 AND 64 * 1.42
            GROUP BY ALL
        )
        SELECT r.provider_id, r.instance_type, min(p.usd_per_gpu_hour * p.gpu_count) * 1e6 / 3600 / any_value(r.tokens_per_s)
        FROM run AS r
        JOIN price_latest AS p ON p.provider = r.provider_id AND lower(p.instance_type) = lower(r.instance_type)
        WHERE p.kind = 'cloud_rental' AND p.billing = 'on_demand' AND NOT p.stale AND p.os IS DISTINCT FROM 'windows'
            AND p.partition = 'whole' AND p.flags IS NULL
        GROUP BY ALL""").fetchall()


def by_gpu(con):
    """The same by GPU, at the cheapest listing of each."""
    return con.execute("""
        WITH run AS (
            SELECT gpu_id, gpu_count, instance_type, arg_min(tokens_per_s, abs(ln(concurrency / 64))) AS tokens_per_s
            FROM llm_measurement
            WHERE source_id = 'sparecores-vllm' AND llm_model_id = 'llama-3.1-8b' AND flags IS NULL AND gpu_count = 1
                AND prompt_tokens = 256 AND output_tokens = 128 AND concurrency BETWEEN 64 / 1.42 AND 64 * 1.42
            GROUP BY ALL
        )
        SELECT gpu_id, median(tokens_per_s), any_value(low.usd) * 1e6 / 3600 / median(tokens_per_s)
        FROM run
        JOIN (
            SELECT gpu_id, min(usd) AS usd FROM offer_current
            WHERE acquisition = 'rent' AND billing = 'on_demand' AND commitment_months IS NULL AND NOT stale
                AND coalesce(min_gpus, 1) = 1
            GROUP BY gpu_id
        ) AS low USING (gpu_id)
        GROUP BY gpu_id""").fetchall()


def test_chat_on_a_machine_costs_its_own_price(con):
    expected = by_machine(con)
    assert len(expected) >= 6
    for provider, machine, usd in expected:
        found = con.execute(
            f"""SELECT usd_per_million_output_tokens FROM llm_cost
            WHERE {CHAT} AND priced_by = 'machine' AND billing = 'on_demand' AND NOT price_stale AND provider = ?
                AND machine_key(instance_type) = machine_key(?)""",
            [provider, machine],
        ).fetchall()
        assert found == [(pytest.approx(usd, rel=0.02),)], machine


def test_chat_by_gpu_costs_the_cheapest_seller(con):
    expected = by_gpu(con)
    assert len(expected) >= 5
    for gpu_id, tokens_per_s, usd in expected:
        ((speed, found, seller, date),) = con.execute(
            f"""SELECT tokens_per_s, usd_per_million_output_tokens, provider, price_date FROM llm_cost
            WHERE {CHAT} AND basis = 'measured' AND priced_by = 'gpu' AND billing = 'on_demand'
                AND gpu_count = 1 AND gpu_id = ?""",
            [gpu_id],
        ).fetchall()
        assert (speed, found) == (pytest.approx(tokens_per_s), pytest.approx(usd, rel=0.02)), gpu_id
        assert seller
        assert date


def test_every_cost_has_its_speed_and_price(con):
    count = "SELECT count(*) FROM llm_cost AS c"
    assert con.execute(f"{count} WHERE NOT (usd_per_million_output_tokens > 0)").fetchone() == (0,)
    assert con.execute(f"{count} ANTI JOIN llm_measurement USING (measurement_id) WHERE basis = 'measured'").fetchone() == (0,)
    assert con.execute(f"{count} ANTI JOIN price USING (observation_id) WHERE billing <> 'owned'").fetchone() == (0,)
    shares = "JOIN llm_measurement AS m USING (measurement_id) WHERE NOT m.in_aggregates"
    assert con.execute(f"{count} {shares}").fetchone() == (0,)


def test_predictions_have_an_interval_and_leave_measured_speeds_alone(con):
    predicted = "FROM llm_cost AS p WHERE basis = 'predicted'"
    assert con.execute(f"SELECT count(DISTINCT gpu_id) > 40, count(DISTINCT llm_model_id) > 10 {predicted}").fetchone() == (
        True,
        True,
    )
    outside = "NOT coalesce(tokens_per_s_low < tokens_per_s AND tokens_per_s < tokens_per_s_high, false)"
    assert con.execute(f"SELECT count(*) {predicted} AND {outside}").fetchone() == (0,)
    both = con.execute(f"""SELECT count(*) {predicted} AND EXISTS (
        FROM llm_cost AS m WHERE basis = 'measured' AND priced_by = 'gpu'
            AND (m.llm_model_id, m.use, m.gpu_id, m.gpu_count, m.replicas, m.quantization, m.engine)
            = (p.llm_model_id, p.use, p.gpu_id, p.gpu_count, p.replicas, p.quantization, p.engine))""").fetchone()
    assert both == (0,)


def test_tokens_of_a_request_cost_what_the_request_costs(con):
    wrong = con.execute("""SELECT count(*) FROM llm_cost
        WHERE abs(usd_per_request - usd_per_million_output_tokens * output_tokens / 1e6) > 1e-9 * usd_per_request
            OR abs(usd_per_request - usd_per_million_input_tokens * prompt_tokens / 1e6) > 1e-9 * usd_per_request""").fetchone()
    assert wrong == (0,)


def test_h100_against_mi300x_as_measured(con):
    row = con.execute("""SELECT n_settings, n_models, speed_ratio, cost_ratio FROM llm_gpu_pair
        WHERE gpu_model_a = 'amd-instinct-mi300x' AND gpu_model_b = 'nvidia-h100' AND phase = 'serving'""").fetchone()
    settings, models, speed, cost = row
    assert settings >= 100
    assert models >= 5
    assert speed < 0.7  # the H100 is faster on the same settings
    assert cost > 1  # and a token on it is cheaper


def test_tuning_costs_what_its_arithmetic_takes(con):
    """Llama 3.1 8B by QLoRA: (4 + 2) x 8.0303e9 x 1e7 operations at the GPU's share of its peak, at the price of the row."""
    rows = con.execute("""SELECT c.gpu_id, c.hours, c.usd_per_job, c.usd_per_hour, e.efficiency * e.peak_tflops
        FROM llm_tuning_cost AS c JOIN llm_training_efficiency AS e USING (gpu_id)
        WHERE llm_model_id = 'llama-3.1-8b' AND tune = 'qlora' AND gpu_count = 1""").fetchall()
    assert len(rows) >= 30
    for gpu_id, hours, usd, usd_per_hour, reached_tflops in rows:
        assert hours == pytest.approx(6 * 8.0303e9 * 1e7 / (reached_tflops * 1e12) / 3600), gpu_id
        assert usd == (None if usd_per_hour is None else pytest.approx(hours * usd_per_hour)), gpu_id


def test_measured_fine_tunes_are_in_the_range_of_a_prediction_that_never_saw_them(con):
    found = con.execute("""
        SELECT c.gpu_count, r.recomputes_activations, m.n_active_parameters, e.efficiency, e.peak_tflops,
            c.predicted_tokens_per_s_per_gpu, c.measured_over_predicted, c.is_in_range
        FROM llm_tuning_check AS c JOIN llm_tuning_run AS r USING (row_id) JOIN llm_model AS m ON m.llm_model_id = c.llm_model_id
        JOIN llm_training_efficiency AS e ON e.gpu_id = c.gpu_id
        WHERE r.tune = 'lora'""").fetchall()
    kept = con.execute("""SELECT efficiency FROM scaling_efficiency
        WHERE (interconnect, gpu_count, family, precision) = ('nvlink', 8, 'transformer', 'fp16')""").fetchall()[0][0]
    assert len(found) == 4
    for gpus, again, parameters, share, peak, predicted, ratio, is_in_range in found:
        at_peak = peak * 1e12 * (kept if gpus == 8 else 1) / ((6 if again else 4) * parameters)
        assert predicted == pytest.approx(share * at_peak)
        assert is_in_range
        assert 0.9 < ratio < 1.2
    assert "nemo-automodel" not in sources_of("llm_tuning_cost")


def test_fine_tunes_of_mixtures_of_experts_are_uncertain(con):
    """No training of one is behind the share of the peak: NVIDIA's three runs reach 0.71 to 1.09 of the prediction."""
    checked = con.execute("""SELECT llm_model_id, measured_over_predicted, is_in_range, predicted_low, predicted_high
        FROM llm_tuning_check JOIN llm_model USING (llm_model_id) WHERE n_experts IS NOT NULL ORDER BY 1""").fetchall()
    assert [model for model, *_ in checked] == ["gpt-oss-20b", "nemotron-3-nano-30b-a3b", "qwen3-30b-a3b"]
    assert all(0.7 < ratio < 1.2 and is_in_range for _, ratio, is_in_range, *_ in checked)
    assert all(high / low > 3 for *_, low, high in checked)
    rankable = con.execute("""SELECT m.n_experts IS NOT NULL AS has_experts,
            count(*) FILTER (is_rankable(efficiency_basis, hours_low, hours_high)), count(*)
        FROM llm_tuning_cost JOIN llm_model AS m USING (llm_model_id) GROUP BY ALL ORDER BY ALL""").fetchall()
    (_, dense, _), (_, experts, all_experts) = rankable
    assert dense > 1000
    assert (experts, all_experts > 1000) == (0, True)


def test_predicted_tuning_follows_the_measured_training(con):
    """Before Ampere, a predicted GPU with a higher index is faster. From Ampere on, one with more bandwidth for its arithmetic
    reaches no lower share of it.
    """
    for trained, order, reached, least in (
        ("bert", "index", "efficiency * peak_tflops", 50),
        ("llm", "memory_bandwidth_gb_per_s / peak_tflops", "efficiency", 2000),
    ):
        compared, inverted = con.execute(f"""
            WITH speed AS (
                SELECT {reached} AS reached, {order} AS place
                FROM llm_training_efficiency AS e
                JOIN gpu AS g USING (gpu_id)
                LEFT JOIN performance_index AS i ON i.gpu_id = g.gpu_id AND i.family = 'transformer' AND i.precision = 'fp16'
                WHERE e.basis = 'predicted' AND trained = '{trained}'
            )
            SELECT count(*), count(*) FILTER (a.reached < b.reached * (1 - 1e-9))
            FROM speed AS a JOIN speed AS b ON a.place > b.place
        """).fetchone()
        assert compared > least, trained
        assert inverted == 0, trained
    hours = dict(
        con.execute("SELECT gpu_id, hours FROM llm_tuning_cost WHERE llm_model_id = 'llama-3.1-8b' AND tune = 'qlora'").fetchall()
    )
    assert hours["nvidia-geforce-rtx-5090-32gb"] < hours["nvidia-geforce-rtx-4090-24gb"]
    assert hours["nvidia-h200-sxm-141gb"] < hours["nvidia-h100-sxm5-80gb"]
    assert hours["nvidia-l40s-48gb"] < hours["nvidia-l40-48gb"]


def test_no_ranked_language_model_has_a_wide_prediction(con):
    wide = "basis = 'predicted' AND tokens_per_s_high > 2 * tokens_per_s_low"
    assert con.execute(f"SELECT count(*) FILTER ({wide}) > 0 FROM llm_cost WHERE priced_by = 'gpu'").fetchone() == (True,)
    ranked = f"count(rank) > 500, count(rank) FILTER ({wide}), count(*) FILTER (rank IS NULL AND NOT ({wide}))"
    assert con.execute(f"SELECT {ranked}, count(*) FILTER ({wide}) > 500 FROM llm_rank").fetchone() == (True, 0, 0, True)


def test_no_rank_is_of_a_choice_that_another_number_of_gpus_surely_undercuts(con):
    """H200 SXM, Llama 3.1 8B, retrieval: eight GPUs, measured, cost 3.4 times as much as one with a predicted speed."""
    undercut = con.execute("""
        SELECT r.llm_model_id, r.use, r.gpu_id, r.gpu_count, c.gpu_count
        FROM llm_rank AS r
        JOIN llm_cost AS c
            ON (c.llm_model_id, c.use, c.gpu_id) = (r.llm_model_id, r.use, r.gpu_id)
            AND replace(c.quantization, 'fp16', 'bf16') = r.quantization
        WHERE r.rank IS NOT NULL AND c.priced_by = 'gpu' AND c.billing = 'on_demand' AND NOT c.price_stale
            AND c.tokens_per_s_low IS NOT NULL AND c.replicas <= r.replicas
            AND c.usd_per_million_output_tokens_high < 0.999 * r.usd_per_million_output_tokens""").fetchall()
    assert undercut == []


def test_the_range_of_a_single_run_is_the_spread_of_repeated_ones(con):
    """Decode, straight from the measurements: 90% of pairs of machines are within the factor."""
    runs = con.execute("""
        SELECT llm_model_id, gpu_id, gpu_count, output_tokens, prompt_tokens, instance_type, median(tokens_per_s)
        FROM llm_measurement
        WHERE phase = 'decode' AND in_aggregates AND llm_model_id IN ('llama-7b', 'phi-4', 'llama-3.3-70b')
        GROUP BY ALL""").fetchall()
    by_configuration = {}
    for *key, machine, speed in runs:
        by_configuration.setdefault(tuple(key), {})[machine] = speed
    ((factor, n),) = con.execute(
        "SELECT factor_90, n_configurations FROM llm_repeat WHERE phase = 'decode' AND size_class = 'from_3_gb'"
    ).fetchall()
    repeated = [list(speeds.values()) for speeds in by_configuration.values() if len(speeds) > 1]
    assert len(repeated) == n
    inside = [
        sum(max(a, b) <= factor * min(a, b) for a, b in pairs) / len(pairs)
        for pairs in (list(itertools.combinations(speeds, 2)) for speeds in repeated)
    ]
    assert 0.9 <= sum(inside) / len(inside) <= 0.93
    single = """SELECT count(*), count(*) FILTER (abs(tokens_per_s_high / tokens_per_s - 1) < 1e-9),
            count(*) FILTER (tokens_per_s_low IS NULL)
        FROM llm_cost WHERE n_measurements = 1"""
    assert con.execute(single).fetchone()[1:] == (0, 0)


def test_copies_of_a_model_share_a_machine(con):
    """Speed, requests and price of several copies are a multiple, so that a node costs as much per token as its GPUs."""
    copies = con.execute("""
        SELECT count(*), max(abs(a.tokens_per_s / b.tokens_per_s / a.replicas - 1)),
            max(abs(a.concurrency / b.concurrency / a.replicas - 1))
        FROM llm_cost AS a
        JOIN llm_cost AS b USING (llm_model_id, use, quantization, engine, gpu_id, priced_by, basis, n_measurements)
        WHERE priced_by = 'system' AND use = 'chat' AND b.replicas = 1 AND a.replicas > 1
            AND a.gpu_count = b.gpu_count * a.replicas
    """).fetchone()
    assert copies[0] > 500
    assert max(copies[1:]) < 1e-9
    ((least, most),) = con.execute("""
        SELECT min(a.usd_per_request / b.usd_per_request), max(a.usd_per_request / b.usd_per_request)
        FROM llm_cost AS a JOIN llm_cost AS b USING (llm_model_id, use, gpu_id, priced_by, basis, billing, engine, provider)
        WHERE use = 'single' AND llm_model_id = 'llama-7b' AND basis = 'measured' AND gpu_id = 'nvidia-l4-24gb'
            AND priced_by = 'gpu' AND billing = 'on_demand' AND a.gpu_count > b.gpu_count""").fetchall()
    assert 0.9 < least <= most < 1.1


def test_tuning_needs_the_memory(con):
    full = "FROM llm_tuning_cost WHERE llm_model_id = 'llama-3.1-8b' AND tune = 'full'"
    assert con.execute(f"SELECT count(*) {full} AND gpu_count = 1 AND gpu_id = 'nvidia-h100-sxm5-80gb'").fetchone() == (0,)
    assert con.execute(f"SELECT gpu_count {full} AND gpu_id = 'nvidia-h100-sxm5-80gb'").fetchone() == (2,)
    too_large = "gpu_gb > llm_visible_gb(driver_memory_gb, memory_gb)"
    assert con.execute(f"SELECT count(*) FROM llm_tuning_cost JOIN gpu USING (gpu_id) WHERE {too_large}").fetchone() == (0,)


def test_measured_training_efficiency_is_plausible(con):
    shares = dict(con.execute("SELECT gpu_id, efficiency FROM llm_training_efficiency WHERE basis = 'measured'").fetchall())
    counted = con.execute("SELECT trained, basis, count(*) FROM llm_training_efficiency GROUP BY ALL ORDER BY ALL").fetchall()
    assert counted == [("bert", "measured", 10), ("bert", "predicted", 14), ("llm", "measured", 3), ("llm", "predicted", 80)]
    assert all(0.1 < share < 0.6 for share in shares.values())
    # BERT base and large of a suite, computed apart from the table
    assert shares["nvidia-tesla-v100-pcie-32gb"] == pytest.approx(0.302, abs=0.001)
    # tokens per second of 1, 7, 13 and 30 billion parameters on eight H100, which compute the activations of the last again
    runs = [(6, 1.315950592e9, 363645), (6, 6.658859008e9, 85144), (6, 12.853954560e9, 38336), (8, 29.975214080e9, 16022)]
    kept = con.execute("""SELECT efficiency FROM scaling_efficiency
        WHERE (interconnect, family, precision, gpu_count) = ('nvlink', 'transformer', 'fp16', 8)""").fetchall()[0][0]
    reached = statistics.median(flop * parameters * tokens / 8 / 989.4e12 for flop, parameters, tokens in runs)
    assert shares["nvidia-h100-sxm5-80gb"] == pytest.approx(reached / kept)
    vendors = con.execute("SELECT DISTINCT vendor FROM llm_training_efficiency JOIN gpu USING (gpu_id)").fetchall()
    assert vendors == [("NVIDIA",)]


def test_speed_and_cost_agree_on_what_was_measured(con):
    compared, differing = con.execute("""
        SELECT count(*), count(*) FILTER (abs(c.tokens_per_s / s.tokens_per_s - 1) > 1e-9)
        FROM llm_speed AS s
        JOIN llm_cost AS c USING (llm_model_id, use, gpu_id, gpu_count, engine, prompt_tokens, output_tokens)
        WHERE s.phase = 'serving' AND s.basis = 'measured' AND c.basis = 'measured' AND c.priced_by = 'gpu'
            AND replace(c.quantization, 'fp16', 'bf16') = s.quantization""").fetchone()
    assert compared >= 20
    assert differing == 0


def test_several_gh200_are_no_machine_and_several_gb200_are(con):
    """An offer of one GH200 is a machine with one; GB200 and GB300 share NVLink across the machines of a rack."""
    several = (
        "SELECT DISTINCT gpu_id FROM {} JOIN gpu USING (gpu_id) WHERE form_factor = 'Superchip' AND gpu_count > 1 ORDER BY 1"
    )
    racks = [("nvidia-gb200-186gb",), ("nvidia-gb300-288gb",)]
    assert con.execute(several.format("llm_cost")).fetchall() == racks
    assert con.execute(several.format("llm_speed")).fetchall() == racks[:1]  # no speed of a GB300 is predicted
    linked = "SELECT gpu_id FROM gpu_interconnect JOIN gpu USING (gpu_id) WHERE form_factor = 'Superchip' ORDER BY 1"
    assert con.execute(linked).fetchall() == racks
    offered = {place for place in language_model.read_offers(con, ("on_demand", *BILLINGS)) if "gh200" in place[0]}
    assert offered == {("nvidia-gh200-96gb", 1)}
