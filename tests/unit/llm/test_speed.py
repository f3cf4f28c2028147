"""The speed model: what its terms charge for, and that fits, choices and intervals do what they state."""

import numpy as np
import polars as pl
import pytest

from pipeline.llm import speed_fit
from pipeline.llm.speed_fit import Runs
from pipeline.llm.speed_model import add_facts
from pipeline.llm.speed_terms import DECODE, PREFILL, SERVING

H100 = {
    "bandwidth": 3.352e12,
    "clock_hz": 1.98e9,
    "sm_count": 132.0,
    "tensor_flops": 989.4e12,
    "link": 900e9,
    "fp32_flops": 66.9e12,
}
LLAMA_8B = {
    "n_parameters": 8.03e9, "n_active_parameters": 8.03e9, "n_layers": 32, "hidden_size": 4096.0, "attention_width": 4096.0,
    "vocabulary_size": 128256.0, "expert_share": 1.0, "kv_bytes": 131072.0, "sliding_kv_bytes": 0.0, "window_tokens": 0.0,
    "state_bytes": 0.0, "weight_bytes": 16.06e9, "n_heads": 32, "n_kv_heads": 8,
}  # fmt: skip
MIXTRAL = LLAMA_8B | {"n_parameters": 46.7e9, "n_active_parameters": 12.7e9, "expert_share": 0.25, "weight_bytes": 93.4e9}
RUN = {
    "concurrency": 1.0, "prompt_tokens": 256, "output_tokens": 128, "tensor_parallel": 1, "gpu_count": 1, "is_4bit": False,
    "is_older_engine": False, "has_older_vllm_attention": False, "has_graphs": True, "has_dp4a": True, "tdp_w": 700.0,
    "int8_ops": 1979e12, "cache_parts": 1, "usable_bytes": None,
}  # fmt: skip


def part(name: str, terms: dict[str, pl.Expr] = SERVING, **changes: object) -> float:
    frame = pl.DataFrame([H100 | LLAMA_8B | RUN | changes])
    return float(frame.select(terms[name].cast(pl.Float64)).item())


def test_a_step_reads_the_weights_once_and_the_cache_of_each_request() -> None:
    assert part("weights") == pytest.approx(16.06e9 / 3.352e12)
    assert part("weights", concurrency=64.0) == part("weights")
    assert part("kv_cache", concurrency=64.0) == pytest.approx(64 * part("kv_cache"))


def test_each_gpu_reads_its_part_of_the_cache_and_of_the_state() -> None:
    two = {"tensor_parallel": 2, "state_bytes": 50e6}
    whole, halved = part("kv_cache", **two), part("kv_cache", **two, cache_parts=2)
    state = 2 * 50e6 / 3.352e12
    assert whole - state / 2 == pytest.approx(part("kv_cache"))
    assert halved - state / 2 == pytest.approx(part("kv_cache") / 2)


def test_layers_with_a_window_read_the_window_alone() -> None:
    layers = {"kv_bytes": 0.0, "sliding_kv_bytes": 131072.0, "window_tokens": 512.0}
    assert part("kv_cache", **layers) == part("kv_cache"), "the window is longer than the context"
    assert part("kv_cache", **layers, prompt_tokens=4096) == pytest.approx(131072 * 512 / 3.352e12)
    assert part("kv_cache", DECODE, **layers, prompt_tokens=4096) == pytest.approx(131072 * 512 / 3.352e12)


def test_a_step_reads_and_writes_the_state_of_each_request() -> None:
    state = {"state_bytes": 50e6}
    assert part("kv_cache", **state) - part("kv_cache") == pytest.approx(2 * 50e6 / 3.352e12)
    assert part("kv_cache", DECODE, **state) - part("kv_cache", DECODE) == pytest.approx(2 * 50e6 / 3.352e12)


def test_two_gpus_share_bytes_and_arithmetic_but_exchange_activations() -> None:
    assert part("weights", tensor_parallel=2) == pytest.approx(part("weights") / 2)
    assert part("arithmetic", tensor_parallel=2) == pytest.approx(part("arithmetic") / 2)
    assert part("links") == 0
    assert part("links", tensor_parallel=2) > 0
    assert part("links", tensor_parallel=8) == pytest.approx(part("links", tensor_parallel=2) * (7 / 8) / (1 / 2)), "in a ring"


def test_a_bridge_joins_two_cards_and_no_more() -> None:
    gpu = H100 | {
        "gpu_id": "a",
        "tensor_16bit": 1.0,
        "tensor_8bit": 1.0,
        "tdp_w": 230.0,
        "link": 32e9,
        "bridge": 112.5e9,
        "is_on_pcie": True,
    }
    run = RUN | {
        "phase": "serving",
        "quantization": "bf16",
        "source_id": None,
        "llm_model_id": "dense",
        "gpu_id": "a",
        "weight_bytes": 1e9,
    }
    runs = pl.DataFrame([run | {"weight_bytes": 1e9, "tensor_parallel": count} for count in (1, 2, 4, 8)]).drop(
        "is_4bit", "is_older_engine", "tdp_w", "cache_parts"
    )
    model = pl.DataFrame([LLAMA_8B | {"llm_model_id": "dense"}]).drop("weight_bytes")
    found = add_facts(runs, model, pl.DataFrame([gpu]).drop("tensor_flops"))
    assert found.sort("tensor_parallel")["link"].to_list() == [32e9, 112.5e9, 32e9, 32e9]


def test_attention_without_newer_kernels_takes_time_by_cores_and_clock_for_each_token_of_the_context() -> None:
    assert part("older_attention") == 0
    old = part("older_attention", has_older_vllm_attention=True)
    assert old == pytest.approx(32 * 4096 * (256 + 64) / (132 * 1.98e9))
    assert part("older_attention", has_older_vllm_attention=True, concurrency=64.0) == pytest.approx(64 * old)
    assert part("older_attention", has_older_vllm_attention=True, tensor_parallel=2) == pytest.approx(old / 2)
    window = {"kv_bytes": 0.0, "sliding_kv_bytes": 131072.0, "window_tokens": 32.0}
    assert part("older_attention", has_older_vllm_attention=True, **window) == pytest.approx(old / 10), "the window alone"
    longest, longer = (part("older_attention", has_older_vllm_attention=True, prompt_tokens=n) for n in (4288, 60000))
    assert longest == longer == pytest.approx(old * 4352 / 320), "no more than was measured"


def test_the_attention_of_a_prompt_takes_longer_without_the_instructions_of_turing() -> None:
    assert part("older_attention", PREFILL, has_older_llama_cpp_attention=False) == 0
    old = part("older_attention", PREFILL, has_older_llama_cpp_attention=True)
    assert old == part("attention", PREFILL) == pytest.approx(2 * 32 * 4096 * 256 / (132 * 1.98e9))


def test_one_request_reads_the_active_experts_and_many_read_all() -> None:
    one, many = part("weights", **MIXTRAL), part("weights", **MIXTRAL, concurrency=256.0)
    assert one == pytest.approx(part("weights") * 93.4 / 16.06 * 12.7 / 46.7)
    assert many == pytest.approx(part("weights") * 93.4 / 16.06, rel=1e-3)


def test_a_gpu_without_integer_dot_products_pays_for_unpacking() -> None:
    assert part("emulation", DECODE) == 0
    assert part("emulation", DECODE, has_dp4a=False) > 0


def test_half_the_power_limit_doubles_the_time_that_energy_takes() -> None:
    assert part("power", DECODE, tdp_w=350.0) == pytest.approx(2 * part("power", DECODE))
    assert part("power", DECODE, **MIXTRAL) == pytest.approx(part("power", DECODE) * 93.4 / 16.06 * 12.7 / 46.7)


def test_4_bit_weights_of_mxfp4_are_multiplied_at_the_rate_of_16_bits() -> None:
    """So vLLM does unless a variable asks for 8 bits."""
    rates = {name: facts_of(LLAMA_8B, quantization=name)["tensor_flops"] for name in ("bf16", "mxfp4", "fp8")}
    assert rates == {"bf16": 1.0, "mxfp4": 1.0, "fp8": 2.0}


def test_an_interval_of_experts_comes_from_experts_alone() -> None:
    run = RUN | {"phase": "serving", "concurrency": 8.0, "quantization": "bf16", "source_id": None}
    facts = pl.DataFrame([LLAMA_8B | {"llm_model_id": "dense"}, MIXTRAL | {"llm_model_id": "experts"}])
    facts = facts.drop("weight_bytes")
    gpu = pl.DataFrame(
        [H100 | {"gpu_id": "h100", "tensor_16bit": 1.0, "tensor_8bit": 1.0, "tdp_w": 700.0, "bridge": None, "is_on_pcie": False}]
    ).drop("tensor_flops")
    runs = pl.DataFrame([run | {"llm_model_id": name, "gpu_id": "h100", "weight_bytes": 1e9} for name in ("dense", "experts")])
    found = add_facts(runs.drop("is_4bit", "is_older_engine", "tdp_w", "cache_parts"), facts, gpu)
    assert found["group"].to_list() == ["concurrency_8", "experts"]


@pytest.mark.parametrize(
    ("model", "phase", "gpus", "group"),
    [
        ("dense", "decode", 1, "under_3_gb"),
        ("dense", "decode", 2, "several_gpus_under_3_gb"),
        ("dense", "prefill", 2, "under_3_gb"),
        ("experts", "decode", 1, "experts"),
        ("experts", "decode", 8, "experts"),
        ("experts", "prefill", 1, "experts"),
    ],
)
def test_in_llama_cpp_experts_and_several_gpus_are_classes_of_their_own(model: str, phase: str, gpus: int, group: str) -> None:
    run = RUN | {"phase": phase, "quantization": "q4_k_m", "source_id": None, "llm_model_id": model, "gpu_id": "h100"}
    facts = pl.DataFrame([LLAMA_8B | {"llm_model_id": "dense"}, MIXTRAL | {"llm_model_id": "experts"}]).drop("weight_bytes")
    gpu = pl.DataFrame(
        [H100 | {"gpu_id": "h100", "tensor_16bit": 1.0, "tensor_8bit": 1.0, "tdp_w": 700.0, "bridge": None, "is_on_pcie": False}]
    )
    runs = pl.DataFrame([run | {"weight_bytes": 1e9, "gpu_count": gpus}]).drop(
        "is_4bit", "is_older_engine", "tdp_w", "cache_parts"
    )
    assert add_facts(runs, facts, gpu.drop("tensor_flops"))["group"].to_list() == [group]


SERVED = RUN | {"phase": "serving", "quantization": "bf16", "source_id": None, "llm_model_id": "dense", "gpu_id": "h100"}


def facts_of(
    model: dict[str, object], *, is_on_pcie: bool = False, bridge: float | None = None, **run: object
) -> dict[str, object]:
    """Facts of a run on H100s with 70 GB for weights and cache."""
    gpu = H100 | {
        "gpu_id": "h100",
        "tensor_16bit": 1.0,
        "tensor_8bit": 2.0,
        "tdp_w": 700.0,
        "bridge": bridge,
        "is_on_pcie": is_on_pcie,
    }
    runs = pl.DataFrame([SERVED | {"weight_bytes": 16e9, "usable_bytes": 70e9} | run]).drop(
        "is_4bit", "is_older_engine", "tdp_w", "cache_parts"
    )
    models = pl.DataFrame([model | {"llm_model_id": "dense"}]).drop("weight_bytes")
    return add_facts(runs, models, pl.DataFrame([gpu], schema_overrides={"bridge": pl.Float64}).drop("tensor_flops")).row(
        0, named=True
    )


def test_more_gpus_split_the_cache_by_its_heads_and_latent_attention_keeps_all_of_it_on_each() -> None:
    assert [facts_of(LLAMA_8B, tensor_parallel=count)["cache_parts"] for count in (1, 2, 8, 16)] == [1, 2, 8, 8]
    latent = LLAMA_8B | {"n_kv_heads": None}
    assert [facts_of(latent, tensor_parallel=count)["cache_parts"] for count in (1, 2, 8)] == [1, 1, 1]


def test_requests_for_whose_cache_the_gpus_lack_memory_wait() -> None:
    room = (70e9 - 16e9) / (131072 * (256 + 64))
    for asked, in_progress in ((64.0, 64.0), (5000.0, pytest.approx(room))):
        found = facts_of(LLAMA_8B, concurrency=asked)
        assert (found["requests"], found["concurrency"]) == (asked, in_progress)
    halves = (70e9 - 8e9) / (131072 / 2 * (256 + 64))
    assert facts_of(LLAMA_8B, concurrency=5000.0, tensor_parallel=2)["concurrency"] == pytest.approx(halves)
    assert facts_of(LLAMA_8B, concurrency=5000.0, weight_bytes=70e9)["concurrency"] == 1, "one request runs, as the run exists"
    assert facts_of(LLAMA_8B, concurrency=5000.0, usable_bytes=None)["concurrency"] == 5000, "a prediction, for which it fits"
    local = facts_of(LLAMA_8B, concurrency=5000.0, phase="decode")
    assert local["concurrency"] == 5000, "llama.cpp keeps its cache for every sequence"


def test_groups_over_pcie_are_a_class_of_their_own() -> None:
    def groups(**gpu: object) -> list[object]:
        return [facts_of(LLAMA_8B, tensor_parallel=count, concurrency=8.0, **gpu)["group"] for count in (1, 2, 4)]

    assert groups(is_on_pcie=True) == ["concurrency_8", "pcie_group", "pcie_group"]
    assert groups(is_on_pcie=True, bridge=600e9) == ["concurrency_8", "concurrency_8", "pcie_group"], "a bridge joins two"
    assert groups(is_on_pcie=False) == ["concurrency_8"] * 3


def test_many_requests_of_a_small_model_are_a_class_of_their_own() -> None:
    groups = [
        facts_of(LLAMA_8B, weight_bytes=size, concurrency=requests)["group"]
        for size in (1e9, 16e9) for requests in (1.0, 8.0, 64.0)
    ]  # fmt: skip
    assert groups == [
        "concurrency_1", "concurrency_8", "concurrency_64_under_3_gb", "concurrency_1", "concurrency_8", "concurrency_64",
    ]  # fmt: skip


def test_several_gpus_run_without_cuda_graphs() -> None:
    assert part("launches", DECODE) == 0
    assert part("launches", DECODE, gpu_count=2) == part("launches", DECODE, has_graphs=False) == 32


def runs_of(seconds: np.ndarray, parts: np.ndarray, gpus: list[str]) -> Runs:
    names = np.array(gpus)
    return Runs(parts, seconds, names, names, np.array(["one"] * len(names)))


@pytest.fixture
def exact() -> Runs:
    """Ten GPUs with four runs each, whose times are 2 x the first part + 3 x the second."""
    random = np.random.default_rng(7)
    parts = random.uniform(1, 5, (40, 3))
    return runs_of(parts @ [2.0, 3.0, 0.0], parts, [f"gpu-{number // 4}" for number in range(40)])


def test_the_fit_finds_the_coefficients_and_no_cost_of_what_is_free(exact: Runs) -> None:
    assert speed_fit.fit(exact) == pytest.approx([2, 3, 0], abs=1e-6)


def test_one_strange_gpu_does_not_move_the_fit(exact: Runs) -> None:
    strange = exact.gpu == "gpu-3"
    seconds = np.where(strange, 4 * exact.seconds, exact.seconds)
    found = speed_fit.fit(runs_of(seconds, exact.parts[:, :2], exact.gpu.tolist()))
    assert found == pytest.approx([2, 3], rel=0.03)


def test_a_gpu_is_predicted_without_its_own_runs(exact: Runs) -> None:
    strange = exact.gpu == "gpu-3"
    seconds = np.where(strange, 4 * exact.seconds, exact.seconds)
    runs = runs_of(seconds, exact.parts[:, :2], exact.gpu.tolist())
    checked = speed_fit.check(runs, runs)
    assert np.exp(checked.error[strange]) == pytest.approx(np.full(4, 0.25), rel=0.03)
    assert not checked.is_covered[strange].any()


def test_intervals_are_wide_enough_for_nine_in_ten(exact: Runs) -> None:
    errors = np.linspace(-0.5, 0.5, 40)
    assert speed_fit.half_widths(exact, errors) == {"one": pytest.approx(np.sort(np.abs(errors))[35])}


def test_intervals_count_every_gpu_alike() -> None:
    """Nine in ten runs of a GPU with a thousand say nothing about the next GPU: half of three GPUs' runs are off by 0.5."""
    gpus = ["many"] * 1000 + ["second"] * 4 + ["third"] * 4
    errors = np.array([0.1] * 1000 + [0.1, 0.1, 0.5, 0.5] + [0.1, 0.1, 0.1, 0.5])
    assert speed_fit.half_widths(runs_of(errors, errors[:, None], gpus), errors) == {"one": 0.5}


def test_a_class_to_which_nothing_is_fitted_has_the_errors_of_its_own_runs(exact: Runs) -> None:
    """Its runs take twice as long as the fit of the others says."""
    apart = runs_of(2 * exact.seconds, exact.parts, exact.gpu.tolist())
    compared = Runs(apart.parts, apart.seconds, apart.gpu, apart.origin, np.array(["other"] * 40))
    widths = speed_fit.class_widths(exact, compared)
    assert widths == {"one": pytest.approx(0, abs=1e-6), "other": pytest.approx(np.log(2), abs=1e-6)}
