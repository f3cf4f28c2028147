"""Confidence intervals of medians by a cluster bootstrap: it draws workloads, because rows of one workload are dependent."""

from collections.abc import Sequence

import numpy as np

from pipeline.performance.panel import Floats

DRAWS, SEED = 1000, 20200907
MIN_CLUSTERS = 3
LEVEL = 0.95


def clustered_median(values: Floats, clusters: Sequence[str]) -> tuple[float, float | None, float | None]:
    """Return the median of the values and its percentile interval over draws of clusters with replacement.

    The interval is None with fewer than three clusters: too few to draw from. (Cameron, Gelbach and Miller 2008.)
    """
    names, at = np.unique(np.asarray(clusters), return_inverse=True)
    middle = float(np.median(values))
    if len(names) < MIN_CLUSTERS:
        return middle, None, None
    generator = np.random.default_rng(SEED)
    times = generator.multinomial(len(names), np.full(len(names), 1 / len(names)), size=DRAWS)
    order = np.argsort(values, kind="stable")
    weight = np.cumsum(times[:, at[order]], axis=1)
    position = (weight >= weight[:, -1:] / 2).argmax(axis=1)
    low, high = np.quantile(values[order][position], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return middle, float(low), float(high)
