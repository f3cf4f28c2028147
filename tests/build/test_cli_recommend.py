"""The command `recommend` for language models: one load for speed and memory, served types, kinds of questions."""

import csv
import io
from pathlib import Path

import duckdb
import pytest

from tests.command import gpuledger

H100 = "nvidia-h100-sxm5-80gb"
LLAMA = ("--model", "llama-3.1-8b")


def recommend(built: Path, *arguments: str) -> tuple[dict[str, dict[str, str]], str]:
    """Rows by GPU, best first, and the messages on stderr."""
    result = gpuledger("recommend", *arguments, "--format", "csv", "--db", str(built / "gpuledger.duckdb"))
    assert result.returncode == 0, result.stderr
    return {row["gpu_id"]: row for row in csv.DictReader(io.StringIO(result.stdout))}, result.stderr


def test_users_count_for_speed_and_memory(built: Path) -> None:
    bf16 = [*LLAMA, "--quantization", "bf16", "--use", "chat"]
    found = {users: recommend(built, *bf16, "--users", users) for users in ("2", "16", "64")}
    for users, (_, text) in found.items():
        assert f"{users} requests at a time of 256 + 128 tokens" in text
    rows = [found[users][0][H100] for users in ("2", "16", "64")]
    speeds, needed = ([float(row[name]) for row in rows] for name in ("tokens_per_s", "needed_gb"))
    assert speeds == sorted(set(speeds))
    assert speeds[0] < speeds[1] / 2 < speeds[2] / 4
    assert [row["basis"] for row in rows] == ["predicted", "predicted", "measured"]
    weights, each = 16.0606, 131072 * 384 / 1e9  # GB, and GB of cache of one request
    assert needed == pytest.approx([weights + users * each for users in (2, 16, 64)], rel=1e-4)


def test_an_offline_batch_runs_on_one_gpu_of_24_gb_with_the_requests_that_fit(built: Path) -> None:
    batch = [*LLAMA, "--quantization", "bf16", "--use", "batch"]
    rented, _ = recommend(built, *batch)
    row = rented["nvidia-geforce-rtx-4090-24gb"]
    assert (row["gpus"], row["at_once"]) == ("1", "92")
    assert float(row["needed_gb"]) == pytest.approx(16.0606 + 92 * 131072 * 384 / 1e9, rel=1e-4)
    assert rented[H100]["at_once"] == "256"
    few = recommend(built, *batch, "--users", "92")[0]["nvidia-geforce-rtx-4090-24gb"]
    assert float(few["tokens_per_s"]) == pytest.approx(float(row["tokens_per_s"]), rel=1e-4), "the speed of the requests that fit"
    _, text = recommend(built, *batch, "--gpus", "1", "--users", "100000")
    assert "of 100000 requests at once, the rest wait." in text
    chat = recommend(built, *LLAMA, "--quantization", "bf16", "--use", "chat", "--users", "256")[0]
    assert chat["nvidia-geforce-rtx-4090-24gb"]["gpus"] == "2", "the users of a chat do not wait"


def test_a_gpu_without_a_price_has_its_fastest_copies_for_an_offline_batch(built: Path, con: duckdb.DuckDBPyConnection) -> None:
    sql = """SELECT gpu_id, max(tokens_per_s * 8 / gpu_count), count(*) FROM llm_speed WHERE (llm_model_id, use, quantization) =
        ('llama-3.1-8b', 'batch', 'bf16') AND phase = 'serving' AND gpu_count IN (1, 2, 4, 8) GROUP BY gpu_id"""
    fastest = {gpu: (speed, counts) for gpu, speed, counts in con.execute(sql).fetchall()}
    rows, _ = recommend(built, *LLAMA, "--quantization", "bf16", "--use", "batch", "--gpus", "8")
    unpriced = [
        row for row in rows.values() if row["reason"] == "out: no current on-demand price is known" and row["gpu_id"] in fastest
    ]
    assert [row["gpu_id"] for row in unpriced if fastest[row["gpu_id"]][1] > 1], "with a choice of numbers"
    for row in unpriced:
        assert (row["gpus"], float(row["tokens_per_s"])) == ("8", pytest.approx(fastest[row["gpu_id"]][0], rel=1e-4)), row


def test_context_counts_for_speed_and_memory(built: Path) -> None:
    chat = [*LLAMA, "--quantization", "bf16", "--use", "chat", "--users", "64"]
    usual, _ = recommend(built, *chat)
    longer, text = recommend(built, *chat, "--context", "3840")
    assert "64 requests at a time of 2,560 + 1,280 tokens" in text
    both = [gpu for gpu, row in longer.items() if row["tokens_per_s"] and usual[gpu]["tokens_per_s"]]
    same = [gpu for gpu in both if usual[gpu]["gpus"] == longer[gpu]["gpus"] and usual[gpu]["basis"] == "predicted"]
    assert len(same) > 5
    for gpu in same:
        assert float(longer[gpu]["tokens_per_s"]) < float(usual[gpu]["tokens_per_s"]), gpu
    assert float(longer[H100]["needed_gb"]) == pytest.approx(16.0606 + 64 * 131072 * 3840 / 1e9, rel=1e-4)


def test_the_load_of_a_use_has_its_measured_speeds(built: Path, con: duckdb.DuckDBPyConnection) -> None:
    asked = [*LLAMA, "--quantization", "bf16", "--use", "chat"]
    rows, text = recommend(built, *asked)
    assert recommend(built, *asked, "--users", "64", "--context", "384") == (rows, text)
    sql = """SELECT gpu_id, gpu_count, tokens_per_s FROM llm_cost WHERE llm_model_id = 'llama-3.1-8b' AND use = 'chat'
        AND basis = 'measured' AND billing = 'on_demand' AND replace(quantization, 'fp16', 'bf16') = 'bf16' AND NOT price_stale"""
    stored = con.execute(sql).fetchall()
    measured = [row for row in rows.values() if row["basis"] == "measured"]
    assert len(measured) > 2
    for row in measured:
        speeds = [speed for gpu, gpus, speed in stored if (gpu, str(gpus)) == (row["gpu_id"], row["gpus"])]
        assert any(float(row["tokens_per_s"]) == pytest.approx(speed, rel=1e-4) for speed in speeds), row


def test_a_longer_conversation_of_one_user_is_slower(built: Path) -> None:
    short, text = recommend(built, *LLAMA)
    assert "1 request of 256 + 128 tokens (prompt + output) in a conversation of up to 8,192 tokens" in text
    assert recommend(built, *LLAMA, "--users", "1", "--context", "8192")[0] == short
    longer, text = recommend(built, *LLAMA, "--context", "32768")
    assert "1 request of 21,845 + 10,923 tokens (prompt + output); they share --context as in single. " in text
    both = [gpu for gpu in short if short[gpu]["gpus"] == longer[gpu]["gpus"] and longer[gpu]["tokens_per_s"]]
    compared = [gpu for gpu in both if short[gpu]["basis"] == "predicted"]
    assert len(compared) > 10
    assert all(float(longer[gpu]["tokens_per_s"]) < float(short[gpu]["tokens_per_s"]) for gpu in compared)


def test_served_types_are_compared_unless_one_is_asked_for(built: Path) -> None:
    chat = [*LLAMA, "--use", "chat", "--users", "64"]
    best, text = recommend(built, *chat)
    assert "llama-3.1-8b as bf16 or fp8, chat" in text
    one = {stored: recommend(built, *chat, "--quantization", stored)[0] for stored in ("bf16", "fp8")}
    running = [row for row in best.values() if row["usd_per_million"]]
    assert {row["quantization"] for row in running} == {"bf16", "fp8"}
    assert f"weights as {running[0]['quantization']}" in text
    for row in running:
        found = {kind: rows[row["gpu_id"]] for kind, rows in one.items() if rows[row["gpu_id"]]["usd_per_million"]}
        least = min(found, key=lambda kind: (not found[kind]["rank"], float(found[kind]["usd_per_million"])))
        assert (row["quantization"], row["usd_per_million"]) == (least, found[least]["usd_per_million"]), row
    assert {row["quantization"] for rows in one.values() for row in list(rows.values())[:3]} == {"bf16", "fp8"}


def test_a_number_of_gpus_holds_as_many_copies_of_the_model_as_it_has_room_for(
    built: Path, con: duckdb.DuckDBPyConnection
) -> None:
    asked = ["--model", "llama-3.3-70b", "--users", "50"]
    free, eight = recommend(built, *asked)[0], recommend(built, *asked, "--gpus", "8")[0]
    running = {gpu: row for gpu, row in eight.items() if not row["reason"].startswith("out: ")}
    assert len(running) > 10
    assert {row["gpus"] for row in running.values()} == {"8"}
    shared = [
        gpu for gpu, row in running.items() if row["quantization"] == free[gpu]["quantization"] and free[gpu]["copies"] == "1"
    ]
    for gpu in shared:
        copy = float(free[gpu]["tokens_per_s"]) * 8 / float(free[gpu]["gpus"])
        assert float(running[gpu]["tokens_per_s"]) == pytest.approx(copy, rel=1e-4), gpu
    assert len(shared) > 5
    alone = "SELECT gpu_id FROM gpu WHERE is_alone_in_machine(form_factor, architecture)"
    assert not running.keys() & {gpu for (gpu,) in con.execute(alone).fetchall()}


@pytest.mark.parametrize("more", [[], ["--buy"], ["--tune", "qlora"]])
def test_a_data_center_has_no_geforce(built: Path, more: list[str]) -> None:
    free, there = (recommend(built, *LLAMA, *more, *limit)[0] for limit in ([], ["--data-centre"]))
    names = {gpu for gpu, row in there.items() if not row["reason"].startswith("out: ")}
    assert names
    assert not [gpu for gpu in names if "geforce" in gpu or "titan" in gpu]
    assert [gpu for gpu, row in free.items() if "geforce" in gpu and not row["reason"].startswith("out: ")]


def test_a_model_published_in_4_bits_has_no_other_weights(built: Path) -> None:
    rows, text = recommend(built, "--model", "gpt-oss-120b", "--users", "16")
    assert text.startswith("gpt-oss-120b as mxfp4, chat")
    assert {row["quantization"] for row in rows.values()} == {"mxfp4"}
    refused = gpuledger(
        "recommend", "--model", "gpt-oss-120b", "--quantization", "q4_k_m", "--db", str(built / "gpuledger.duckdb")
    )
    assert refused.returncode == 2
    assert "gpt-oss-120b has no such weights; it is published as mxfp4, and has mxfp4, mxfp4_moe" in refused.stderr


def test_speeds_of_amd_gpus_say_what_they_rest_on(built: Path) -> None:
    assert "In vLLM, AMD GPUs were measured in the version of 2024 alone" in recommend(built, *LLAMA, "--users", "16")[1]
    assert "AMD GPUs were measured" not in recommend(built, *LLAMA)[1], "one user runs llama.cpp"


def test_the_first_choice_is_that_of_the_models_page(built: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows, _ = recommend(built, *LLAMA, "--use", "chat", "--users", "64")
    best = next(iter(rows.values()))
    sql = """SELECT gpu_id, quantization FROM llm_cost WHERE llm_model_id = 'llama-3.1-8b' AND use = 'chat'
        AND billing = 'on_demand' AND NOT price_stale AND gpu_id IS NOT NULL AND gpu_count IN (1, 2, 4, 8)
        AND is_rankable(basis, tokens_per_s_low, tokens_per_s_high) ORDER BY usd_per_million_output_tokens LIMIT 1"""
    assert con.execute(sql).fetchone() == (best["gpu_id"], best["quantization"])


def test_wide_predictions_follow_the_ranked_gpus_with_price_and_speed(built: Path) -> None:
    rows, text = recommend(built, *LLAMA, "--use", "chat", "--quantization", "bf16")
    ranked = [row for row in rows.values() if row["rank"]]
    assert {row["basis"] for row in ranked} == {"measured", "predicted"}
    assert all(float(row["high"]) <= 2 * float(row["low"]) for row in ranked if row["basis"] == "predicted")
    assert list(rows.values())[: len(ranked)] == ranked
    unranked = [row for row in rows.values() if row["reason"].startswith("unranked: ")]
    assert all(row["gpu_id"].startswith("amd-") or row["gpus"] > "1" for row in unranked), "vLLM of 2024, or groups over PCIe"
    assert len({row["gpu_id"][:4] for row in unranked}) == 2
    for row in unranked:
        assert float(row["high"]) > 2 * float(row["low"])
        assert row["usd_per_hour"]
    costs = [float(row["usd_per_million"]) for row in unranked]
    assert costs == sorted(costs)
    assert f"Rent {ranked[0]['gpus']} x " in text or "Rent NVIDIA" in text


def test_without_a_rank_the_first_prediction_is_named_as_such(built: Path) -> None:
    rows, text = recommend(built, "--model", "gpt-oss-20b", "--use", "chat")
    first = next(iter(rows.values()))
    assert (first["rank"], first["reason"][:9]) == ("", "unranked:")
    assert "no GPU has a rank, because every predicted speed spans more than a factor of 2" in text
    assert f"{float(first['usd_per_million']):.3g} USD per million tokens" in text


@pytest.mark.parametrize("acquisition", ["--rent", "--buy"])
def test_a_cheaper_gpu_without_a_rank_is_named_beside_the_first(built: Path, acquisition: str) -> None:
    """Groups over PCIe have no rank: their predicted speed spans more than a factor of 2."""
    users, cost = ("10", "usd_per_million") if acquisition == "--rent" else ("50", "usd_per_token_s")
    rows, text = recommend(built, "--model", "llama-3.3-70b", "--users", users, acquisition)
    first, wide = (
        next(row for row in rows.values() if row[cost] and row["reason"].startswith("unranked: its predicted") is one)
        for one in (False, True)
    )
    told = "Cheaper by a prediction that spans more than a factor of 2, so without a rank: "
    assert (told in text) is (float(wide[cost]) < float(first[cost]))
    if acquisition == "--buy":
        assert float(wide[cost]) < float(first[cost])
        assert f"{told}{wide['gpus']} x " in text


@pytest.mark.parametrize("users", ["50", "200"])
def test_many_users_of_a_large_model_get_ranked_gpus(built: Path, users: str) -> None:
    rows, text = recommend(built, "--model", "llama-3.3-70b", "--users", users)
    ranked = [row for row in rows.values() if row["rank"]]
    assert len(ranked) >= 10
    costs = [float(row["usd_per_million"]) for row in ranked]
    assert costs == sorted(costs)
    assert f"Rent {'' if ranked[0]['gpus'] == '1' else ranked[0]['gpus'] + ' x '}NVIDIA" in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--quantization", "q4_k_m"], "llama-3.1-8b as q4_k_m, single: 1 request"),
        (["--users", "8"], "llama-3.1-8b as bf16 or fp8, chat: 8 requests at a time of 256 + 128 tokens"),
        (["--use", "retrieval"], "llama-3.1-8b as bf16 or fp8, retrieval: 64 requests at a time of 1,024 + 256 tokens"),
        (["--tune", "qlora"], "llama-3.1-8b as nf4, qlora, 10,000,000 tokens"),
    ],
)
def test_options_of_a_language_model_alone_have_a_model(built: Path, arguments: list[str], told: str) -> None:
    rows, text = recommend(built, *arguments)
    assert next(iter(rows.values()))["rank"] == "1"
    assert text.startswith(told)


@pytest.mark.parametrize("arguments", [[], ["--objective", "fastest"], ["--buy"], ["--workload", ""]])
def test_without_a_question_every_kind_is_listed_with_an_example(built: Path, arguments: list[str]) -> None:
    database = ["--db", str(built / "gpuledger.duckdb")]
    result = gpuledger("recommend", *arguments, *database)
    assert (result.returncode, result.stdout) == (2, "")
    kinds = ("a language model", "a fine-tune", "training of a network", "measured image work", "comparison by specification")
    lines = [line for line in result.stderr.splitlines() if " gpuledger recommend " in line]
    assert [line.split("gpuledger")[0].strip() for line in lines] == list(kinds)
    for line in lines:
        example = line.split(" gpuledger ")[1].split()
        assert gpuledger(*example, *database, "--format", "csv").stdout.count("\n") > 10, line


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--workload", "all", *LLAMA], ("--workload", "--model")),
        (["--workload", "all", "--users", "4"], ("--workload", "--users")),
        (["--workload", "all", "--tune", "qlora"], ("--workload", "--tune")),
        ([*LLAMA, "--min-memory", "0"], ("--min-memory", "--model")),
        (["--use", "chat", "--budget", "0"], ("--budget", "--use")),
        ([*LLAMA, "--use", "single", "--users", "3"], ("--use single", "--users 3")),
        ([*LLAMA, "--users", "0"], ("--users: 0",)),
        ([*LLAMA, "--tune", "qlora", "--users", "0"], ("--users: 0",)),
        ([*LLAMA, "--context", "0"], ("--context: 0",)),
        ([*LLAMA, "--use", "chat", "--context", "200000"], ("--context: the model reads at most 131,072 tokens",)),
    ],
)
def test_options_that_exclude_each_other_are_both_named(built: Path, arguments: list[str], named: tuple[str, ...]) -> None:
    result = gpuledger("recommend", *arguments, "--db", str(built / "gpuledger.duckdb"))
    assert (result.returncode, result.stdout) == (2, "")
    assert all(name in result.stderr for name in named)


@pytest.mark.parametrize(("gpus", "each"), [("1", False), ("4", True)])
def test_the_price_of_one_of_several_bought_gpus_is_called_so(built: Path, gpus: str, each: bool) -> None:
    _, text = recommend(built, "--workload", "resnet50-imagenet-90-epochs", "--buy", "--older-prices", "--gpus", gpus)
    assert ("Buy 4 x " in text, " USD each: " in text) == (each, each)


def test_a_gpu_that_nobody_rents_out_can_be_bought_for_a_fine_tune(built: Path, con: duckdb.DuckDBPyConnection) -> None:
    sql = """SELECT gpu_id, hours FROM llm_tuning_cost
        WHERE llm_model_id = 'llama-3.1-8b' AND tune = 'qlora' AND (usd_per_job IS NULL OR price_stale)
            AND gpu_id IN (SELECT gpu_id FROM purchase_metric WHERE last_known AND kind = 'purchase_new')"""
    hours = dict(con.execute(sql).fetchall())
    assert len(hours) > 10
    bought, _ = recommend(built, *LLAMA, "--tune", "qlora", "--buy")
    assert hours.keys() <= bought.keys()
    rows, _ = recommend(built, *LLAMA, "--tune", "qlora")
    for gpu_id, expected in hours.items():
        assert (rows[gpu_id]["rank"], rows[gpu_id]["usd_per_job"]) == ("", "")
        assert float(rows[gpu_id]["hours"]) == pytest.approx(expected, rel=1e-4)
        assert float(bought[gpu_id]["tokens_per_s"]) == pytest.approx(1e7 / (3600 * expected), rel=1e-4)


def test_a_rental_that_is_not_current_is_no_advice_unless_asked_for(built: Path) -> None:
    asked = ["--workload", "resnet50-imagenet-90-epochs", "--provider", "AutoDL"]
    rows, text = recommend(built, *asked)
    assert not any(row["rank"] for row in rows.values())
    assert (
        "No GPU that can be ranked has a current offer on these terms; "
        "the last known is NVIDIA GeForce RTX 4090 from AutoDL at 0.332122 USD an hour each, of 2024-01-31." in text
    )
    rows, text = recommend(built, *asked, "--older-prices")
    assert text.startswith("Rent NVIDIA GeForce RTX 4090 from AutoDL at ")
    assert "price of 2024-01-31, not of today" in text


@pytest.mark.parametrize("gpus", [1, 2, 4])
def test_the_rest_of_a_bought_machine_is_named(built: Path, con: duckdb.DuckDBPyConnection, gpus: int) -> None:
    asked = ["--workload", "resnet50-imagenet-90-epochs", "--gpus", str(gpus)]
    ((usd,),) = con.execute("SELECT base_cost_usd FROM base_system_cost WHERE gpu_count = ?", [gpus]).fetchall()
    assert f"The rest of the machine counts as {usd:g} USD. " in recommend(built, *asked, "--buy", "--older-prices")[1]
    assert "rest of the machine" not in recommend(built, *asked)[1]


@pytest.mark.parametrize(
    ("cuda", "out"), [("11.8", set()), ("12.9", {"Kepler"}), ("13.0", {"Kepler", "Maxwell", "Pascal", "Volta"})]
)
def test_a_cuda_version_leaves_out_the_architectures_that_it_dropped(
    built: Path, con: duckdb.DuckDBPyConnection, cuda: str, out: set[str]
) -> None:
    rows, _ = recommend(built, "--workload", "memory-bandwidth", "--min-cuda", cuda)
    architectures = dict(con.execute("SELECT gpu_id, architecture FROM gpu WHERE vendor = 'NVIDIA'").fetchall())
    left = [gpu for gpu, row in rows.items() if row["reason"].startswith("out: runs CUDA up to ")]
    assert {architectures[gpu] for gpu in left} == out
    assert sorted(left) == sorted(gpu for gpu, name in architectures.items() if name in out)


def test_an_option_is_named_only_where_it_lifts_a_limit(built: Path) -> None:
    _, text = recommend(built, "--workload", "transformer", "--vendor", "AMD")
    assert "No GPU meets every limit" in text
    assert "--billing" not in text


def test_several_types_of_weights_are_a_list(built: Path) -> None:
    assert "kimi-k2.5 as int4, chat" in recommend(built, "--model", "kimi-k2.5", "--use", "chat")[1]
    assert "deepseek-r1 as fp8 or bf16, chat" in recommend(built, "--model", "deepseek-r1", "--use", "chat")[1]


@pytest.mark.parametrize("terms", [(*LLAMA, "--users", "16"), (*LLAMA, "--objective", "fastest"), ("--tune", "qlora")])
def test_a_vendor_leaves_out_the_gpus_of_others(built: Path, con: duckdb.DuckDBPyConnection, terms: tuple[str, ...]) -> None:
    vendors = dict(con.execute("SELECT gpu_id, vendor FROM gpu").fetchall())
    usual, _ = recommend(built, *terms)
    for asked, vendor in (("nvidia", "NVIDIA"), ("AMD", "AMD")):
        rows, _ = recommend(built, *terms, "--vendor", asked)
        assert {gpu for gpu, row in rows.items() if row["reason"].startswith("out: made by ")} == {
            gpu for gpu in rows if vendors[gpu] != vendor
        }
        ranked = [gpu for gpu, row in rows.items() if row["rank"]]
        assert ranked == [gpu for gpu, row in usual.items() if row["rank"] and vendors[gpu] == vendor]
        assert [rows[gpu]["rank"] for gpu in ranked] == [str(place) for place in range(1, len(ranked) + 1)]


def test_an_unknown_vendor_is_named(built: Path) -> None:
    result = gpuledger("recommend", *LLAMA, "--vendor", "NVDA", "--db", str(built / "gpuledger.duckdb"))
    assert (result.returncode, result.stdout) == (2, "")
    assert "no vendor 'NVDA'; did you mean NVIDIA?" in result.stderr
