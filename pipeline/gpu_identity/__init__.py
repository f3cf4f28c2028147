"""Which card a label means: raw label, context and reported memory in, a gpu_id or the reason why not out.

A label is taken apart into words; the set of words that no rule puts aside must be exactly the set of one family
of data/names/rules/families.csv. There is no likeness and no part match: one word too many is another card.
Providers' machine names go through instance_types.csv first. Labels of one source (data/names/<source_id>.csv) win over all.
"""

import functools
import os
import re
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.gpu_identity import rules, tokens
from pipeline.gpu_identity.rules import Family, Machine, Rules
from pipeline.gpu_identity.tokens import Reading

__all__ = ["NAMES", "Resolution", "resolve"]

NAMES = Path(os.environ.get("GPULEDGER_DATA", Path(__file__).resolve().parents[2] / "data")) / "names"

MAX_LABEL = 200
_RULES = str(NAMES / "rules")
LEAST_SHARE, MOST_SHARE = 0.905, 1.075  # drivers show less than the nominal memory, decimal units show more
MOST_CARDS_IN_A_TOTAL = 16
_ODD = re.compile(r"[<>{}|;\"`$\\^\[\]\x00-\x1f\x7f]|\.\./|^=")
_PIECES = re.compile(r"(?<![^\s(])(?=\S*\d)[^\s();,]{4,}")
_LEADING = re.compile(r"(\d{1,3})x ")
_SEVERAL = re.compile(r"[,/&+]| or | and ")


_Stated = tuple[float | None, bool, bool]  # memory; can it tell the count; can it be the total of all cards


@dataclass(frozen=True, slots=True)
class Resolution:
    """The answer for one label: a card, or a reason code of the contract with its text.

    `gpu_count` and `fraction` are None where the label does not tell; a fraction is a share of one card.
    """

    gpu_id: str | None = None
    gpu_count: int | None = None
    fraction: float | None = None
    partition: str = "whole"
    rule: str = ""
    reason_code: str | None = None
    reason: str | None = None


def resolve(label: str, context: str = "", reported_memory_gb: float | None = None, scope: str | None = None) -> Resolution:
    """Which card the label means. `scope` is the source whose own labels win over the rules."""
    if scope and (alias := _aliases(NAMES, scope).get(label)):
        return Resolution(gpu_id=alias[0], rule=f"label of {scope}: {alias[1]}")
    if odd := _not_a_label(label):
        return _no("NOT_A_GPU", odd)
    known = rules.load(_RULES)
    machine = _machine(label, tokens.context_words(context), reported_memory_gb, known)
    return machine or _card(label, context, reported_memory_gb, known)


@functools.cache
def _aliases(names: Path, scope: str) -> dict[str, tuple[str, str]]:
    return rules.aliases(names / f"{scope}.csv") if re.fullmatch(r"[\w-]+", scope) else {}


def _no(code: str, reason: str, rule: str = "") -> Resolution:
    return Resolution(rule=rule, reason_code=code, reason=reason)


def _not_a_label(label: str) -> str:
    if len(label) > MAX_LABEL:
        return f"longer than {MAX_LABEL} characters"
    if _ODD.search(label) or any(unicodedata.category(sign) == "Cf" for sign in label if not sign.isascii()):
        return "has signs that no card's name has"
    return ""


def _machine(label: str, context: frozenset[str], memory_gb: float | None, known: Rules) -> Resolution | None:
    """The label, or one piece of it, as a provider's instance type."""
    for piece in (label, *_PIECES.findall(label)):
        name = rules.normalised(piece)
        for machine in known.machines_like(name):
            match = machine.regex.fullmatch(name)
            if match and (not machine.providers or machine.providers & context):
                return _counted(label, piece, _held(machine, match, memory_gb))
    return None


def _counted(label: str, piece: str, held: Resolution) -> Resolution:
    """A title that begins with a count says how many cards are offered, whatever the machine in it holds."""
    stated = _LEADING.match(label)
    return replace(held, gpu_count=int(stated[1])) if stated and piece != label and held.partition == "whole" else held


def _held(machine: Machine, match: re.Match[str], memory_gb: float | None) -> Resolution:
    rule = f"machine {machine.pattern}: {machine.rule}"
    if machine.reason_code:
        return _no(machine.reason_code, f"{machine.pattern}: {machine.rule}", rule)
    n = int(match[1]) if match.re.groups else None
    return _with_quantity(Resolution(gpu_id=machine.gpu_id, rule=rule), machine.quantity, n, memory_gb)


def _with_quantity(found: Resolution, quantity: str, n: int | None, memory_gb: float | None) -> Resolution:
    """Count and fraction from the rule's quantity: whole cards, or a share of one."""
    if quantity == "part":
        return replace(found, partition="fraction")
    above, _, below = quantity.partition("/")
    value = {"n": n, "memory": memory_gb, "": None}.get(above, int(above) if above.isdigit() else None)
    if value is None:
        return found
    cards = value / int(below or 1)
    if cards < 1:
        return replace(found, partition="fraction", gpu_count=1, fraction=cards)
    return replace(found, gpu_count=int(cards)) if cards == int(cards) else found


def _card(label: str, context: str, memory_gb: float | None, known: Rules) -> Resolution:
    kinds = tokens.context_roles(context, known.phrases)
    said = tokens.read(label, known, kinds)
    families, bare_gb = _families(said, known)
    if not families:
        return _unexplained(label, said, known)
    here = tokens.context_words(context) | said.named
    stated = [*((gb, position > 0, False) for position, gb in enumerate(said.memories)), (bare_gb, False, False)]
    stated.append((memory_gb or None, "total_context" in kinds, "total_context" in kinds))
    own = [family for family in families if family.providers & here]
    anywhere = [family for family in families if not family.providers]
    if elsewhere := tokens.context_words(context) & known.words["other_card"] - set(said.words):
        return _no("UNKNOWN_GPU", f"{_said(said)}: the context says {' '.join(sorted(elsewhere))}, which is another card")
    for pool in (own, anywhere):
        rows, count = _fitting(pool, said, known, stated)
        if rows:
            return _answer(_told_apart(rows, context, known), said, count)
    return _no("UNKNOWN_GPU", f"no card {_said(said)} has the form or memory that is stated")


def _families(said: Reading, known: Rules) -> tuple[list[Family], float | None]:
    """Families of exactly these words; then without doubtful words; then with a bare number read as memory."""
    words = frozenset(said.words)
    without = words - said.doubtful
    for chosen in (words, without):
        if found := known.families.get(chosen):
            return found, None
    for number in (word for word in without if word.isdigit()):
        found = known.families.get(without - {number}, [])
        if any(family.memory_gb == float(number) for family in found):
            return found, float(number)
    return [], None


def _fitting(pool: list[Family], said: Reading, known: Rules, stated: list[_Stated]) -> tuple[list[Family], int | None]:
    """Rows of the pool that every stated form, type and memory allows, and the number of cards."""
    rows, count = [row for row in pool if _form_fits(row, said, known)], said.cards
    if said.profile_gb:
        return [row for row in rows if (row.memory_gb or 0) >= said.profile_gb], count
    for gb, several, total in stated:
        if gb is None or (said.partition != "whole" and all(row.memory_gb and gb < row.memory_gb for row in rows)):
            continue
        rows, count = _memory_fits(rows, gb, count, several=several, total=total)
    return rows, count


def _told_apart(rows: list[Family], context: str, known: Rules) -> list[Family]:
    """Of several cards the one that the context tells: by the machine it names, else by a form."""
    if len({row.gpu_id for row in rows}) < 2 or not context:
        return rows
    words = tokens.context_words(context)
    machine = _machine(context, words, None, known)
    if machine and any(row.gpu_id == machine.gpu_id for row in rows):
        return [row for row in rows if row.gpu_id == machine.gpu_id]
    forms = words & known.forms.keys()
    return [row for row in rows if row.form and all(row.form in known.forms[form] for form in forms)] or rows


def _form_fits(row: Family, said: Reading, known: Rules) -> bool:
    if said.memory_types and row.memory_type and row.memory_type not in said.memory_types:
        return False
    return not row.form or all(row.form in known.forms[form] for form in said.forms)


def _memory_fits(
    rows: list[Family], gb: float, count: int | None, *, several: bool, total: bool
) -> tuple[list[Family], int | None]:
    """Rows with that memory in each card, or of a `total` in all cards; `several` lets the memory tell the count."""
    for cards in (count or 1, 1) if total else (1,):
        if left := _nearest(rows, gb / cards):
            return left, count
    if several and count is None:
        for cards in range(2, MOST_CARDS_IN_A_TOTAL + 1):
            if left := [row for row in rows if row.memory_gb == gb / cards]:
                return left, cards
    return [], count


def _nearest(rows: list[Family], gb: float) -> list[Family]:
    """Rows whose nominal memory is nearest to the one reported, within what drivers and units change."""
    near = [row for row in rows if row.memory_gb is None or LEAST_SHARE <= gb / row.memory_gb <= MOST_SHARE]
    best = min((abs(gb - row.memory_gb) for row in near if row.memory_gb), default=0.0)
    return [row for row in near if row.memory_gb is None or abs(gb - row.memory_gb) == best]


def _answer(rows: list[Family], said: Reading, count: int | None) -> Resolution:
    cards = sorted({row.gpu_id for row in rows if row.gpu_id})
    deciding = [row for row in rows if row.gpu_id] or rows
    rule = "; ".join(sorted({f"{row.words}: {row.rule}" for row in deciding}))
    if not cards:
        return _no(rows[0].reason_code or "UNKNOWN_GPU", rows[0].rule, rule)
    if len(cards) > 1:
        return _no("AMBIGUOUS_GPU", f"{_said(said)} can be {', '.join(cards)}: state form factor, memory or edition", rule)
    fraction = said.fraction
    if said.profile_gb and rows[0].memory_gb:
        fraction = said.profile_gb / rows[0].memory_gb
    return Resolution(cards[0], said.slices if said.partition == "mig" else count, fraction, said.partition, rule)


def _unexplained(label: str, said: Reading, known: Rules) -> Resolution:
    """Why no family has these words: several cards in one cell, no card at all, or a card that is not known."""
    pieces = [piece for piece in _SEVERAL.split(label.lower()) if piece.strip()]
    if len(pieces) > 1:
        found = [_families(tokens.read(piece, known, frozenset()), known)[0] for piece in pieces]
        if sum(1 for families in found if families) > 1:
            return _no("AMBIGUOUS_GPU", "names several cards at once")
    words = set(said.words)
    if not any(sign.isalpha() for sign in said.text):
        return _no("NOT_A_GPU", "a number or signs, no name")
    if not words & known.family_words and said.aside & known.words["not_gpu"]:
        return _no("NOT_A_GPU", "names a processor or a programmable board, no card")
    if other := words & known.words["other_card"]:
        return _no("UNKNOWN_GPU", f"{_said(said)}: {' '.join(sorted(other))} makes it another card than the one of that number")
    return _no("UNKNOWN_GPU", f"no card is called {_said(said)}" if words else "names no card")


def _said(said: Reading) -> str:
    return repr(" ".join(dict.fromkeys([*said.words, *said.forms])))
