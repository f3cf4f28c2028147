"""Facts that a label's context states about the variant, and labels whose facts contradict one another.

A stated fact is the set of GPUs that it allows. It takes precedence over what a provider usually means by a name.
"""

from collections.abc import Iterable, Sequence

from pipeline.gpu_identity import tokens
from pipeline.gpu_identity.machines import resolve_machine
from pipeline.gpu_identity.models import siblings, variant
from pipeline.gpu_identity.rules import Family, Rules

MIN_MEMORY_RATIO, MAX_MEMORY_RATIO = 0.905, 1.075  # drivers report less than the nominal memory, decimal units more

Fact = tuple[str, frozenset[str]]  # in words, and the GPUs that it allows


def variants_of(families: Iterable[Family]) -> frozenset[str]:
    """Return every variant of the models that the families belong to."""
    return frozenset().union(*(siblings(family.gpu_id) for family in families if family.gpu_id))


def context_facts(context: str, gpus: frozenset[str], rules: Rules) -> list[Fact]:
    """Return the machine, form factors and memory that the context states; those that fit none of the GPUs are about others."""
    if not context or len(gpus) < 2:
        return []
    words = tokens.context_words(context)
    machine = resolve_machine(context, words, None, rules)
    facts = [(machine.rule.split(":")[0], frozenset(machine.candidates or filter(None, [machine.gpu_id])))] if machine else []
    facts += label_facts(*tokens.context_attributes(context, rules), gpus, rules)
    return [(f"the context states {text}", allowed & gpus) for text, allowed in facts if allowed & gpus]


def consistent(rows: list[Family], facts: Sequence[Fact]) -> list[Family]:
    """Return the families that every fact allows; none where the facts exclude all their GPUs."""
    allowed = [row for row in rows if row.gpu_id is None or all(row.gpu_id in gpus for _, gpus in facts)]
    return allowed if any(row.gpu_id for row in allowed) or not any(row.gpu_id for row in rows) else []


def label_facts(forms: Iterable[str], memories: Iterable[float], gpus: frozenset[str], rules: Rules) -> list[Fact]:
    """Return the form factors and memory sizes of a label and of its row, or of a context."""
    return [*(_form_fact(form, gpus, rules) for form in forms), *(_memory_fact(gb, gpus) for gb in memories)]


def contradiction(facts: Sequence[Fact], gpus: frozenset[str]) -> tuple[frozenset[str], str]:
    """Return the GPUs between which contradicting facts leave the choice, and these facts in words.

    A GPU remains if no other one agrees with the same facts and more. Nothing remains where a fact allows no GPU at all.
    """
    narrow = [(text, allowed) for text, allowed in facts if allowed < gpus]
    if not narrow or not all(allowed for _, allowed in narrow) or frozenset.intersection(*(allowed for _, allowed in narrow)):
        return frozenset(), ""
    agreeing = {gpu_id: {n for n, (_, allowed) in enumerate(narrow) if gpu_id in allowed} for gpu_id in gpus}
    possible = frozenset(
        gpu_id for gpu_id, own in agreeing.items() if own and not any(own < other for other in agreeing.values())
    )
    return possible, f"the facts contradict one another ({', '.join(dict.fromkeys(text for text, _ in narrow))})"


def _form_fact(form: str, gpus: frozenset[str], rules: Rules) -> Fact:
    return form, frozenset(gpu_id for gpu_id in gpus if rules.forms_of.get(gpu_id, frozenset()) & rules.forms[form])


def _memory_fact(gb: float, gpus: frozenset[str]) -> Fact:
    """Return the GPUs whose nominal memory is nearest, within the tolerance of drivers and units."""
    sizes = {gpu_id: variant(gpu_id).memory_gb for gpu_id in gpus}
    near = {gpu_id: abs(gb - size) for gpu_id, size in sizes.items() if MIN_MEMORY_RATIO <= gb / size <= MAX_MEMORY_RATIO}
    return f"{gb:g} GB", frozenset(gpu_id for gpu_id, distance in near.items() if distance == min(near.values()))
