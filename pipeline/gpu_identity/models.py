"""GPU models and their variants: an H100 is sold as SXM5, PCIe and NVL. Names of GPUs belong in `rules`."""

import csv
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import BuildError


@dataclass(frozen=True, slots=True)
class Variant:
    """One row of data/specs/gpus.csv: the model and the attributes in which variants of a model can differ."""

    gpu_model_id: str
    form_factor: str
    memory_gb: str


@functools.cache
def load_variants(path: str) -> dict[str, Variant]:
    """Read the variants by gpu_id. Raises BuildError if the file cannot be read."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
        return {row["gpu_id"]: Variant(row["gpu_model_id"], row["form_factor"], row["memory_gb"]) for row in rows}
    except (OSError, UnicodeDecodeError, csv.Error, KeyError) as error:
        raise BuildError(f"{path}: cannot be read ({error}); restore the file") from None


def unstated_attributes(variants: Sequence[Variant]) -> tuple[str, ...]:
    """Return what a label must state to tell the variants apart: form factor and memory where they differ, else edition."""
    differing = {
        "form factor": {variant.form_factor for variant in variants},
        "memory": {variant.memory_gb for variant in variants},
    }
    return tuple(name for name, values in differing.items() if len(values) > 1) or ("edition",)
