"""GPU models and their variants: an H100 is sold as SXM5, PCIe and NVL. Names of GPUs belong in `rules`."""

import datetime as dt
import functools
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.errors import BuildError
from pipeline.gpu_identity.rules import name_line, read_rows
from pipeline.paths import DATA
from pipeline.readers import RefusedError, numbers

SPECS = DATA / "specs" / "gpus.csv"


@dataclass(frozen=True, slots=True)
class Variant:
    """One row of data/specs/gpus.csv: the model, the attributes in which variants of a model can differ, and the release."""

    gpu_model_id: str
    form_factor: str
    memory_gb: float
    released_on: dt.date | None


@functools.cache
def load_variants() -> dict[str, Variant]:
    """Read the variants by gpu_id. Raises BuildError with file and line where a row cannot be used."""
    variants = {}
    for line, row in read_rows(SPECS, "gpu_id", "gpu_model_id", "form_factor", "memory_gb", "release_date"):
        with name_line(SPECS, line):
            memory_gb, released_on = numbers.parse_number(row["memory_gb"]), _parse_date(row["release_date"])
        variants[row["gpu_id"]] = Variant(row["gpu_model_id"], row["form_factor"], memory_gb, released_on)
    return variants


def _parse_date(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text) if text else None
    except ValueError:
        raise RefusedError("PARSE", f"{text!r} is not a date such as 2026-11-20") from None


def variant(gpu_id: str) -> Variant:
    """Return the variant. Raises BuildError for a GPU that the specifications lack."""
    variants = load_variants()
    if gpu_id not in variants:
        raise BuildError(f"data/names: a rule names {gpu_id}, which data/specs/gpus.csv lacks; add it there or correct the rule")
    return variants[gpu_id]


@functools.cache
def siblings(gpu_id: str) -> frozenset[str]:
    """Return all variants of the model of a GPU."""
    model = variant(gpu_id).gpu_model_id
    return frozenset(name for name, other in load_variants().items() if other.gpu_model_id == model)


def unstated_attributes(variants: Sequence[Variant]) -> tuple[str, ...]:
    """Return what a label must state to tell the variants apart: form factor and memory where they differ, else edition."""
    forms, sizes = {one.form_factor for one in variants}, {one.memory_gb for one in variants}
    differing = (("form factor", len(forms) > 1), ("memory", len(sizes) > 1))
    return tuple(name for name, differs in differing if differs) or ("edition",)
