"""Instance types of providers: the GPU, count and share of the machine that a name means, by instance_types.csv."""

import re
from dataclasses import replace

from pipeline.gpu_identity.resolution import Resolution, choose_gpu, state_reason
from pipeline.gpu_identity.rules import Machine, Rules, normalize_name

_PIECES = re.compile(r"(?<![^\s(])(?=\S*\d)[^\s();,]{4,}")
_SEGMENTS = re.compile(r"[;|,]")
_LEADING = re.compile(r"(\d{1,3})x ")


def resolve_machine(label: str, context: frozenset[str], memory_gb: float | None, rules: Rules) -> Resolution | None:
    """Match the label, a segment or a piece of it as an instance type; words of the context can name the provider."""
    for piece in dict.fromkeys((label, *map(str.strip, _SEGMENTS.split(label)), *_PIECES.findall(label))):
        if found := _match_name(piece, context, memory_gb, rules):
            return _with_leading_count(label, piece, found)
    return None


def _match_name(piece: str, context: frozenset[str], memory_gb: float | None, rules: Rules) -> Resolution | None:
    """Match one name, then the same name without the terms of an offer around it (ml.p5.48xlarge, g4-standard-48-spot)."""
    name = normalize_name(piece)
    for candidate in dict.fromkeys((name, rules.machine_terms.sub("", name))):
        for machine in rules.candidate_machines(candidate):
            match = machine.regex.fullmatch(candidate)
            if match and (not machine.providers or machine.providers & context):
                return _resolution(machine, match, memory_gb)
    return None


def _with_leading_count(label: str, piece: str, machine: Resolution) -> Resolution:
    """Use the count at the start of a title: it is the number of GPUs offered, whatever the machine in it has."""
    count = _LEADING.match(label)
    return replace(machine, gpu_count=int(count[1])) if count and piece != label and machine.partition == "whole" else machine


def _resolution(machine: Machine, match: re.Match[str], memory_gb: float | None) -> Resolution:
    rule = f"machine {machine.pattern}: {machine.rule}"
    if machine.reason_code:
        return state_reason(machine.reason_code, f"{machine.pattern}: {machine.rule}", rule)
    n = int(match[1]) if match.re.groups else None
    found = _with_quantity(Resolution(rule=rule), machine.quantity, n, memory_gb)
    return choose_gpu(found, machine.gpu_ids, repr(machine.pattern))


def _with_quantity(resolution: Resolution, quantity: str, n: int | None, memory_gb: float | None) -> Resolution:
    """Set count and fraction from the rule's quantity: whole GPUs, or a share of one."""
    if quantity == "part":
        return replace(resolution, partition="fraction")
    above, _, below = quantity.partition("/")
    value = {"n": n, "memory": memory_gb, "": None}.get(above, int(above) if above.isdigit() else None)
    if not value:
        return resolution
    per_gpu = int(below.removeprefix("/") or 1)
    if value % per_gpu == 0:
        return replace(resolution, gpu_count=int(value / per_gpu))
    if value > per_gpu or below.startswith("/"):
        return resolution
    return _with_share(resolution, value, per_gpu)


def _with_share(resolution: Resolution, value: float, per_gpu: int) -> Resolution:
    """Set the share of one GPU; clouds offer a half, a third and so on, and any other ratio is none of them."""
    share = value / per_gpu if per_gpu % value == 0 else None
    return replace(resolution, partition="fraction", gpu_count=1 if share else None, fraction=share)
