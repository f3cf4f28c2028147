"""Frames as arrays, and GPUs with log features."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.performance.panel import Floats
from pipeline.performance.predict import Gpus

TENSOR = {"fp16": "fp16_tensor_tflops", "fp32": "fp32_compute_tflops"}


def numbers(rows: pl.DataFrame, *names: str) -> Floats:
    """Return columns as floats (rows, names), NaN where unknown."""
    values: Floats = rows.select(pl.col(name).cast(pl.Float64).fill_null(np.nan) for name in names).to_numpy()
    return values


def gpus_of(specs: pl.DataFrame, precision: str, effect: dict[str, float]) -> Gpus:
    """Build the GPUs of a frame of specifications with log features and, where `effect` has it, log performance."""
    features = np.log(numbers(specs, "memory_bandwidth_gb_per_s", TENSOR[precision], "sm_count", "tdp_w", "memory_gb"))
    ids = texts(specs, "gpu_id")
    return Gpus(ids, features, texts(specs, "generation"), np.array([effect.get(gpu_id, np.nan) for gpu_id in ids]))


def texts(rows: pl.DataFrame, name: str) -> NDArray[np.str_]:
    """Return a column as an array of strings."""
    return np.array(rows[name].to_list(), dtype=str)
