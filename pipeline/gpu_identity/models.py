"""GPU models and their variants: an H100 is sold as SXM5, PCIe and NVL. Names of GPUs belong in `rules`."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.errors import BuildError
from pipeline.gpu_identity.rules import read_rows
from pipeline.paths import DATA
from pipeline.readers import RefusedError, numbers

SPECS = DATA / "specs" / "gpus.csv"


@dataclass(frozen=True, slots=True)
class Variant:
    """One row of data/specs/gpus.csv: the model and the attributes in which variants of a model can differ."""

    gpu_model_id: str
    form_factor: str
    memory_gb: float


@functools.cache
def load_variants() -> dict[str, Variant]:
    """Read the variants by gpu_id. Raises BuildError if the file cannot be read."""
    try:
        return {
            row["gpu_id"]: Variant(row["gpu_model_id"], row["form_factor"], numbers.parse_number(row["memory_gb"], line))
            for line, row in read_rows(SPECS)
        }
    except KeyError as error:
        raise BuildError(f"{SPECS}: no column {error}; restore the file") from None
    except RefusedError as refused:
        raise BuildError(f"{SPECS} line {refused.line}: {refused.reason}; correct the row") from None


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
