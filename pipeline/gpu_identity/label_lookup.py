"""Resolve a GPU label: raw label, context and reported memory to a variant, to a model, or to the reason why not.

A label is split into words; the words that no rule ignores must be exactly the set of one family of
data/names/rules/families.csv. There is no fuzzy and no partial match: one word more is another GPU.
A label that names one model and leaves its variant open ("H100" without form factor) resolves to the model.
Machine names of providers are matched against instance_types.csv first. Labels of one source
(data/names/<source_id>.csv) take precedence over all rules.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from pipeline.gpu_identity import facts, tokens
from pipeline.gpu_identity.facts import MAX_MEMORY_RATIO, MIN_MEMORY_RATIO
from pipeline.gpu_identity.machines import resolve_machine
from pipeline.gpu_identity.resolution import Resolution, choose_gpu, state_reason
from pipeline.gpu_identity.rules import Family, Rules, load_rules, read_aliases
from pipeline.gpu_identity.tokens import ParsedLabel
from pipeline.paths import DATA
from pipeline.readers.text import remove_invisible

NAMES = DATA / "names"

MAX_LABEL = 200
MAX_GPUS_IN_TOTAL = 16
EXACT_MEMORY = 0.01  # share by which a rounded memory can differ
MAX_MEMORY_OF_MODDED_BOARDS = 3  # times the memory that the maker sells
_FORBIDDEN = re.compile(r"[<>{}|;\"`$\\^\[\]\x00-\x1f\x7f]|\.\./|^=")
_SEVERAL = re.compile(r"[,/&+]| or | and ")


@dataclass(frozen=True, slots=True)
class _StatedMemory:
    """A memory size in GB: whether it may imply the count or be the total of all GPUs; `total_first` where totals are usual.

    `machine_gpus` are the numbers of GPUs that the machine of the label can have.
    """

    gb: float
    machine_gpus: frozenset[int] = frozenset()
    implies_count: bool = False
    can_be_total: bool = False
    total_first: bool = False


def resolve(label: str, context: str = "", reported_memory_gb: float | None = None, scope: str | None = None) -> Resolution:
    """Resolve a label to a GPU. `scope` is the source whose own labels take precedence over the rules."""
    if scope and (alias := _aliases(NAMES, scope).get(label)):
        return choose_gpu(Resolution(rule=f"label of {scope}: {alias[1]}"), [alias[0]], repr(label))
    if problem := _label_problem(label):
        return state_reason("NOT_A_GPU", problem)
    rules = load_rules()
    machine = resolve_machine(label, tokens.context_words(context), reported_memory_gb, rules)
    return machine or _resolve_gpu(label, context, reported_memory_gb, rules)


@functools.cache
def _aliases(names: Path, scope: str) -> dict[str, tuple[str, str]]:
    return read_aliases(names / f"{scope}.csv") if re.fullmatch(r"[\w-]+", scope) else {}


def _label_problem(label: str) -> str:
    if len(label) > MAX_LABEL:
        return f"longer than {MAX_LABEL} characters"
    if _FORBIDDEN.search(label) or remove_invisible(label) != label:
        return "has characters that no GPU's name has"
    return ""


def _resolve_gpu(label: str, context: str, memory_gb: float | None, rules: Rules) -> Resolution:
    roles = tokens.context_roles(context, rules.phrases)
    parsed = tokens.parse_label(label, rules, roles)
    families, bare_gb = _find_families(parsed, rules)
    if not families:
        return _explain_failure(label, parsed, rules)
    if others := tokens.context_words(context) & rules.words["other_gpu"] - set(parsed.words):
        return state_reason(
            "UNKNOWN_GPU", f"{_describe(parsed)}: the context says {' '.join(sorted(others))}, which is another GPU"
        )
    stated = _stated_memories(parsed, bare_gb, memory_gb, roles, rules)
    gpus = facts.variants_of(families)
    stated_elsewhere = facts.context_facts(context, gpus, rules)
    for candidates in _by_provider(families, tokens.context_words(context) | parsed.chunks | roles):
        rows, count = _filter_families(candidates, parsed, rules, stated)
        if rows := facts.consistent(rows, stated_elsewhere):
            return _resolution(rows, parsed, count)
    own = facts.label_facts(parsed.forms, [memory.gb for memory in stated], gpus, rules)
    named = ("the name", frozenset(family.gpu_id for family in families if family.gpu_id))
    possible, conflict = facts.contradiction([named, *own, *stated_elsewhere], gpus)
    if possible:
        deciding = [family for family in families if family.gpu_id in possible and not family.providers]
        return choose_gpu(_quantity(parsed, parsed.gpus, deciding or families), possible, _describe(parsed), conflict)
    return state_reason("UNKNOWN_GPU", f"no GPU {_describe(parsed)} has the form or memory that is stated")


def _by_provider(families: list[Family], nearby: frozenset[str]) -> list[list[Family]]:
    """Return what the provider usually means by the name, then what anybody can mean by it."""
    return [[row for row in families if row.providers & nearby], [row for row in families if not row.providers]]


def _stated_memories(
    parsed: ParsedLabel, bare_gb: float | None, memory_gb: float | None, roles: frozenset[str], rules: Rules
) -> list[_StatedMemory]:
    """Return the memory sizes of the label, then that of the row."""
    several = (parsed.gpus or 1) > 1
    machine = frozenset().union(*(rules.machine_gpus.get(form, frozenset()) for form in parsed.forms))
    stated = [_StatedMemory(gb, machine, implies_count=n > 0, can_be_total=several) for n, gb in enumerate(parsed.memories)]
    if bare_gb:
        stated.append(_StatedMemory(bare_gb))
    if memory_gb:
        usual = "total_context" in roles
        stated.append(_StatedMemory(memory_gb, implies_count=usual, can_be_total=usual, total_first=usual))
    return stated


def _find_families(parsed: ParsedLabel, rules: Rules) -> tuple[list[Family], float | None]:
    """Find the families of exactly these words, else without optional words, else with a bare number read as memory (GB)."""
    words = frozenset(parsed.words)
    required = words - parsed.optional
    for key in (words, required):
        if families := rules.families.get(key):
            return families, None
    for number in (word for word in required if word.isdecimal()):
        families = rules.families.get(required - {number}, [])
        if any(family.memory_gb == float(number) for family in families):
            return families, float(number)
    return [], None


def _filter_families(
    candidates: list[Family], parsed: ParsedLabel, rules: Rules, stated: list[_StatedMemory]
) -> tuple[list[Family], int | None]:
    """Return the families that match every stated form, memory type and memory size, and the number of GPUs."""
    if not stated and any(row.gpu_id for row in candidates):
        candidates = [row for row in candidates if row.gpu_id or row.memory_gb is None]  # others are meant by their memory alone
    rows, count = [row for row in candidates if _form_fits(row, parsed, rules)], parsed.gpus
    if parsed.profile_gb:
        return [row for row in rows if (row.memory_gb or 0) >= parsed.profile_gb], count
    for memory in stated:
        if parsed.partition != "whole" and all(row.memory_gb and memory.gb < row.memory_gb for row in rows):
            continue
        rows, count = _memory_fits(rows, memory, count)
    return rows, count


def _form_fits(row: Family, parsed: ParsedLabel, rules: Rules) -> bool:
    if parsed.memory_types and row.memory_type and row.memory_type not in parsed.memory_types:
        return False
    return not row.form or all(row.form in rules.forms[form] for form in parsed.forms)


def _memory_fits(rows: list[Family], memory: _StatedMemory, count: int | None) -> tuple[list[Family], int | None]:
    """Return the families with that memory per GPU, or in total; the memory may determine the count."""
    totals = (count or 1, 1) if memory.total_first else (1, count or 1) if memory.can_be_total else (1,)
    for gpus in totals:
        matches = _nearest(rows, memory.gb / gpus)
        if gpus > 1 and not memory.total_first:
            matches = [row for row in matches if _can_be_total(row, gpus)]
        if matches:
            return matches, count
    return _total_fits(rows, memory) if count is None else ([], count)


def _total_fits(rows: list[Family], memory: _StatedMemory) -> tuple[list[Family], int | None]:
    """Return the families whose memory adds up to the total, and their number: the least, or the machine's only one."""
    counts = range(2, MAX_GPUS_IN_TOTAL + 1) if memory.implies_count else sorted(memory.machine_gpus)
    if not memory.implies_count:
        rows = [row for row in rows if row.form.startswith("SXM")]
    matches = [(fitting, gpus) for gpus in counts if (fitting := [row for row in rows if row.memory_gb == memory.gb / gpus])]
    return matches[0] if matches and (memory.implies_count or len(matches) == 1) else ([], None)


def _can_be_total(row: Family, gpus: int) -> bool:
    """Return whether a memory size beside a count can be a total: boards with GDDR are also sold with doubled memory."""
    return gpus > MAX_MEMORY_OF_MODDED_BOARDS or row.memory_type.startswith("hbm")


def _nearest(rows: list[Family], gb: float) -> list[Family]:
    """Return the families whose nominal memory is nearest to the reported one, within the tolerance of drivers and units."""
    near = [row for row in rows if row.memory_gb is None or _is_near(gb / row.memory_gb, row)]
    best = min((abs(gb - row.memory_gb) for row in near if row.memory_gb), default=0.0)
    return [row for row in near if row.memory_gb is None or abs(gb - row.memory_gb) == best]


def _is_near(ratio: float, row: Family) -> bool:
    """Return whether the memory can be the family's; a family that only states a reason is meant by its exact memory."""
    return MIN_MEMORY_RATIO <= ratio <= MAX_MEMORY_RATIO if row.gpu_id else abs(ratio - 1) <= EXACT_MEMORY


def _resolution(rows: list[Family], parsed: ParsedLabel, count: int | None) -> Resolution:
    gpu_ids = {row.gpu_id for row in rows if row.gpu_id}
    found = _quantity(parsed, count, [row for row in rows if row.gpu_id] or rows)
    if not gpu_ids:
        return state_reason(rows[0].reason_code or "UNKNOWN_GPU", rows[0].rule, found.rule)
    return choose_gpu(found, gpu_ids, _describe(parsed))


def _quantity(parsed: ParsedLabel, count: int | None, deciding: list[Family]) -> Resolution:
    """Return count, share and rule of an answer whose GPU is not set yet."""
    rule = "; ".join(sorted({f"{row.words}: {row.rule}" for row in deciding}))
    fraction = parsed.fraction
    if parsed.profile_gb and deciding[0].memory_gb:
        fraction = parsed.profile_gb / deciding[0].memory_gb
    gpu_count = parsed.slices if parsed.partition == "mig" else count
    return Resolution(gpu_count=gpu_count, fraction=fraction, partition=parsed.partition, rule=rule)


def _explain_failure(label: str, parsed: ParsedLabel, rules: Rules) -> Resolution:
    """Return the reason why no family has these words: several GPUs in one label, no GPU at all, or an unknown one."""
    pieces = [piece for piece in _SEVERAL.split(label.lower()) if piece.strip()]
    if len(pieces) > 1:
        matches = [_find_families(tokens.parse_label(piece, rules, frozenset()), rules)[0] for piece in pieces]
        if sum(1 for families in matches if families) > 1:
            return state_reason("AMBIGUOUS_GPU", "names several GPUs at once")
    words = set(parsed.words)
    if not any(char.isalpha() for char in parsed.text):
        return state_reason("NOT_A_GPU", "a number or punctuation, no name")
    if not words & rules.family_words and parsed.ignored & rules.words["not_gpu"]:
        return state_reason("NOT_A_GPU", "names a processor or a programmable board, no GPU")
    if other := words & rules.words["other_gpu"]:
        return state_reason(
            "UNKNOWN_GPU", f"{_describe(parsed)}: {' '.join(sorted(other))} makes it another GPU than the one of that number"
        )
    return state_reason("UNKNOWN_GPU", f"no GPU is called {_describe(parsed)}" if words else "names no GPU")


def _describe(parsed: ParsedLabel) -> str:
    return repr(" ".join(dict.fromkeys([*parsed.words, *parsed.forms])))
