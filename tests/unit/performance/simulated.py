"""Throughput rows of a world whose truth is known."""

import numpy as np
import polars as pl

from pipeline.performance import panel

REFERENCE = "nvidia-geforce-rtx-2080-ti-11gb"


def rows(*measured: dict) -> pl.DataFrame:
    """Rows with the columns that `panel.usable` asks for; what a row does not say is alike for all."""
    common = {
        "source_id": "lab", "suite": "one", "software": "s", "workload": "w", "variant": None, "settings": None, "family": "cnn",
        "core": True, "precision": "fp16", "raw_gpu_name": "gpu", "gpu_id": REFERENCE, "gpu_count": 1, "batch_per_gpu": 64,
        "throughput": 100.0, "unit": "images/s", "interconnect": None, "flag": None,
    }  # fmt: skip
    schema = {"variant": pl.String, "settings": pl.String, "interconnect": pl.String, "flag": pl.String, "core": pl.Boolean}
    return pl.DataFrame([common | one for one in measured], schema_overrides=schema)


def cells_of(*measured: dict) -> pl.DataFrame:
    """The cells of such rows."""
    return panel.cells(panel.usable(rows(*measured)))


def panels(effects: dict[str, float], workloads: int, noise: float, seed: int) -> pl.DataFrame:
    """Every GPU in every workload: T = exp(GPU + workload + error), error normal."""
    generator = np.random.default_rng(seed)
    made = []
    for number in range(workloads):
        level = generator.normal(4, 1)
        for gpu, effect in effects.items():
            value = float(np.exp(effect + level + generator.normal(0, noise)))
            made.append({"workload": f"w{number}", "gpu_id": gpu, "throughput": value})
    return rows(*made)
