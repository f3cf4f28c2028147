"""Frames of the performance model as arrays and as cards, and records as frames."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.performance.inputs import TYPES
from pipeline.performance.panel import Floats
from pipeline.performance.predict import Cards
from pipeline.schema.core import Record

TENSOR = {"fp16": "fp16_tensor_tflops", "fp32": "fp32_compute_tflops"}


def of_records(rows: Sequence[Record], kind: type[Record]) -> pl.DataFrame:
    """Records as the query of their table would give them."""
    columns = kind.__table__.columns
    values = {column.name: [getattr(row, column.name) for row in rows] for column in columns}
    return pl.DataFrame(values, schema={column.name: TYPES[column.sql_type] for column in columns})


def numbers(rows: pl.DataFrame, *names: str) -> Floats:
    """Columns as floats (rows, names), NaN where unknown."""
    values: Floats = rows.select(pl.col(name).cast(pl.Float64).fill_null(np.nan) for name in names).to_numpy()
    return values


def cards(rows: pl.DataFrame, precision: str, effect: dict[str, float]) -> Cards:
    """The cards of `specs` with their log features and, where given, log performance."""
    features = np.log(numbers(rows, "memory_bandwidth_gb_per_s", TENSOR[precision], "sm_count", "tdp_w", "memory_gb"))
    ids = texts(rows, "gpu_id")
    return Cards(ids, features, texts(rows, "generation"), np.array([effect.get(one, np.nan) for one in ids]))


def texts(rows: pl.DataFrame, name: str) -> NDArray[np.str_]:
    """A column as an array of strings."""
    return np.array(rows[name].to_list(), dtype=str)
