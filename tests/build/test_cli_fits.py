"""The command `fits`: its answers, its arithmetic and its errors, on the published data."""

import csv
import io
from pathlib import Path

import pytest

from tests.command import gpuledger

BY_HAND = ["--params", "8e9", "--layers", "32", "--kv-heads", "8", "--head-dim", "128"]


def fits(built: Path, *arguments: str) -> tuple[int, dict[str, list[dict[str, str]]], str]:
    """Exit code, rows by item, and the messages on stderr."""
    result = gpuledger("fits", *arguments, "--format", "csv", "--db", str(built / "gpuledger.duckdb"))
    items: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(result.stdout)):
        items.setdefault(row["item"], []).append(row)
    return result.returncode, items, result.stderr


def test_llama_8b_at_16_bits_does_not_fit_16_gb(built: Path) -> None:
    asked = ["--model", "llama-3.1-8b", "--gpu", "nvidia-geforce-rtx-5080-16gb", "--context", "32768"]
    code, items, _ = fits(built, *asked)
    assert code == 1
    assert (items["weights"][0]["gb"], items["KV cache"][0]["gb"]) == ("16.06", "4.29")
    assert "2 x 8 KV heads x 128 values x 2 bytes x 32 layers" in items["KV cache"][0]["arithmetic"]
    options = [row["arithmetic"] for row in items["option"]]
    assert any(option.startswith("with --gpus 2:") for option in options)
    assert any("USD/h from" in option for option in options)
    for option in options:  # each option fits
        change = option.removeprefix("with ").split(":")[0].split()
        assert (
            fits(built, *(part for part in asked if change[0] not in asked or part not in _pair(asked, change[0])), *change)[0]
            == 0
        )


def _pair(arguments: list[str], name: str) -> list[str]:
    at = arguments.index(name)
    return arguments[at : at + 2]


def test_llama_70b_in_4_bits_fits_48_gb_only(built: Path) -> None:
    asked = ["--model", "Llama-3.3-70B", "--quantisation", "Q4_K_M", "--context", "4096", "--gpu"]
    code, items, _ = fits(built, *asked, "RTX 4090")
    assert (code, items["weights"][0]["gb"]) == (1, "42.51")
    code, items, text = fits(built, *asked, "L40S")
    assert code == 0
    assert "in llama.cpp, less 1 GB" in items["usable per GPU"][0]["arithmetic"]
    assert "Fits." in text


@pytest.mark.parametrize(
    ("gpu", "quantization", "unsure"),
    [
        ("amd-radeon-rx-7900-xtx-24gb", "awq", True),
        ("amd-radeon-rx-7900-xtx-24gb", "bf16", False),
        ("intel-gaudi2-96gb", "bf16", True),
        ("nvidia-l40s-48gb", "awq", False),
    ],
)
def test_memory_that_suffices_is_not_a_program_that_runs(built: Path, gpu: str, quantization: str, unsure: bool) -> None:
    code, _, text = fits(built, "--model", "llama-3.1-8b", "--quantization", quantization, "--gpu", gpu)
    assert code == 0
    assert text.startswith("Fits")
    assert ("Whether vLLM runs on this GPU with weights as" in text) == unsure


def test_a_number_that_cannot_share_the_model_names_the_next(built: Path) -> None:
    asked = ["--model", "llama-3.3-70b", "--gpus", "3", "--gpu"]
    code, items, _ = fits(built, *asked, "H200 SXM")
    assert code == 1
    needed = items["needed per GPU"][0]["arithmetic"]
    assert needed == "vLLM cannot split 64 attention heads and 8 KV heads over 3 GPUs. Over 4 it can, with 35.9 GB on each"
    options = [row["arithmetic"].split(":")[0] for row in items["option"]]
    assert {"with --gpus 2", "with --gpus 4"} <= set(options)
    _, items, _ = fits(built, *asked, "RTX 4090")
    assert "Over 4 it can, with 35.9 GB" in items["needed per GPU"][0]["arithmetic"]
    assert "with --gpus 8" in [row["arithmetic"].split(":")[0] for row in items["option"]]


def test_tuning_has_its_own_arithmetic(built: Path) -> None:
    code, items, _ = fits(built, "--model", "llama-3.1-8b", "--gpu", "L4", "--tune", "full")
    assert code == 1
    assert "14 bytes (2 gradient + 12 optimizer)" in items["training state"][0]["arithmetic"]
    assert any(row["arithmetic"].startswith("with --tune lora:") for row in items["option"])
    assert fits(built, "--model", "llama-3.1-8b", "--gpu", "L4", "--tune", "qlora")[0] == 0


def test_a_configuration_by_hand_is_answered(built: Path) -> None:
    code, items, _ = fits(built, "--gpu", "L4", *BY_HAND)
    assert (code, items["weights"][0]["gb"]) == (0, "16.0")


@pytest.mark.parametrize(
    ("model", "quantization", "asked", "fewest"),
    [
        ("llama-3.1-8b", "bf16", "3", "1"),
        ("phi-4", "bf16", "4", "2"),  # 10 KV heads
        ("llama-3.3-70b", "fp8", "3", "4"),
        ("llama-3.3-70b", "bf16", "3", "8"),
    ],
)
def test_a_number_of_gpus_that_cannot_share_the_model_names_the_fewest(
    built: Path, model: str, quantization: str, asked: str, fewest: str
) -> None:
    question = ["--model", model, "--quantization", quantization, "--gpu", "RTX 3090", "--gpus"]
    code, items, _ = fits(built, *question, asked)
    assert (code, items["GPUs needed"][0]["arithmetic"]) == (1, fewest)
    assert f"over {asked} GPUs" in items["needed per GPU"][0]["arithmetic"]
    assert any(row["arithmetic"].startswith(f"with --gpus {fewest}:") for row in items["option"])
    assert fits(built, *question, fewest)[0] == 0
    fewer = [str(count) for count in range(1, int(fewest))]
    assert all(fits(built, *question, count)[0] == 1 for count in fewer)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--model", "llama-9b"], "did you mean"),
        (["--model", "zzzzzz"], "--params 8e9 --layers 32 --kv-heads 8 --head-dim 128"),
        (["--model", "llama-3.1-8b", "--context", "1000000000"], "--context: 1,000,000,000"),
        (["--model", "llama-3.1-8b", "--quantization", "q9"], "--quantization 'q9'"),
        (["--model", "llama-3.1-8b", "--tune", "all"], "--tune 'all'"),
        (["--model", "llama-3.1-8b", "--tune", "qlora", "--quantization", "fp8"], "--quantization fp8"),
        (["--model", "llama-3.1-8b", "--users", "0"], "--users: 0"),
        (["--model", "kimi-k3"], "incomplete"),
        ([*BY_HAND[:2], "--layers", "0", *BY_HAND[4:]], "--layers: 0"),
        ([*BY_HAND, "--heads", "4"], "--kv-heads: 8 KV heads are more than the 4 attention heads"),
        ([*BY_HAND, "--heads", "33"], "--kv-heads: 8 KV heads do not divide the 33 attention heads"),
        (BY_HAND[:6], "--head-dim is missing"),
        ([], "--model is missing: name a language model"),
    ],
)
def test_errors_name_the_field_or_the_nearest_names(built: Path, arguments: list[str], text: str) -> None:
    code, _, message = fits(built, "--gpu", "L4", *arguments)
    assert code == 2
    assert text in message


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--model", "llama-9b"], "did you mean"),
        (["--model", "zzzzzz"], "--params 8e9 --layers 32 --kv-heads 8 --head-dim 128"),
        (["--model", "llama-3.1-8b", *BY_HAND], "--params describes a model by hand"),
        ([*BY_HAND, "--provider", "aws"], "--provider has no effect with --model"),
        (["--model", "llama-3.1-8b", "--provider", "aws"], "--provider has no effect with --model"),
        (["--model", "llama-3.1-8b", "--budget", "500"], "--budget has no effect with --model without --buy"),
        (["--model", "llama-3.1-8b", "--buy", "--objective", "fastest"], "--objective has no effect with --model and --buy"),
        (["--model", "llama-3.1-8b", "--min-memory", "80"], "--min-memory has no effect with --model"),
        (["--model", "llama-3.1-8b", "--gpus", "3"], "--gpus 3: a language model is compared on 1, 2, 4 or 8 GPUs"),
        (["--model", "llama-3.1-8b", "--use", "talk"], "--use 'talk' is not one of"),
        (["--model", "llama-3.1-8b", "--tune", "lora", "--use", "chat"], "--use has no effect with --tune"),
        (["--model", "llama-3.1-8b", "--tokens", "1e8"], "--tokens has no effect without --tune"),
    ],
)
def test_recommend_refuses_what_it_does_not_read(built: Path, arguments: list[str], text: str) -> None:
    result = gpuledger("recommend", *arguments, "--db", str(built / "gpuledger.duckdb"))
    assert (result.returncode, result.stdout) == (2, "")
    assert text in result.stderr


def test_purchases_for_a_model_are_within_the_budget_and_in_order(built: Path) -> None:
    rows, text = recommend(built, "--model", "gpt-oss-20b", "--buy", "--budget", "1000")
    order = [("older than 12 months" in row["reason"], float(row["usd_per_token_s"])) for row in rows.values()]
    assert len(order) > 5
    assert order == sorted(order), "no GPU has a rank, so that the age of the price and the cost decide"
    assert {old for old, _ in order} == {False, True}
    for row in rows.values():
        assert float(row["usd"]) <= 1000
        cost = float(row["usd"]) + float(row["machine_usd"])
        assert float(row["usd_per_token_s"]) == pytest.approx(cost / float(row["tokens_per_s"]), rel=1e-4)
    first = next(iter(rows.values()))
    assert f"{float(first['usd']):,.0f} USD, the last known price (used, {first['price_date']})" in text
    assert "No GPU has a rank" in text
    none = gpuledger("recommend", "--model", "gpt-oss-20b", "--buy", "--budget", "5", "--db", str(built / "gpuledger.duckdb"))
    assert none.returncode == 2
    assert "raise --budget" in none.stderr


def test_gpus_to_buy_are_the_same_at_the_load_of_a_use_and_beside_it(built: Path) -> None:
    """The tables have the speeds of 64 requests on rented GPUs; others are predicted, as at 63."""
    asked = ("--model", "llama-3.1-8b", "--use", "chat", "--buy", "--users")
    at_use, beside = recommend(built, *asked, "64")[0], recommend(built, *asked, "63")[0]
    assert at_use.keys() == beside.keys()
    assert {"nvidia-geforce-rtx-3090-24gb", "nvidia-geforce-rtx-5070-12gb"} <= at_use.keys()
    assert at_use["nvidia-geforce-rtx-3090-24gb"]["quantization"] == "bf16", "it has no rate for FP8"


def recommend(built: Path, *arguments: str) -> tuple[dict[str, dict[str, str]], str]:
    """Rows by GPU, and the messages on stderr."""
    result = gpuledger("recommend", *arguments, "--format", "csv", "--db", str(built / "gpuledger.duckdb"))
    return {row["gpu_id"]: row for row in csv.DictReader(io.StringIO(result.stdout))}, result.stderr


@pytest.mark.parametrize("users", ["1", "64"])
def test_a_configuration_by_hand_has_the_speed_of_the_same_known_model(built: Path, users: str) -> None:
    sizes = ["--params", "8.03026e9", *BY_HAND[2:], "--heads", "32", "--hidden", "4096", "--vocabulary", "128256"]
    known, by_hand = (recommend(built, *model, "--users", users)[0] for model in (["--model", "llama-3.1-8b"], sizes))
    predicted = {gpu: row for gpu, row in known.items() if row["basis"] == "predicted" and row["usd_per_hour"]}
    assert len(predicted) > 20
    for gpu, row in predicted.items():
        for name in ("tokens_per_s", "low", "high", "gpus"):
            assert float(by_hand[gpu][name]) == pytest.approx(float(row[name]), rel=1e-3), (gpu, name)


def test_a_model_outside_the_tables_has_a_predicted_speed_and_cost(built: Path) -> None:
    rows, text = recommend(built, "--model", "qwen2.5-14b", "--users", "64")
    best = next(iter(rows.values()))
    assert (best["rank"], best["basis"]) == ("1", "predicted")
    few = next(iter(recommend(built, "--model", "qwen2.5-14b", "--users", "8")[0].values()))
    assert (few["rank"], few["basis"]) == ("1", "predicted")
    assert float(best["low"]) < float(best["tokens_per_s"]) < float(best["high"])
    usd = float(best["usd_per_hour"]) / float(best["tokens_per_s"]) / 3600 * 1e6
    assert float(best["usd_per_million"]) == pytest.approx(usd, rel=1e-4)
    assert "USD per million tokens at" in text


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (BY_HAND, "its speed depends on --heads, --hidden and --vocabulary"),
        (["--model", "qwen2.5-14b", "--quantization", "awq"], "the speed of this model as awq_4bit in this use is not known"),
    ],
)
def test_without_a_speed_the_price_ranks_and_the_reason_is_stated(built: Path, arguments: list[str], reason: str) -> None:
    rows, text = recommend(built, *arguments)
    best = next(iter(rows.values()))
    assert (best["rank"], best["tokens_per_s"], best["usd_per_hour"] > "0") == ("1", "", True)
    assert f"{reason}, so the GPUs that it fits are ranked by price per hour" in text


def test_a_model_is_stored_as_published_unless_asked(built: Path) -> None:
    code, items, _ = fits(built, "--model", "gpt-oss-120b", "--gpu", "nvidia-h100-sxm5-80gb")
    assert (code, "MXFP4" in items["weights"][0]["arithmetic"]) == (0, True)


def test_deepseek_v3_1_is_published_in_8_bits_and_fits_eight_h200(built: Path) -> None:
    code, items, text = fits(built, "--model", "deepseek-v3.1", "--gpu", "nvidia-h200-sxm-141gb", "--gpus", "8")
    assert (code, items["weights"][0]["gb"]) == (0, "672.88")
    assert "is not known" not in text


def test_an_unknown_published_type_is_said_to_be_assumed(built: Path) -> None:
    asked = ["--model", "llama-7b", "--gpu", "L4"]
    _, items, text = fits(built, *asked)
    assert "2 bytes (BF16)" in items["weights"][0]["arithmetic"]
    assert "llama-7b is published is not known here. 16 bits are assumed: --quantization chooses another." in text
    assert "not known" not in fits(built, *asked, "--quantization", "fp8")[2]


def test_several_gh200_are_neither_recommended_nor_an_option(built: Path) -> None:
    rows, _ = recommend(built, "--model", "deepseek-r1", "--use", "chat")
    assert rows["nvidia-gh200-96gb"]["reason"].startswith("out: ")
    assert float(rows["nvidia-h200-sxm-141gb"]["usd_per_hour"]) > 0
    asked = ["--model", "llama-3.3-70b", "--quantization", "bf16", "--gpu", "RTX 4090", "--gpus", "2"]
    options = [row["arithmetic"] for row in fits(built, *asked)[1]["option"]]
    assert [option for option in options if "--gpu nvidia" in option]
    assert not [option for option in options if "gh200" in option]


def test_many_users_have_the_memory_and_speed_of_the_same_load(built: Path) -> None:
    database = ["--format", "csv", "--db", str(built / "gpuledger.duckdb")]
    result = gpuledger("recommend", "--model", "llama-3.3-70b", "--quantization", "fp8", "--users", "64", *database)
    assert "chat: 64 requests at a time of 256 + 128 tokens (prompt + output). Rent NVIDIA" in result.stderr
    assert all(gpu in result.stdout.split("out:")[0] for gpu in ("nvidia-h200-sxm-141gb", "nvidia-h100-sxm5-80gb"))


def test_two_users_do_not_get_the_speed_of_64(built: Path) -> None:
    asked = ["--model", "llama-3.1-8b", "--quantization", "bf16", "--format", "csv", "--db", str(built / "gpuledger.duckdb")]
    speeds = {}
    for users, told in (("1", "1 request of"), ("2", "2 requests at a time of"), ("64", "64 requests at a time of")):
        result = gpuledger("recommend", *asked, "--users", users)
        assert f"{told} 256 + 128 tokens" in result.stderr
        rows = {row["gpu_id"]: row for row in csv.DictReader(io.StringIO(result.stdout))}
        speeds[users] = float(rows["nvidia-h100-sxm5-80gb"]["tokens_per_s"])
    assert speeds["1"] < speeds["2"] < speeds["64"] / 8


def test_an_open_or_unknown_gpu_names_the_choices(built: Path) -> None:
    code, _, message = fits(built, "--gpu", "H100", "--model", "llama-3.1-8b")
    assert (code, "nvidia-h100-pcie-80gb" in message) == (2, True)
    assert fits(built, "--gpu", "nothing at all", "--model", "llama-3.1-8b")[0] == 2


def test_a_board_of_several_gpus_names_one_of_them(built: Path) -> None:
    code, _, message = fits(built, "--model", "llama-3.1-8b", "--gpu", "nvidia-a16-board-64gb")
    assert (code, "ask for one of them: --gpu nvidia-a16-gpu-16gb" in " ".join(message.split())) == (2, True)
    code, _, message = fits(built, "--model", "llama-3.1-8b", "--gpu", "nvidia-a16-gpu-16gb", "--quantization", "q4_k_m")
    assert code == 0


@pytest.mark.parametrize(
    ("gpu", "stored", "told"),
    [
        ("aws-inferentia2-32gb", "q4_k_m", "The memory suffices, but llama.cpp does not run on this GPU with weights as q4_k_m."),
        ("google-tpu-v5p", "q4_k_m", "The memory suffices, but llama.cpp does not run on this GPU with weights as q4_k_m."),
        ("nvidia-tesla-v100-sxm2-32gb", "bf16", "The memory suffices, but vLLM does not run on this GPU with weights as bf16."),
    ],
)
def test_memory_is_not_enough_where_the_program_does_not_run(built: Path, gpu: str, stored: str, told: str) -> None:
    code, items, text = fits(built, "--model", "llama-3.1-8b", "--gpu", gpu, "--quantization", stored)
    assert code == 1
    assert told in " ".join(text.split())
    assert "Fits." not in text
    assert any(row["arithmetic"].startswith("with --gpu ") for row in items["option"])


@pytest.mark.parametrize(("gpu", "context", "by_size"), [("L40", "8192", True), ("L40", "256", False), ("L40S", "8192", False)])
def test_a_close_fit_without_a_reading_is_by_the_size_as_sold(built: Path, gpu: str, context: str, by_size: bool) -> None:
    model = "qwen2-72b" if context == "8192" and gpu == "L40" else "qwen2.5-32b"
    code, _, text = fits(built, "--model", model, "--quantization", "q4_k_m", "--context", context, "--gpu", gpu)
    assert code == 0
    assert ("Fits by the size as sold." in text) == by_size
    assert ("up to 6% less" in text) == by_size
