"""llm_measurement: every row of the four sources accounted for, none counted twice, none beyond what its GPU allows."""

import pytest

ROWS = {  # rows of the file, rejected rows, repeats by the file's own marks, repeats that it does not mark
    "sparecores-llama-bench": (5161, 0, 0, 0),
    "sparecores-vllm": (908, 13, 0, 0),
    "aiconfigurator-silicon": (5221, 0, 1318, 0),
    "argonne-llm-inference-bench": (5307, 0, 57, 326),  # the 326 are printed again with the power or the kind of parallelism
}
LLAMA, VLLM, SILICON, ARGONNE = ROWS
BEYOND = "exceeds_peak,copies_unknown"
FOLLOWED = [  # read by hand in the stored file: GPU or model, language model, GPUs, concurrency, tokens/s, flags
    (LLAMA, 2, "nvidia-tesla-p100-pcie-16gb", "smollm-135m", 1, 1, 1756.154424, None),
    (LLAMA, 2264, "nvidia-rtx-pro-6000-blackwell-server-96gb", "llama-7b", 1, 1, 13086.103245, None),
    (LLAMA, 5000, "nvidia-a40-48gb", "phi-4", 1, 1, 843.170911, "partial_offload,gpu_share"),
    (VLLM, 2, "nvidia-a10g-24gb", "smollm2-135m", 1, 0.9989091, 542.4793, None),
    (VLLM, 400, "nvidia-h100-sxm5-80gb", "llama-3.1-8b", 2, 48.8078, 5877.061, None),
    (SILICON, 2, "nvidia-b300-sxm-288gb", "minimax-m2.5", 4, 128, 128 * 1024 / (0.972311 + 1023 * 0.03344291), None),
    (SILICON, 4500, "nvidia-h200-sxm-141gb", "deepseek-r1", None, 1, 1024 / (0.4142212 + 1023 * 0.008923121), "duplicate"),
    (SILICON, 1680, "nvidia-h200-sxm-141gb", "qwen3-235b-a22b", 1, 4, 4 * 100 / (0.82076 + 99 * 0.04376), "exceeds_memory"),
    (SILICON, 892, "nvidia-b200-sxm-180gb", "qwen3-32b", 2, 416, 416 * 500 / (0.7192757 + 499 * 0.01365622), BEYOND),
    (SILICON, 890, "nvidia-b200-sxm-180gb", "deepseek-v3.1", 8, 448, 448e3 / (0.4283828 + 999 * 0.02120944), None),
    (ARGONNE, 2, "nvidia-gh200", "mistral-7b", 1, 1, 371.9272 / 2, None),
    (ARGONNE, 3000, "amd-instinct-mi250-128gb", "llama-2-7b", 4, 16, 2395.02 / 2, None),
    (ARGONNE, 3473, "nvidia-gh200", "llama-7b", 1, 1, 86222.52 / 2, "exceeds_peak,faster_than_shorter"),
    (ARGONNE, 3453, "nvidia-gh200", "gpt-j-6b", 1, 1, 95902.92 / 2, "faster_than_shorter"),
]


def count(con, condition="true"):
    return con.execute(f"SELECT count(*) FROM llm_measurement WHERE {condition}").fetchone()[0]


@pytest.mark.parametrize(("source_id", "expected"), ROWS.items())
def test_every_row_is_kept_or_rejected(con, source_id, expected):
    rows, rejected, marked, unmarked = expected
    read = con.execute("SELECT rows_read, rows_rejected FROM snapshot WHERE source_id = ?", [source_id]).fetchall()
    assert read == [(rows, rejected)]
    assert count(con, f"source_id = '{source_id}'") == rows - rejected
    assert count(con, f"source_id = '{source_id}' AND duplicate_of IS NOT NULL") == marked + unmarked


def test_the_four_files_together(con):
    assert sum(rows for rows, *_ in ROWS.values()) == 16_597
    assert sum(rows - marked for rows, _, marked, _ in ROWS.values()) == 15_222
    gpus = con.execute("SELECT count(DISTINCT gpu_id) FROM llm_measurement WHERE in_aggregates").fetchone()[0]
    assert gpus >= 24


def test_rejected_rows_have_a_reason(con):
    reasons = con.execute(
        "SELECT DISTINCT reason_code, source_id FROM reject JOIN snapshot USING (snapshot_id) WHERE source_id = ?", [VLLM]
    )
    assert reasons.fetchall() == [("NO_RESULT", VLLM)]


@pytest.mark.parametrize("expected", FOLLOWED, ids=lambda row: f"{row[0]}-{row[1]}")
def test_a_row_followed_to_its_source(con, expected):
    source_id, line, gpu, llm_model_id, gpus, concurrency, tokens_per_s, flags = expected
    found = con.execute(
        """SELECT coalesce(gpu_id, gpu_model_id), llm_model_id, gpu_count, concurrency, tokens_per_s, flags
        FROM llm_measurement WHERE source_id = ? AND locator = ?""",
        [source_id, f"line {line}"],
    ).fetchone()
    assert found == (gpu, llm_model_id, gpus, concurrency, pytest.approx(tokens_per_s), flags)


def test_configurations_in_aggregates_are_measured_once_per_machine(con):
    repeated = con.execute("""SELECT count(*) FROM llm_measurement WHERE in_aggregates
        GROUP BY source_id, model_raw, gpu_raw, gpu_count, machine_gpu_count, provider_id, instance_type, quantization, kv_dtype,
            engine, engine_version, phase, load_pattern, prompt_tokens, output_tokens, concurrency, batch_size,
            prompt_batch_tokens, tensor_parallel, pipeline_parallel, data_parallel, expert_parallel, is_disaggregated,
            measured_on, tokens_per_s
        HAVING count(*) > 1""").fetchall()
    assert repeated == []


def test_repeats_point_at_a_row_that_is_none(con):
    assert count(con, "(duplicate_of IS NULL) <> (coalesce(flags, '') NOT LIKE '%duplicate%')") == 0
    assert count(con, "duplicate_of IN (SELECT measurement_id FROM llm_measurement WHERE duplicate_of IS NOT NULL)") == 0


def test_shares_spilled_and_short_runs_are_excluded(con):
    assert count(con, "is_gpu_share") == 593
    assert count(con, "is_gpu_share AND in_aggregates") == 0
    assert count(con, "flags LIKE '%partial_offload%'") == 41
    assert count(con, "flags LIKE '%few_requests%'") == 53
    assert count(con, "in_aggregates AND n_requests < 10") == 0
    assert count(con, "flags LIKE '%short_run%'") == count(con, "n_requests < 2 * concurrency") == 30
    assert count(con, "in_aggregates AND n_requests < 2 * concurrency") == 0


def test_runs_whose_requests_wait_in_a_queue_are_excluded(con):
    """512 requests on eight H100 waited 118 s for their first token and took 29 s for the others: about 100 were in progress."""
    waiting = "ttft_ms > (output_tokens - 1) * tpot_ms"
    assert count(con, "flags LIKE '%queued%'") == count(con, waiting) == 84
    assert count(con, f"in_aggregates AND {waiting}") == 0
    on_h100 = "llm_model_id = 'gpt-oss-120b' AND gpu_id = 'nvidia-h100-sxm5-80gb' AND NOT is_disaggregated"
    assert count(con, f"{on_h100} AND concurrency = 512") == count(con, f"{on_h100} AND flags = 'queued'") == 9
    in_progress = "tokens_per_s * tpot_ms / 1000"  # by Little's law, without the requests that wait for their first token
    assert count(con, f"in_aggregates AND throughput_basis = 'latency' AND {in_progress} < concurrency / 2") == 0


def test_rates_beyond_the_bandwidth_are_flagged_and_all_others_below(con):
    worst = con.execute("SELECT max(tokens_per_s / peak_tokens_per_s) FROM llm_measurement WHERE in_aggregates").fetchone()[0]
    assert 0.8 < worst <= 1.05
    above = "flags LIKE '%exceeds_peak%'"
    assert count(con, f"{above} AND source_id = '{ARGONNE}'") == 16
    assert count(con, f"{above} AND source_id <> '{ARGONNE}'") == count(con, f"{above} AND source_id = '{SILICON}'") == 3


def test_the_prompt_counts_in_the_bound_where_its_tokens_are_not_counted(con):
    """416 requests with 15,000 prompt tokens on two B200: half the peak by the output alone, three times by both."""
    read, written, peak, tokens_per_s = con.execute(
        """SELECT prompt_tokens, output_tokens, peak_tokens_per_s, tokens_per_s FROM llm_measurement
        WHERE source_id = ? AND locator = ?""",
        [SILICON, "line 892"],
    ).fetchone()
    assert tokens_per_s / peak == pytest.approx(2.97, abs=0.01)
    assert tokens_per_s / (peak * (read + written) / written) < 0.1


def test_requests_beyond_the_stated_copies_leave_the_gpus_unknown(con):
    """A worker of 2 GPUs has batches of 13, and the run 416 requests: how many workers there were is not stated.

    Of a mixture of experts, each of the GPUs that share the experts can have a batch.
    """
    beyond = "NOT is_disaggregated AND concurrency <> batch_size * coalesce(data_parallel, 1)"
    one_each = """concurrency = batch_size * tensor_parallel
        AND llm_model_id IN (SELECT llm_model_id FROM llm_model WHERE n_experts > 1)"""
    assert count(con, beyond) == 29
    assert count(con, f"{beyond} AND NOT ({one_each})") == count(con, "flags LIKE '%copies_unknown%'") == 16
    assert count(con, f"{beyond} AND NOT ({one_each}) AND in_aggregates") == 0
    attention_copies = "data_parallel > 1 AND concurrency > batch_size AND in_aggregates"
    assert count(con, attention_copies) > 100


def test_runs_on_one_node_have_the_gpus_of_one_node(con):
    """Exports of InferenceX multiplied the GPUs of 8 by the groups of experts, so that their tokens cost eight times as much."""
    of_file = f"source_id = '{SILICON}' AND cited_from LIKE '%InferenceX%' AND NOT is_disaggregated"
    assert count(con, of_file) > 2500
    assert count(con, f"{of_file} AND gpu_count <= 8") == count(con, of_file)
    assert count(con, f"{of_file} AND gpu_count = tensor_parallel * coalesce(data_parallel, 1)") == count(con, of_file)
    heads = "SELECT llm_model_id FROM llm_model WHERE n_heads % tensor_parallel > 0"
    assert count(con, f"{of_file} AND tensor_parallel > 1 AND llm_model_id IN ({heads})") == 0


def test_a_run_that_takes_less_than_half_as_long_as_a_shorter_one_is_flagged(con):
    """So is every rate beyond the peak. Of the others, 16 are of models whose peak is not known, one is below its peak."""
    flagged = "flags LIKE '%faster_than_shorter%'"
    assert count(con, flagged) == count(con, f"{flagged} AND source_id = '{ARGONNE}'") == 33
    assert count(con, f"flags LIKE '%exceeds_peak%' AND NOT {flagged} AND source_id = '{ARGONNE}'") == 0
    alone = f"{flagged} AND flags NOT LIKE '%exceeds_peak%'"
    assert (count(con, f"{alone} AND peak_tokens_per_s IS NULL"), count(con, alone)) == (16, 17)
    assert count(con, f"source_id = '{ARGONNE}' AND in_aggregates AND tokens_per_s > 40000") == 0


def test_a_run_twofold_apart_from_its_repeats_is_flagged(con):
    """One run of Kimi-K2.5 on eight H200 took four times as long as its two repeats. No other of three and more is so far off."""
    configuration = """source_id, model_raw, gpu_raw, gpu_count, machine_gpu_count, provider_id, instance_type, quantization,
        kv_dtype, engine, engine_version, phase, load_pattern, concurrency, batch_size, prompt_batch_tokens, tensor_parallel,
        pipeline_parallel, data_parallel, expert_parallel, is_disaggregated, prompt_tokens, output_tokens"""
    sql = f"""SELECT locator, tokens_per_s / median(tokens_per_s) OVER repeats AS share, flags FROM llm_measurement
        WHERE in_aggregates OR flags = 'unlike_repeats'
        WINDOW repeats AS (PARTITION BY {configuration}) QUALIFY count(*) OVER repeats >= 3"""
    far = f"SELECT locator, round(share, 2) FROM ({sql}) WHERE share NOT BETWEEN 1 / 2 AND 2"
    assert con.execute(far).fetchall() == [("line 2324", 0.25)]
    assert count(con, f"flags = 'unlike_repeats' AND source_id = '{SILICON}'") == count(con, "flags LIKE '%unlike_repeats%'") == 1


def test_a_prompt_in_pieces_is_no_batch_of_sequences(con):
    assert count(con, f"source_id = '{ARGONNE}' AND engine = 'llama.cpp' AND (concurrency <> 1 OR batch_size <> 1)") == 0
    assert count(con, f"source_id = '{ARGONNE}' AND abs(total_tokens_per_s / tokens_per_s - 2) > 0.001") == 0


def test_gpus_of_a_server_that_does_not_state_its_copies_are_unknown(con):
    assert count(con, f"source_id = '{VLLM}' AND gpu_count IS NULL AND tensor_parallel = machine_gpu_count") == 0
    assert count(con, f"source_id = '{VLLM}' AND gpu_count <> machine_gpu_count") == 0
    assert count(con, f"source_id = '{VLLM}' AND gpu_count IS NULL") > 100


def test_uploads_of_the_same_runs_are_not_counted_again(con):
    """Each figure in tokens/s that Spare Cores' uploads have is a row here already; uploads stay in `measurement` alone."""
    repeated, uploaded = con.execute("""
        SELECT count(*) FILTER (EXISTS (
            FROM llm_measurement AS l
            WHERE l.provider_id = u.provider AND l.instance_type = u.instance_type
                AND (abs(l.tokens_per_s / m.value - 1) < 1e-6 OR abs(l.total_tokens_per_s / m.value - 1) < 1e-6)
        )), count(*)
        FROM measurement AS m JOIN benchmark_run AS r USING (run_id) JOIN upload AS u USING (upload_sha256)
        WHERE m.unit = 'tokens/s' AND m.value > 0 AND r.tool IN ('llama_bench', 'vllm_serving')
            AND coalesce(m.flags, '') NOT LIKE '%non_cuda%' AND u.attribution LIKE '%Spare Cores%'""").fetchone()
    assert repeated == uploaded > 2000
    assert {source for (source,) in con.execute("SELECT DISTINCT source_id FROM llm_measurement").fetchall()} == set(ROWS)


def test_an_uploaded_load_without_a_result_counts_in_no_figure(con):
    """All 19 figures of UpCloud's L4 at its highest load are printed as 0; nothing else is."""
    assert con.execute("SELECT count(*) FROM measurement WHERE value = 0 AND flags IS NULL").fetchone() == (0,)
    flagged = con.execute(
        "SELECT count(*), count(DISTINCT run_id) FROM measurement WHERE flags LIKE '%no_result%' AND n_gpus = 1"
    )
    assert flagged.fetchone() == (19, 1)
