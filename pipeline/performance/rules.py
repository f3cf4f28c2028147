"""The guides' rules of thumb beside what was measured: does the order that a rule gives agree with the measured one?"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import ndtri

from pipeline.performance.panel import Floats

LEVEL = 0.95
FEWEST = 5
DIGITS = 6  # the fit of the index is no finer: cards with the same rows differ in the last digits of their index, and are a tie
INDICATORS = ("fp16_tensor_tflops", "fp32_tflops", "memory_bandwidth_gb_per_s", "fp16_tflops")
# what matters most first: tensor cores, FLOPS, bandwidth, 16-bit; for recurrent networks bandwidth, 16-bit, tensor cores, FLOPS
GUIDE_ORDER = {
    "cnn": ("fp16_tensor_tflops", "fp32_tflops", "memory_bandwidth_gb_per_s", "fp16_tflops"),
    "transformer": ("fp16_tensor_tflops", "fp32_tflops", "memory_bandwidth_gb_per_s", "fp16_tflops"),
    "rnn": ("memory_bandwidth_gb_per_s", "fp16_tflops", "fp16_tensor_tflops", "fp32_tflops"),
}


@dataclass(frozen=True, slots=True)
class Agreement:
    """A rank correlation, its interval and the cards behind it; None with fewer than five cards or one value for all."""

    value: float | None
    low: float | None
    high: float | None
    n: int


def spearman(one: Floats, other: Floats) -> float:
    """Spearman's rank correlation, what is equal to six digits at its mean rank; NaN where one side has one value only."""
    sides = pl.DataFrame({"one": one, "other": other}).select(pl.all().round_sig_figs(DIGITS))
    return float(sides.select(pl.corr("one", "other", method="spearman")).item())


def agreement(rule: Floats, measured: Floats) -> Agreement:
    """Spearman's rank correlation of two orders of the same cards, NaN left out; interval of Bonett and Wright (2000)."""
    both = np.isfinite(rule) & np.isfinite(measured)
    n = int(both.sum())
    if n < FEWEST:
        return Agreement(None, None, None, n)
    rho = spearman(rule[both], measured[both])
    if not np.isfinite(rho):
        return Agreement(None, None, None, n)
    reach = float(ndtri((1 + LEVEL) / 2)) * np.sqrt((1 + rho**2 / 2) / (n - 3))
    centre = np.arctanh(min(max(rho, -0.9999), 0.9999))
    return Agreement(rho, float(np.tanh(centre - reach)), float(np.tanh(centre + reach)), n)


def order_agreement(claimed: tuple[str, ...], found: dict[str, float]) -> float:
    """Rank correlation of a claimed order of importance (most important first) with the measured correlations."""
    return spearman(-np.arange(len(claimed), dtype=np.float64), np.array([found[name] for name in claimed]))
