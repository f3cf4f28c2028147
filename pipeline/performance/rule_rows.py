"""The rules of thumb as rows: which figure tests each, on the measured index and the measured rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import stdtrit

from pipeline.performance import features, panel
from pipeline.performance.bootstrap import clustered_median
from pipeline.performance.panel import FAMILIES, Floats
from pipeline.performance.rules import GUIDE_ORDER, INDICATORS, Agreement, agreement, order_agreement
from pipeline.schema.performance import RuleOfThumb

ADA_PAIR = ("nvidia-rtx-6000-ada-48gb", "nvidia-geforce-rtx-4090-24gb")
TENSOR_CORES_WITHOUT_TF32 = ("NVIDIA 7.0", "NVIDIA 7.5")  # Volta and Turing
BANDWIDTH = "memory_bandwidth_gb_per_s"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name, what it says, the guide that says it, what kind of figure tests it, and from which value on it holds."""

    rule_id: str
    statement: str
    source_id: str | None
    quantity: str
    expected: float | None = None

    def row(self, family: str, found: Agreement, precision: str = "fp16") -> RuleOfThumb:
        """The rule with what was found."""
        open_ = self.expected is None or found.value is None
        return RuleOfThumb(
            rule_id=self.rule_id, statement=self.statement, source_id=self.source_id, family=family, precision=precision,
            quantity=self.quantity, value=found.value, ci_low=found.low, ci_high=found.high, n=found.n, expected=self.expected,
            holds=None if open_ else (found.value or 0) >= (self.expected or 0) - 1e-9,
        )  # fmt: skip


BY_INDICATOR = {name: Rule(f"order_by_{name}", f"Cards rank by {name}", None, "rank_correlation") for name in INDICATORS}
IMPORTANCE = {
    family: Rule("order_of_importance", f"What matters, most first: {', '.join(order)}", "wechat-2022", "rank_correlation", 1.0)
    for family, order in GUIDE_ORDER.items()
}
BANDWIDTH_BEST = Rule(
    "bandwidth_best_indicator",
    "Bandwidth is the best single indicator: its rank correlation less the best of the others",
    "dettmers-2020",
    "difference",
    0.0,
)
COMPUTE = Rule("compute_of_the_precision", "Speed follows the compute of the precision in use", "autodl-2022", "rank_correlation")
MIXED = Rule(
    "mixed_precision_twice", "Mixed precision gives at least twice the speed on Volta and Turing", "autodl-2022", "ratio", 2.0
)
ADA = Rule(
    "ada_workstation_ahead",
    "The Ada workstation card is 10% ahead of its GeForce sibling",
    "pro-vs-consumer-2023",
    "ratio",
    1.1,
)
MEMORY = Rule("batch_follows_memory", "The largest batch follows the memory", "paperspace-2022", "rank_correlation")


def rule_rows(cells: pl.DataFrame, measured: pl.DataFrame, specs: pl.DataFrame) -> list[RuleOfThumb]:
    """Every rule. `measured` holds the measured rows of performance_index, `specs` one row per card."""
    known = measured.join(specs, on="gpu_id", how="left", maintain_order="left")
    return [
        *_indicators(known),
        *_compute_of_the_precision(known),
        MIXED.row("all", _mixed_precision(cells, specs)),
        ADA.row("all", _ada_siblings(cells)),
        MEMORY.row("all", _largest_batch(cells, specs)),
    ]


def _indicators(known: pl.DataFrame) -> Iterator[RuleOfThumb]:
    """How well each specification orders the cards, the guide's order of importance, and whether bandwidth is the best."""
    for family in (*FAMILIES, "all"):
        rows = known.filter(pl.col("family") == family, pl.col("precision") == "fp16")
        found = {name: agreement(*features.numbers(rows, name, "index").T) for name in INDICATORS}
        yield from (BY_INDICATOR[name].row(family, one) for name, one in found.items())
        value = {name: one.value for name, one in found.items() if one.value is not None}
        if len(value) < len(INDICATORS):
            continue
        if family in GUIDE_ORDER:
            order = GUIDE_ORDER[family]
            yield IMPORTANCE[family].row(family, Agreement(order_agreement(order, value), None, None, len(order)))
        rest = max(one for name, one in value.items() if name != BANDWIDTH)
        yield BANDWIDTH_BEST.row(family, Agreement(value[BANDWIDTH] - rest, None, None, len(value)))


def _compute_of_the_precision(known: pl.DataFrame) -> Iterator[RuleOfThumb]:
    """Rank correlation of each index with the compute of its precision."""
    for precision, name in features.TENSOR.items():
        for family in (*FAMILIES, "all"):
            rows = known.filter(pl.col("family") == family, pl.col("precision") == precision)
            yield COMPUTE.row(family, agreement(*features.numbers(rows, name, "index").T), precision)


def _mixed_precision(cells: pl.DataFrame, specs: pl.DataFrame) -> Agreement:
    """Throughput in 16-bit over 32-bit of one card of Volta or Turing, each at its largest batch; median over rows."""
    cards = specs.filter(pl.col("generation").is_in(TENSOR_CORES_WITHOUT_TF32))["gpu_id"]
    rows = panel.singles(cells).filter(pl.col("gpu_id").is_in(cards.implode()))
    half, single = (rows.filter(pl.col("precision") == one) for one in ("fp16", "fp32"))
    both = half.join(single, on=["panel", "gpu_id"], suffix="_32", maintain_order="left")
    return _median((both["throughput"] / both["throughput_32"]).to_numpy(), both["workload"].to_list())


def _median(values: Floats, clusters: list[str]) -> Agreement:
    if not len(values):
        return Agreement(None, None, None, 0)
    return Agreement(*clustered_median(values, clusters), len(values))


def _ada_siblings(cells: pl.DataFrame) -> Agreement:
    """RTX 6000 Ada over RTX 4090, one card, each at its largest batch; geometric mean over workloads, Student's t."""
    rows = panel.singles(cells).filter(pl.col("precision") == "fp16", pl.col("core").fill_null(True))
    sides = [rows.filter(pl.col("gpu_id") == card) for card in ADA_PAIR]
    both = sides[0].join(sides[1], on="panel", suffix="_4090", maintain_order="left")
    ratio = np.log((both["throughput"] / both["throughput_4090"]).to_numpy())
    if len(ratio) < 3:
        return Agreement(None, None, None, len(ratio))
    middle, error = float(ratio.mean()), float(ratio.std(ddof=1) / np.sqrt(len(ratio)))
    reach = float(stdtrit(len(ratio) - 1, 0.975)) * error
    return Agreement(float(np.exp(middle)), float(np.exp(middle - reach)), float(np.exp(middle + reach)), len(ratio))


def _largest_batch(cells: pl.DataFrame, specs: pl.DataFrame) -> Agreement:
    """Rank correlation of the largest measured batch with memory, in each panel of five cards or more; the median."""
    rows = panel.singles(cells).filter(pl.col("precision") == "fp16").join(specs, on="gpu_id", how="left", maintain_order="left")
    found = [
        (str(part["workload"][0]), one.value)
        for _, part in rows.group_by("panel", maintain_order=True)
        if (one := agreement(*features.numbers(part, "memory_gb", "batch_per_gpu").T)).value is not None
    ]
    return _median(np.array([rho for _, rho in found], dtype=np.float64), [workload for workload, _ in found])
