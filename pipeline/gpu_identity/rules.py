"""The rules of identity as data: reads data/names/rules/ into the indexes that `resolve` looks things up in.

Three tables: families.csv (which words mean which cards), instance_types.csv (which machine holds which cards) and
words.csv (what every other word of a label is). What they mean together belongs in the package itself.
"""

import csv
import functools
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.errors import BuildError

WORD_ROLES = ("rewrite", "spelling", "form", "memory_type", "other_card", "shared", "noise", "maker", "board", "not_gpu")
CONTEXT_ROLES = ("machine_context", "board_context", "total_context")
_OPTIONAL = re.compile(r"\[(\w+)\]|(\w+)")
_WILD = re.compile(r"(\{n\}|\*)")
_WILD_AS = {"{n}": r"(\d{1,4})", "*": "[a-z0-9]*"}
_SEPARATORS = re.compile(r"[\s._]+")

_NONE: list["Machine"] = []


@dataclass(frozen=True, slots=True)
class Family:
    """One card that a set of words can mean; `providers` empty = anywhere, `form` empty = whatever form is stated."""

    words: str
    providers: frozenset[str]
    form: str
    memory_gb: float | None
    memory_type: str
    gpu_id: str | None
    reason_code: str | None
    rule: str


@dataclass(frozen=True, slots=True)
class Machine:
    """One pattern of instance types and what such a machine holds; `quantity` is a number, n, n/6, memory/24 or `part`."""

    pattern: str
    regex: re.Pattern[str]
    providers: frozenset[str]
    gpu_id: str | None
    reason_code: str | None
    quantity: str
    rule: str


@dataclass(slots=True)
class Rules:
    """Every rule, indexed: families by their set of words, machines by their first signs, other words by role.

    `aside` are the words that decide nothing, `aside_of_boards` those and the names of boards and coolers.
    """

    families: dict[frozenset[str], list[Family]] = field(default_factory=dict)
    machines: dict[str, list[Machine]] = field(default_factory=dict)
    rewrites: list[tuple[re.Pattern[str], str]] = field(default_factory=list)
    spelling: dict[str, str] = field(default_factory=dict)
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    forms: dict[str, frozenset[str]] = field(default_factory=dict)
    family_words: frozenset[str] = frozenset()
    vocabulary: frozenset[str] = frozenset()
    phrases: tuple[tuple[str, str], ...] = ()
    aside: frozenset[str] = frozenset()
    aside_of_boards: frozenset[str] = frozenset()

    def machines_like(self, name: str) -> list[Machine]:
        """Patterns that can match the normalised name."""
        near = (self.machines.get(key, _NONE) for key in (name[:2], name[:1], ""))
        return [machine for machines in near for machine in machines]


@functools.cache
def load(path: str) -> Rules:
    """Read the three tables. Raises BuildError with file and line where a row cannot be used."""
    rules, folder = Rules(), Path(path)
    for line, row in _rows(folder / "families.csv"):
        _add_family(rules, row, f"{folder / 'families.csv'} line {line}")
    for _, row in _rows(folder / "instance_types.csv"):
        name = normalised(row["pattern"])
        rules.machines.setdefault(re.split(r"[{*]", name[:2])[0], []).append(_machine(row, name))
    _add_words(rules, [row for _, row in _rows(folder / "words.csv")])
    return rules


def aliases(path: Path) -> dict[str, tuple[str, str]]:
    """Exact labels of one source: alias -> (gpu_id, rule); none where the source has no such file."""
    return {row["alias"]: (row["gpu_id"], row["rule"]) for _, row in _rows(path)} if path.exists() else {}


def normalised(name: str) -> str:
    """An instance type as patterns are compared: lower case, one kind of separator, no vendor's decoration."""
    return _SEPARATORS.sub("_", name.strip().lower()).removeprefix("standard_").removesuffix("_promo")


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            yield from ((reader.line_num, row) for row in reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BuildError(f"{path}: cannot be read ({error}); restore the file") from None


def _add_family(rules: Rules, row: dict[str, str], place: str) -> None:
    family = Family(
        words=row["words"],
        providers=frozenset(row["provider"].split()),
        form=row["form"],
        memory_gb=float(row["memory_gb"]) if row["memory_gb"] else None,
        memory_type=row["memory_type"].lower(),
        gpu_id=row["gpu_id"] or None,
        reason_code=row["reason_code"] or None,
        rule=row["rule"],
    )
    if (family.gpu_id is None) == (family.reason_code is None):
        raise BuildError(f"{place}: give either a gpu_id or a reason_code")
    for words in _word_sets(family.words):
        rules.families.setdefault(words, []).append(family)


def _word_sets(text: str) -> Iterator[frozenset[str]]:
    """Every set of words that the text allows: a word in brackets may be left out."""
    choices = [("", optional) if optional else (needed,) for optional, needed in _OPTIONAL.findall(text)]
    for chosen in itertools.product(*choices):
        yield frozenset(word for word in chosen if word)


def _add_words(rules: Rules, rows: list[dict[str, str]]) -> None:
    by_role = {role: {row["word"]: row["value"] for row in rows if row["role"] == role} for role in (*WORD_ROLES, *CONTEXT_ROLES)}
    rules.rewrites = [(re.compile(word), value) for word, value in by_role["rewrite"].items()]
    rules.spelling = by_role["spelling"]
    rules.forms = {word: frozenset(forms.split(" / ")) for word, forms in by_role["form"].items()}
    rules.words = {role: frozenset(words) for role, words in by_role.items()}
    rules.phrases = tuple((role, phrase) for role in CONTEXT_ROLES for phrase in by_role[role])
    rules.aside = rules.words["noise"] | rules.words["not_gpu"]
    rules.aside_of_boards = rules.aside | rules.words["board"] | rules.words["maker"]
    rules.family_words = frozenset().union(*rules.families)
    glued = rules.family_words.union(*(rules.words[role] for role in ("form", "memory_type", "spelling", "other_card")))
    long_noise = {word for word in rules.words["noise"] if len(word) > 4}
    rules.vocabulary = frozenset(word for word in glued | long_noise if len(word) > 1 or word == "d")


def _machine(row: dict[str, str], name: str) -> Machine:
    """{n} in a pattern is a number, * a run of letters and digits."""
    regex = re.compile("".join(_WILD_AS.get(part) or re.escape(part) for part in _WILD.split(name)))
    providers = frozenset(row["provider"].split())
    return Machine(
        row["pattern"], regex, providers, row["gpu_id"] or None, row["reason_code"] or None, row["quantity"], row["rule"]
    )
