"""Facts about the model of a figure: bounds of its tokens per second, and whether all of its layers were on the GPU.

The bounds are a model's arithmetic on the GPU's fastest units, and its weights over the memory bandwidth. They flag figures
that cannot be true, and no more: real rates are well below them.
"""

import re
from collections.abc import Collection
from pathlib import Path
from typing import TypeVar

from pipeline.fetch import snapshots
from pipeline.schema import Record
from pipeline.schema.benchmarks import Measurement
from pipeline.schema.llm import LlmConfig
from pipeline.schema.specs import Gpu
from sources import Accepted, Parser
from sources.inference import llm_model_configs

_RATES = (
    "fp32_tflops", "fp16_tflops", "tf32_tensor_tflops", "fp16_tensor_tflops", "bf16_tensor_tflops", "fp8_tensor_tflops",
    "fp16_tensor_fp16_accumulate_tflops", "int8_tops", "int8_tensor_tops", "fp4_tensor_tflops",
)  # fmt: skip
_SMALLEST_MODEL = 260_000  # parameters of stories260K, the smallest model that llama.cpp is tested with
_WITHOUT_EMBEDDING = 1 / 3  # share of a small model's parameters that each token passes through: the rest is a table
_ACTIVE_EXPERTS = 1 / 64  # of a mixture of experts; the sparsest published ones activate 1/31
_EXPERTS = re.compile(r"moe|\d+x\d|\bA\d|x\d+E|deepseek|gpt-oss|mixtral|dots1|grok|dbrx|kimi|minimax", re.IGNORECASE)
_SIZE = re.compile(r"(?:^|; )model_size=(\d+(?:\.\d+)?) (bytes|[KMGT]iB)(?=;|$)")
_PARAMETERS = re.compile(r"(?:^|; )parameters=(\d+(?:\.\d+)?) ?([KMBT])?(?=;|$)")
_MODEL = re.compile(r"(?:^|; )model=([^;]*)")
_ON_GPU = re.compile(r"(?:^|; )ngl=(\d+)(?=;|$)")
_ALL_LAYERS = 99  # llama-bench's default, which means all
_TABLE_DIGITS = 1e5  # the configurations have their parameters in billions, with four decimals
R = TypeVar("R", bound=Record)
Layers = Collection[tuple[int, int]]  # parameters and layers of a model
_SCALES = {"": 1, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


def peak_tokens(figure: Measurement, gpu: Gpu, count: int) -> float | None:
    """Most tokens per second that `count` GPUs can process; None if no rate of the GPU is known."""
    bounds = [bound for bound in (_compute_bound(figure, gpu, count), _bandwidth_bound(figure, gpu, count)) if bound]
    return min(bounds, default=None)


def stored_rows(parser: Parser, data: Path, kind: type[R]) -> list[R]:
    """The accepted rows of one kind in the stored files of a source."""
    files = snapshots.stored_files(parser.SOURCE, data)
    rows = (item.row for file in files for item in parser.parse(file.document()) if isinstance(item, Accepted))
    return [row for row in rows if isinstance(row, kind)]


def load_layers(data: Path) -> Layers:
    """Number of parameters and of layers of the models whose configuration is known."""
    configs = stored_rows(llm_model_configs, data, LlmConfig)
    return {(row.n_parameters, row.n_layers) for row in configs if row.n_parameters and row.n_layers}


def offload_flag(figure: Measurement, known: Layers) -> str | None:
    """Flag of a model whose layers were not all on the GPU, or may not have been. llama.cpp counts the output as a layer."""
    match = _ON_GPU.search(figure.workload or "")
    if not match or "non_cuda" in (figure.flags or ""):
        return None
    layers = _layers_of(figure, known)
    if layers is None:
        return "offload_unknown" if int(match[1]) < _ALL_LAYERS else None
    return "partial_offload" if int(match[1]) <= layers else None


def _layers_of(figure: Measurement, known: Layers) -> int | None:
    """Layers of the models that have the printed number of parameters; None if there is none, or they differ."""
    parameters, match = _scaled(_PARAMETERS, figure), _PARAMETERS.search(figure.workload or "")
    if parameters is None or match is None:
        return None
    last_digit = _SCALES[match[2] or ""] / 10 ** len(match[1].partition(".")[2])
    found = {layers for n, layers in known if abs(n - parameters) <= max(last_digit, _TABLE_DIGITS) / 2}
    return found.pop() if len(found) == 1 else None


def _compute_bound(figure: Measurement, gpu: Gpu, count: int) -> float | None:
    """Two operations per parameter and token."""
    rate = max((getattr(gpu, name) or 0 for name in _RATES), default=0)
    parameters = _scaled(_PARAMETERS, figure) or _SMALLEST_MODEL
    return rate * 1e12 * count / (2 * parameters * _share(figure)) if rate else None


def _bandwidth_bound(figure: Measurement, gpu: Gpu, count: int) -> float | None:
    """One token after another reads the weights each time, except those that the second-level cache holds."""
    size = _scaled(_SIZE, figure)
    if figure.metric != "generation_throughput" or not size or not gpu.memory_bandwidth_gb_per_s or not gpu.l2_cache_mb:
        return None
    read = size * _share(figure) - gpu.l2_cache_mb * 2**20 * count
    return gpu.memory_bandwidth_gb_per_s * 1e9 * count / read if read > 0 else None


def _share(figure: Measurement) -> float:
    """Share of the weights that a token uses at least."""
    model = _MODEL.search(figure.workload or "")
    return _WITHOUT_EMBEDDING * (_ACTIVE_EXPERTS if model and _EXPERTS.search(model[1]) else 1)


def _scaled(pattern: re.Pattern[str], figure: Measurement) -> float | None:
    match = pattern.search(figure.workload or "")
    return float(match[1]) * _SCALES[match[2] or ""] if match else None
