"""Resolve a GPU label: raw label, context and reported memory to a variant, to a model, or to the reason why not.

A label is split into words; the words that no rule ignores must be exactly the set of one family of
data/names/rules/families.csv. There is no fuzzy and no partial match: one word more is another GPU.
A label that names one model and leaves its variant open ("H100" without form factor) resolves to the model.
Machine names of providers are matched against instance_types.csv first. Labels of one source
(data/names/<source_id>.csv) take precedence over all rules.
"""

import functools
import os
import re
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.errors import BuildError
from pipeline.gpu_identity import tokens
from pipeline.gpu_identity.models import Variant, load_variants, unstated_attributes
from pipeline.gpu_identity.rules import Family, Machine, Rules, load_rules, normalize_name, read_aliases
from pipeline.gpu_identity.tokens import ParsedLabel

__all__ = ["NAMES", "SPECS", "Resolution", "resolve"]

NAMES = Path(os.environ.get("GPULEDGER_DATA", Path(__file__).resolve().parents[2] / "data")) / "names"

MAX_LABEL = 200
_RULES = str(NAMES / "rules")
SPECS = NAMES.parent / "specs" / "gpus.csv"
MIN_MEMORY_RATIO, MAX_MEMORY_RATIO = 0.905, 1.075  # drivers report less than the nominal memory, decimal units more
MAX_GPUS_IN_TOTAL = 16
_FORBIDDEN = re.compile(r"[<>{}|;\"`$\\^\[\]\x00-\x1f\x7f]|\.\./|^=")
_PIECES = re.compile(r"(?<![^\s(])(?=\S*\d)[^\s();,]{4,}")
_LEADING = re.compile(r"(\d{1,3})x ")
_SEVERAL = re.compile(r"[,/&+]| or | and ")

_StatedMemory = tuple[float | None, bool, bool]  # GB, whether it may imply the count, whether it may be the total of all GPUs


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


def resolve(label: str, context: str = "", reported_memory_gb: float | None = None, scope: str | None = None) -> Resolution:
    """Resolve a label to a GPU. `scope` is the source whose own labels take precedence over the rules."""
    resolution = _resolve(label, context, reported_memory_gb, scope)
    return replace(resolution, gpu_model_id=_variant(resolution.gpu_id).gpu_model_id) if resolution.gpu_id else resolution


def _resolve(label: str, context: str, reported_memory_gb: float | None, scope: str | None) -> Resolution:
    if scope and (alias := _aliases(NAMES, scope).get(label)):
        return Resolution(gpu_id=alias[0], rule=f"label of {scope}: {alias[1]}")
    if problem := _label_problem(label):
        return _unresolved("NOT_A_GPU", problem)
    rules = load_rules(_RULES)
    machine = _resolve_machine(label, tokens.context_words(context), reported_memory_gb, rules)
    return machine or _resolve_gpu(label, context, reported_memory_gb, rules)


@functools.cache
def _aliases(names: Path, scope: str) -> dict[str, tuple[str, str]]:
    return read_aliases(names / f"{scope}.csv") if re.fullmatch(r"[\w-]+", scope) else {}


def _variant(gpu_id: str) -> Variant:
    variants = load_variants(str(SPECS))
    if gpu_id not in variants:
        raise BuildError(f"data/names: a rule names {gpu_id}, which data/specs/gpus.csv lacks; add it there or correct the rule")
    return variants[gpu_id]


def _unresolved(code: str, reason: str, rule: str = "") -> Resolution:
    return Resolution(rule=rule, reason_code=code, reason=reason)


def _label_problem(label: str) -> str:
    if len(label) > MAX_LABEL:
        return f"longer than {MAX_LABEL} characters"
    if _FORBIDDEN.search(label) or any(unicodedata.category(char) == "Cf" for char in label if not char.isascii()):
        return "has signs that no card's name has"
    return ""


def _resolve_machine(label: str, context: frozenset[str], memory_gb: float | None, rules: Rules) -> Resolution | None:
    """Match the label, or one piece of it, as a provider's instance type."""
    for piece in (label, *_PIECES.findall(label)):
        name = normalize_name(piece)
        for machine in rules.candidate_machines(name):
            match = machine.regex.fullmatch(name)
            if match and (not machine.providers or machine.providers & context):
                return _with_leading_count(label, piece, _machine_resolution(machine, match, memory_gb))
    return None


def _with_leading_count(label: str, piece: str, machine: Resolution) -> Resolution:
    """Use the count at the start of a title: it is the number of GPUs offered, whatever the machine in it has."""
    count = _LEADING.match(label)
    return replace(machine, gpu_count=int(count[1])) if count and piece != label and machine.partition == "whole" else machine


def _machine_resolution(machine: Machine, match: re.Match[str], memory_gb: float | None) -> Resolution:
    rule = f"machine {machine.pattern}: {machine.rule}"
    if machine.reason_code:
        return _unresolved(machine.reason_code, f"{machine.pattern}: {machine.rule}", rule)
    n = int(match[1]) if match.re.groups else None
    return _with_quantity(Resolution(gpu_id=machine.gpu_id, rule=rule), machine.quantity, n, memory_gb)


def _with_quantity(resolution: Resolution, quantity: str, n: int | None, memory_gb: float | None) -> Resolution:
    """Set count and fraction from the rule's quantity: whole GPUs, or a share of one."""
    if quantity == "part":
        return replace(resolution, partition="fraction")
    above, _, below = quantity.partition("/")
    value = {"n": n, "memory": memory_gb, "": None}.get(above, int(above) if above.isdigit() else None)
    if value is None:
        return resolution
    gpus = value / int(below or 1)
    if gpus < 1:
        return replace(resolution, partition="fraction", gpu_count=1, fraction=gpus)
    return replace(resolution, gpu_count=int(gpus)) if gpus == int(gpus) else resolution


def _resolve_gpu(label: str, context: str, memory_gb: float | None, rules: Rules) -> Resolution:
    roles = tokens.context_roles(context, rules.phrases)
    parsed = tokens.parse_label(label, rules, roles)
    families, bare_gb = _find_families(parsed, rules)
    if not families:
        return _explain_failure(label, parsed, rules)
    nearby = tokens.context_words(context) | parsed.chunks
    stated = [*((gb, position > 0, False) for position, gb in enumerate(parsed.memories)), (bare_gb, False, False)]
    stated.append((memory_gb or None, "total_context" in roles, "total_context" in roles))
    of_provider = [family for family in families if family.providers & nearby]
    of_any = [family for family in families if not family.providers]
    if others := tokens.context_words(context) & rules.words["other_card"] - set(parsed.words):
        return _unresolved(
            "UNKNOWN_GPU", f"{_describe(parsed)}: the context says {' '.join(sorted(others))}, which is another card"
        )
    for candidates in (of_provider, of_any):
        rows, count = _filter_families(candidates, parsed, rules, stated)
        if rows:
            return _resolution(_disambiguate(rows, context, rules), parsed, count)
    return _unresolved("UNKNOWN_GPU", f"no card {_describe(parsed)} has the form or memory that is stated")


def _find_families(parsed: ParsedLabel, rules: Rules) -> tuple[list[Family], float | None]:
    """Find the families of exactly these words, else without optional words, else with a bare number read as memory (GB)."""
    words = frozenset(parsed.words)
    required = words - parsed.optional
    for key in (words, required):
        if families := rules.families.get(key):
            return families, None
    for number in (word for word in required if word.isdigit()):
        families = rules.families.get(required - {number}, [])
        if any(family.memory_gb == float(number) for family in families):
            return families, float(number)
    return [], None


def _filter_families(
    candidates: list[Family], parsed: ParsedLabel, rules: Rules, stated: list[_StatedMemory]
) -> tuple[list[Family], int | None]:
    """Return the families that match every stated form, memory type and memory size, and the number of GPUs."""
    rows, count = [row for row in candidates if _form_fits(row, parsed, rules)], parsed.gpus
    if parsed.profile_gb:
        return [row for row in rows if (row.memory_gb or 0) >= parsed.profile_gb], count
    for gb, implies_count, is_total in stated:
        if gb is None or (parsed.partition != "whole" and all(row.memory_gb and gb < row.memory_gb for row in rows)):
            continue
        rows, count = _memory_fits(rows, gb, count, implies_count=implies_count, is_total=is_total)
    return rows, count


def _disambiguate(rows: list[Family], context: str, rules: Rules) -> list[Family]:
    """Choose among several GPUs by the context: by the machine that it names, else by a form factor."""
    if len({row.gpu_id for row in rows}) < 2 or not context:
        return rows
    words = tokens.context_words(context)
    machine = _resolve_machine(context, words, None, rules)
    if machine and any(row.gpu_id == machine.gpu_id for row in rows):
        return [row for row in rows if row.gpu_id == machine.gpu_id]
    forms = words & rules.forms.keys()
    return [row for row in rows if row.form and all(row.form in rules.forms[form] for form in forms)] or rows


def _form_fits(row: Family, parsed: ParsedLabel, rules: Rules) -> bool:
    if parsed.memory_types and row.memory_type and row.memory_type not in parsed.memory_types:
        return False
    return not row.form or all(row.form in rules.forms[form] for form in parsed.forms)


def _memory_fits(
    rows: list[Family], gb: float, count: int | None, *, implies_count: bool, is_total: bool
) -> tuple[list[Family], int | None]:
    """Return the families with that memory per GPU, or in total; with `implies_count` the memory may determine the count."""
    for gpus in (count or 1, 1) if is_total else (1,):
        if matches := _nearest(rows, gb / gpus):
            return matches, count
    if implies_count and count is None:
        for gpus in range(2, MAX_GPUS_IN_TOTAL + 1):
            if matches := [row for row in rows if row.memory_gb == gb / gpus]:
                return matches, gpus
    return [], count


def _nearest(rows: list[Family], gb: float) -> list[Family]:
    """Return the families whose nominal memory is nearest to the reported one, within the tolerance of drivers and units."""
    near = [row for row in rows if row.memory_gb is None or MIN_MEMORY_RATIO <= gb / row.memory_gb <= MAX_MEMORY_RATIO]
    best = min((abs(gb - row.memory_gb) for row in near if row.memory_gb), default=0.0)
    return [row for row in near if row.memory_gb is None or abs(gb - row.memory_gb) == best]


def _resolution(rows: list[Family], parsed: ParsedLabel, count: int | None) -> Resolution:
    gpu_ids = sorted({row.gpu_id for row in rows if row.gpu_id})
    deciding = [row for row in rows if row.gpu_id] or rows
    rule = "; ".join(sorted({f"{row.words}: {row.rule}" for row in deciding}))
    if not gpu_ids:
        return _unresolved(rows[0].reason_code or "UNKNOWN_GPU", rows[0].rule, rule)
    fraction = parsed.fraction
    if parsed.profile_gb and rows[0].memory_gb:
        fraction = parsed.profile_gb / rows[0].memory_gb
    quantity = Resolution(
        gpu_count=parsed.slices if parsed.partition == "mig" else count, fraction=fraction, partition=parsed.partition, rule=rule
    )
    return replace(quantity, gpu_id=gpu_ids[0]) if len(gpu_ids) == 1 else _undecided(quantity, gpu_ids, _describe(parsed))


def _undecided(quantity: Resolution, gpu_ids: list[str], label: str) -> Resolution:
    """Return the model that all the GPUs belong to, or AMBIGUOUS_GPU where they belong to several."""
    variants = [_variant(gpu_id) for gpu_id in gpu_ids]
    models = sorted({variant.gpu_model_id for variant in variants})
    can_be = f"{label} can be {', '.join(gpu_ids)}"
    if len(models) > 1:
        return _unresolved("AMBIGUOUS_GPU", f"{can_be}: state the model, form factor or memory", quantity.rule)
    unstated = unstated_attributes(variants)
    return replace(
        quantity,
        gpu_model_id=models[0],
        unstated=unstated,
        candidates=tuple(gpu_ids),
        reason=f"{can_be}: {' and '.join(unstated)} not stated",
    )


def _explain_failure(label: str, parsed: ParsedLabel, rules: Rules) -> Resolution:
    """Return the reason why no family has these words: several GPUs in one label, no GPU at all, or an unknown one."""
    pieces = [piece for piece in _SEVERAL.split(label.lower()) if piece.strip()]
    if len(pieces) > 1:
        matches = [_find_families(tokens.parse_label(piece, rules, frozenset()), rules)[0] for piece in pieces]
        if sum(1 for families in matches if families) > 1:
            return _unresolved("AMBIGUOUS_GPU", "names several cards at once")
    words = set(parsed.words)
    if not any(char.isalpha() for char in parsed.text):
        return _unresolved("NOT_A_GPU", "a number or signs, no name")
    if not words & rules.family_words and parsed.ignored & rules.words["not_gpu"]:
        return _unresolved("NOT_A_GPU", "names a processor or a programmable board, no card")
    if other := words & rules.words["other_card"]:
        return _unresolved(
            "UNKNOWN_GPU", f"{_describe(parsed)}: {' '.join(sorted(other))} makes it another card than the one of that number"
        )
    return _unresolved("UNKNOWN_GPU", f"no card is called {_describe(parsed)}" if words else "names no card")


def _describe(parsed: ParsedLabel) -> str:
    return repr(" ".join(dict.fromkeys([*parsed.words, *parsed.forms])))
