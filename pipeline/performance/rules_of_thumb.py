"""Rules of thumb of the guides, tested against the measured index and the measured rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import ndtri, stdtrit

from pipeline.performance import features, panel
from pipeline.performance.bootstrap import clustered_median
from pipeline.performance.panel import FAMILIES, Floats
from pipeline.schema.performance import RuleOfThumb

LEVEL = 0.95
MIN_GPUS = 5
DIGITS = 6  # precision of the index: GPUs with the same rows differ only in later digits, and are a tie
INDICATORS = ("fp16_tensor_tflops", "fp32_tflops", "memory_bandwidth_gb_per_s", "fp16_tflops")
# by importance: tensor cores, FLOPS, bandwidth, 16-bit; for recurrent networks bandwidth, 16-bit, tensor cores, FLOPS
GUIDE_ORDER = {
    "cnn": ("fp16_tensor_tflops", "fp32_tflops", "memory_bandwidth_gb_per_s", "fp16_tflops"),
    "transformer": ("fp16_tensor_tflops", "fp32_tflops", "memory_bandwidth_gb_per_s", "fp16_tflops"),
    "rnn": ("memory_bandwidth_gb_per_s", "fp16_tflops", "fp16_tensor_tflops", "fp32_tflops"),
}
ADA_PAIR = ("nvidia-rtx-6000-ada-48gb", "nvidia-geforce-rtx-4090-24gb")
TENSOR_CORES_WITHOUT_TF32 = ("NVIDIA 7.0", "NVIDIA 7.5")  # Volta and Turing
WORDS = dict(zip(INDICATORS, ("tensor cores", "FLOPS", "memory bandwidth", "16-bit capability"), strict=True))
BANDWIDTH = "memory_bandwidth_gb_per_s"
TENSOR_CORES = "fp16_tensor_tflops"
FOLLOWS = 0.9  # an order follows another from this rank correlation on
ABOUT = 1 / 1.1  # `about` and `roughly` allow 10%, as in the audit


@dataclass(frozen=True, slots=True)
class Agreement:
    """A number of GPUs and their rank correlation with its interval; without it for fewer than MIN_GPUS or a constant side."""

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


def spearman(one: Floats, other: Floats) -> float:
    """Return Spearman's rank correlation; values equal to DIGITS digits share their mean rank. NaN where one side is constant."""
    sides = pl.DataFrame({"one": one, "other": other}).select(pl.all().round_sig_figs(DIGITS))
    return float(sides.select(pl.corr("one", "other", method="spearman")).item())


def agreement(rule: Floats, measured: Floats) -> Agreement:
    """Correlate two orders of the same GPUs by Spearman, without NaN; interval of Bonett and Wright (2000)."""
    both = np.isfinite(rule) & np.isfinite(measured)
    n = int(both.sum())
    if n < MIN_GPUS:
        return Agreement(n)
    rho = spearman(rule[both], measured[both])
    if not np.isfinite(rho):
        return Agreement(n)
    reach = float(ndtri((1 + LEVEL) / 2)) * np.sqrt((1 + rho**2 / 2) / (n - 3))
    center = np.arctanh(min(max(rho, -0.9999), 0.9999))
    return Agreement(n, rho, float(np.tanh(center - reach)), float(np.tanh(center + reach)))


def order_agreement(claimed: tuple[str, ...], measured: dict[str, float]) -> float:
    """Correlate a claimed order of importance (most important first) with the measured correlations, by rank."""
    return spearman(-np.arange(len(claimed), dtype=np.float64), np.array([measured[name] for name in claimed]))


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: id, statement, guide and its claim, the quantity that tests it, and the smallest value that confirms it."""

    rule_id: str
    statement: str
    source_id: str | None
    quantity: str
    expected: float | None = None
    claim_id: str | None = None
    names_families: bool = False  # else the statement is about all kinds of networks together

    def row(self, family: str, result: Agreement, precision: str = "fp16") -> RuleOfThumb:
        """Return the rule with the result of its test."""
        claim_id = self.claim_id if self.names_families or family == "all" else None
        holds = None if self.expected is None or result.value is None else result.value >= self.expected - 1e-9
        return RuleOfThumb(
            rule_id=self.rule_id, statement=self.statement, source_id=self.source_id, claim_id=claim_id, family=family,
            precision=precision, quantity=self.quantity, value=result.value, ci_low=result.low, ci_high=result.high, n=result.n,
            expected=self.expected, holds=holds,
        )  # fmt: skip


BY_INDICATOR = {name: Rule(f"order_by_{name}", f"GPUs rank by {name}", None, "rank_correlation") for name in INDICATORS}
IMPORTANCE = {
    family: Rule(
        "order_of_importance",
        f"What matters, most first: {', '.join(WORDS[name] for name in order)}",
        "wechat-2022",
        "rank_correlation",
        1.0,
        "w04",
        True,
    )
    for family, order in GUIDE_ORDER.items()
}
BANDWIDTH_BEST = Rule(
    "bandwidth_best_indicator",
    "With tensor cores, bandwidth is one of the best indicators: its rank correlation less the second best of the others",
    "dettmers-2020",
    "difference",
    0.0,
    "d17",
)
COMPUTE = Rule(
    "compute_of_the_precision",
    "Speed roughly follows the compute of the precision in use",
    "autodl-2022",
    "rank_correlation",
    claim_id="a04",
)
ESTIMATE = Rule(
    "speed_estimated_from_compute",
    "Speed is estimated from the compute of the precision in use: smaller over larger of estimate and measurement, median",
    "autodl-2022",
    "ratio",
    ABOUT,
    "a04",
)
MIXED = Rule(
    "mixed_precision_twice",
    "Mixed precision usually gives at least twice the speed on Volta and Turing",
    "autodl-2022",
    "ratio",
    2.0,
    "a05",
)
ADA = Rule(
    "ada_workstation_ahead",
    "The RTX 6000 Ada is about 10% faster than the RTX 4090",
    "pro-vs-consumer-2023",
    "ratio",
    1.09,
    "c03",
)
MEMORY = Rule(
    "batch_follows_memory", "The largest batch follows the memory", "paperspace-2022", "rank_correlation", FOLLOWS, "p19"
)


def evaluate_rules(cells: pl.DataFrame, measured: pl.DataFrame, specs: pl.DataFrame) -> list[RuleOfThumb]:
    """Test every rule. `measured` contains the measured rows of performance_index, `specs` one row per GPU."""
    with_specs = measured.join(specs, on="gpu_id", how="left", maintain_order="left")
    return [
        *_test_indicators(with_specs),
        *_test_compute(with_specs),
        MIXED.row("all", _mixed_precision_gain(cells, specs)),
        ADA.row("all", _ada_ratio(cells)),
        MEMORY.row("all", _batch_memory_correlation(cells, specs)),
    ]


def _test_indicators(with_specs: pl.DataFrame) -> Iterator[RuleOfThumb]:
    """Test how well each specification orders the GPUs, the guide's order of importance, and bandwidth as the best indicator."""
    for family in (*FAMILIES, "all"):
        rows = with_specs.filter(pl.col("family") == family, pl.col("precision") == "fp16")
        agreements = {name: agreement(*features.numbers(rows, name, "index").T) for name in INDICATORS}
        yield from (BY_INDICATOR[name].row(family, one) for name, one in agreements.items())
        value = {name: one.value for name, one in agreements.items() if one.value is not None}
        if len(value) < len(INDICATORS):
            continue
        if family in GUIDE_ORDER:
            order = GUIDE_ORDER[family]
            yield IMPORTANCE[family].row(family, Agreement(len(order), order_agreement(order, value)))
        yield BANDWIDTH_BEST.row(family, _bandwidth_lead(rows))


def _bandwidth_lead(rows: pl.DataFrame) -> Agreement:
    """Return the rank correlation of bandwidth less the second best of the other indicators, on GPUs with tensor cores."""
    rows = rows.filter(pl.col(TENSOR_CORES).is_not_null())
    found = {name: agreement(*features.numbers(rows, name, "index").T).value for name in INDICATORS}
    rest = sorted(one for name, one in found.items() if name != BANDWIDTH and one is not None)
    bandwidth = found[BANDWIDTH]
    if bandwidth is None or len(rest) < 2:
        return Agreement(len(rows))
    return Agreement(len(rows), bandwidth - rest[-2])


def _test_compute(with_specs: pl.DataFrame) -> Iterator[RuleOfThumb]:
    """Correlate each index with the compute of its precision, by rank, and estimate it in proportion."""
    for precision, name in features.TENSOR.items():
        for family in (*FAMILIES, "all"):
            rows = with_specs.filter(pl.col("family") == family, pl.col("precision") == precision)
            compute, speed = features.numbers(rows, name, "index").T
            yield COMPUTE.row(family, agreement(compute, speed), precision)
            yield ESTIMATE.row(family, _estimate(compute, speed), precision)


def _estimate(rule: Floats, measured: Floats) -> Agreement:
    """Return the median of smaller over larger of measured speeds and speeds in proportion to the rule, at the median factor."""
    known = np.isfinite(rule) & np.isfinite(measured)
    n = int(known.sum())
    if n < MIN_GPUS:
        return Agreement(n)
    ratio = np.log(measured[known] / rule[known])
    return Agreement(n, float(np.exp(-np.median(np.abs(ratio - np.median(ratio))))))


def _mixed_precision_gain(cells: pl.DataFrame, specs: pl.DataFrame) -> Agreement:
    """Return throughput in 16-bit over 32-bit of one GPU of Volta or Turing, each at its largest batch; median over rows."""
    gpu_ids = specs.filter(pl.col("generation").is_in(TENSOR_CORES_WITHOUT_TF32))["gpu_id"]
    rows = panel.singles(cells).filter(pl.col("gpu_id").is_in(gpu_ids.implode()))
    half, single = (rows.filter(pl.col("precision") == one) for one in ("fp16", "fp32"))
    both = half.join(single, on=["panel", "gpu_id"], suffix="_32", maintain_order="left")
    return _median((both["throughput"] / both["throughput_32"]).to_numpy(), both["workload"].to_list())


def _median(values: Floats, clusters: list[str]) -> Agreement:
    return Agreement(len(values), *(clustered_median(values, clusters) if len(values) else ()))


def _ada_ratio(cells: pl.DataFrame) -> Agreement:
    """Return RTX 6000 Ada over RTX 4090, one GPU, each at its largest batch; geometric mean over workloads, Student's t."""
    rows = panel.singles(cells).filter(pl.col("precision") == "fp16", pl.col("core").fill_null(True))
    sides = [rows.filter(pl.col("gpu_id") == gpu_id) for gpu_id in ADA_PAIR]
    both = sides[0].join(sides[1], on="panel", suffix="_4090", maintain_order="left")
    ratio = np.log((both["throughput"] / both["throughput_4090"]).to_numpy())
    if len(ratio) < 3:
        return Agreement(len(ratio))
    middle, error = float(ratio.mean()), float(ratio.std(ddof=1) / np.sqrt(len(ratio)))
    reach = float(stdtrit(len(ratio) - 1, 0.975)) * error
    return Agreement(len(ratio), float(np.exp(middle)), float(np.exp(middle - reach)), float(np.exp(middle + reach)))


def _batch_memory_correlation(cells: pl.DataFrame, specs: pl.DataFrame) -> Agreement:
    """Return the median rank correlation of the largest measured batch with memory, over panels of at least MIN_GPUS GPUs."""
    rows = panel.singles(cells).filter(pl.col("precision") == "fp16").join(specs, on="gpu_id", how="left", maintain_order="left")
    correlations = [
        (str(part["workload"][0]), one.value)
        for _, part in rows.group_by("panel", maintain_order=True)
        if (one := agreement(*features.numbers(part, "memory_gb", "batch_per_gpu").T)).value is not None
    ]
    return _median(np.array([rho for _, rho in correlations], dtype=np.float64), [workload for workload, _ in correlations])
