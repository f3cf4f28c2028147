"""The answer to a label: a variant, a model, or the reason why there is none. `label_lookup.py` finds it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pipeline.gpu_identity.models import unstated_attributes, variant


@dataclass(frozen=True, slots=True)
class Resolution:
    """Result for one label: a variant, a model, or a reason code of the contract with its text.

    A variant has `gpu_id` and `gpu_model_id`. A model has `gpu_model_id` alone, with what the label leaves open
    (`unstated`), the variants that it can be (`candidates`), and `reason` in words without a code.
    `gpu_count` and `fraction` are None where the label does not state them; a fraction is a share of one GPU.
    """

    gpu_id: str | None = None
    gpu_model_id: str | None = None
    unstated: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    gpu_count: int | None = None
    fraction: float | None = None
    partition: str = "whole"
    rule: str = ""
    reason_code: str | None = None
    reason: str | None = None


def state_reason(code: str, reason: str, rule: str = "") -> Resolution:
    """Return the answer for a label without a GPU or model."""
    return Resolution(rule=rule, reason_code=code, reason=reason)


def choose_gpu(found: Resolution, gpu_ids: Iterable[str], label: str, conflict: str = "") -> Resolution:
    """Return `found` for a label that can be any of the GPUs: the variant, the model, or AMBIGUOUS_GPU for several models.

    `conflict` describes facts that contradict one another.
    """
    candidates = tuple(sorted(set(gpu_ids)))
    variants = [variant(gpu_id) for gpu_id in candidates]
    models = sorted({one.gpu_model_id for one in variants})
    can_be = f"{label} can be {', '.join(candidates)}"
    if len(models) > 1:
        return state_reason("AMBIGUOUS_GPU", f"{can_be}: state the model, form factor or memory", found.rule)
    if len(candidates) == 1:
        return replace(found, gpu_id=candidates[0], gpu_model_id=models[0])
    unstated = unstated_attributes(variants)
    reason = f"{can_be}: {conflict or ' and '.join(unstated) + ' not stated'}"
    return replace(found, gpu_model_id=models[0], unstated=unstated, candidates=candidates, reason=reason)
