"""Identity rules from data/names/rules/, indexed for `resolve`.

Three tables: families.csv (words to GPUs), instance_types.csv (machine names to GPUs) and words.csv (the role of
every other word of a label). The resolution itself belongs in the package.
"""

import functools
import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.errors import BuildError
from pipeline.paths import DATA
from pipeline.readers import RefusedError, numbers, strict_csv

WORD_ROLES = (
    "rewrite",
    "spelling",
    "form",
    "memory_type",
    "other_gpu",
    "shared",
    "noise",
    "maker",
    "board",
    "not_gpu",
    "machine_term",
    "machine_gpus",
)
RULES = str(DATA / "names" / "rules")
CONTEXT_ROLES = ("machine_context", "board_context", "total_context", "driver")
_FAMILY_COLUMNS = ("words", "provider", "form", "memory_gb", "memory_type", "gpu_id", "reason_code", "rule")
_MACHINE_COLUMNS = ("pattern", "provider", "gpu_id", "reason_code", "quantity", "rule")
_QUANTITY = re.compile(r"part|(?:n|memory|\d{1,3})?(?://?\d{1,3})?", re.ASCII)
_OPTIONAL = re.compile(r"\[(\w+)\]|(\w+)")
_WILDCARD = re.compile(r"(\{n\}|\*)")
_WILDCARD_REGEX = {"{n}": r"(\d{1,4})", "*": "[a-z0-9]*"}
_SEPARATORS = re.compile(r"[\s._]+")


@dataclass(frozen=True, slots=True)
class Family:
    """One GPU that a set of words can mean; empty `providers` = any provider, empty `form` = any form factor."""

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
    """One pattern of instance types and the GPU of such a machine, or the variants of a model that it can have.

    `quantity` is a number, n, n/6, n//6 (whole GPUs only), memory/24 or `part`.
    """

    pattern: str
    regex: re.Pattern[str]
    providers: frozenset[str]
    gpu_ids: tuple[str, ...]
    reason_code: str | None
    quantity: str
    rule: str


@dataclass(slots=True)
class Rules:
    """All rules, indexed: families by their set of words, machines by their first characters, other words by role.

    `ignored` are the words without meaning, `ignored_of_boards` those and the names of boards and coolers.
    `forms_of` are the form factors of each GPU, `machine_terms` matches the terms of an offer around an instance type.
    `machine_gpus` are the numbers of GPUs that a machine of that name can have.
    """

    families: dict[frozenset[str], list[Family]] = field(default_factory=dict)
    machines: dict[str, list[Machine]] = field(default_factory=dict)
    rewrites: list[tuple[re.Pattern[str], str]] = field(default_factory=list)
    spelling: dict[str, str] = field(default_factory=dict)
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    forms: dict[str, frozenset[str]] = field(default_factory=dict)
    forms_of: dict[str, frozenset[str]] = field(default_factory=dict)
    machine_terms: re.Pattern[str] = re.compile("")
    machine_gpus: dict[str, frozenset[int]] = field(default_factory=dict)
    family_words: frozenset[str] = frozenset()
    vocabulary: frozenset[str] = frozenset()
    phrases: tuple[tuple[str, str], ...] = ()
    ignored: frozenset[str] = frozenset()
    ignored_of_boards: frozenset[str] = frozenset()

    def candidate_machines(self, name: str) -> list[Machine]:
        """Return the patterns that can match the normalized name."""
        candidates = (self.machines.get(key, ()) for key in (name[:2], name[:1], ""))
        return [machine for machines in candidates for machine in machines]


@functools.cache
def load_rules(path: str = RULES) -> Rules:
    """Read the three tables. Raises BuildError with file and line where a row cannot be used."""
    rules, folder = Rules(), Path(path)
    for line, row in read_rows(families := folder / "families.csv", *_FAMILY_COLUMNS):
        with name_line(families, line):
            _add_family(rules, row)
    for line, row in read_rows(machines := folder / "instance_types.csv", *_MACHINE_COLUMNS):
        name = normalize_name(row["pattern"])
        with name_line(machines, line):
            rules.machines.setdefault(re.split(r"[{*]", name[:2])[0], []).append(_machine(row, name))
    _add_words(rules, list(_read_words(folder / "words.csv")))
    return rules


def read_aliases(path: Path) -> dict[str, tuple[str, str]]:
    """Read the exact labels of one source: alias -> (gpu_id, rule); {} where the source has no such file."""
    rows = read_rows(path, "alias", "gpu_id", "rule") if path.exists() else ()
    return {row["alias"]: (row["gpu_id"], row["rule"]) for _, row in rows}


def normalize_name(name: str) -> str:
    """Normalize an instance type for matching: lower case, one separator, no vendor prefix or suffix."""
    return _SEPARATORS.sub("_", name.strip().lower()).removeprefix("standard_").removesuffix("_promo")


def _add_family(rules: Rules, row: dict[str, str]) -> None:
    family = Family(
        words=row["words"],
        providers=frozenset(row["provider"].split()),
        form=row["form"],
        memory_gb=numbers.parse_number(row["memory_gb"]) if row["memory_gb"] else None,
        memory_type=row["memory_type"].lower(),
        gpu_id=row["gpu_id"] or None,
        reason_code=row["reason_code"] or None,
        rule=row["rule"],
    )
    if (family.gpu_id is None) == (family.reason_code is None):
        raise RefusedError("PARSE", "give either a gpu_id or a reason_code")
    if family.gpu_id and family.form:
        rules.forms_of[family.gpu_id] = rules.forms_of.get(family.gpu_id, frozenset()) | {family.form}
    for words in _word_sets(family.words):
        rules.families.setdefault(words, []).append(family)


def _word_sets(text: str) -> Iterator[frozenset[str]]:
    """Yield every set of words that the text allows: a word in brackets is optional."""
    choices = [("", optional) if optional else (required,) for optional, required in _OPTIONAL.findall(text)]
    for combination in itertools.product(*choices):
        yield frozenset(word for word in combination if word)


def _read_words(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of words.csv. Raises BuildError where the role, the pattern or the numbers of one cannot be used."""
    for line, row in read_rows(path, "word", "role", "value"):
        with name_line(path, line):
            if row["role"] not in (*WORD_ROLES, *CONTEXT_ROLES):
                raise RefusedError("PARSE", f"there is no role {row['role']!r}")
            if row["role"] == "rewrite":
                re.compile(row["word"])
            if row["role"] == "machine_gpus":
                _parse_counts(row["value"])
        yield row


def _parse_counts(text: str) -> frozenset[int]:
    return frozenset(map(numbers.parse_integer, text.split()))


def _add_words(rules: Rules, rows: list[dict[str, str]]) -> None:
    by_role = {role: {row["word"]: row["value"] for row in rows if row["role"] == role} for role in (*WORD_ROLES, *CONTEXT_ROLES)}
    rules.rewrites = [(re.compile(word), value) for word, value in by_role["rewrite"].items()]
    rules.spelling = by_role["spelling"]
    rules.forms = {word: frozenset(forms.split(" / ")) for word, forms in by_role["form"].items()}
    rules.machine_gpus = {word: _parse_counts(counts) for word, counts in by_role["machine_gpus"].items()}
    rules.words = {role: frozenset(words) for role, words in by_role.items()}
    rules.phrases = tuple((role, phrase) for role in CONTEXT_ROLES for phrase in by_role[role])
    terms = "|".join(sorted(map(re.escape, by_role["machine_term"]), key=len, reverse=True))
    rules.machine_terms = re.compile(rf"^(?:(?:{terms})[-_:/])+|(?:[-_:/](?:{terms}))+$")
    rules.ignored = rules.words["noise"] | rules.words["not_gpu"]
    rules.ignored_of_boards = rules.ignored | rules.words["board"] | rules.words["maker"]
    rules.family_words = frozenset().union(*rules.families)
    parts = rules.family_words.union(*(rules.words[role] for role in ("form", "memory_type", "spelling", "other_gpu")))
    long_noise = {word for word in rules.words["noise"] if len(word) > 4}
    rules.vocabulary = frozenset(word for word in parts | long_noise if len(word) > 1 or word == "d")


def _machine(row: dict[str, str], name: str) -> Machine:
    """Compile one pattern: {n} matches a number, * any letters and digits. Raises RefusedError for an unknown quantity."""
    if not _QUANTITY.fullmatch(row["quantity"]):
        raise RefusedError("PARSE", f"there is no quantity {row['quantity']!r}")
    regex = re.compile("".join(_WILDCARD_REGEX.get(part) or re.escape(part) for part in _WILDCARD.split(name)))
    providers = frozenset(row["provider"].split())
    return Machine(
        row["pattern"], regex, providers, tuple(row["gpu_id"].split()), row["reason_code"] or None, row["quantity"], row["rule"]
    )


def read_rows(path: Path, *columns: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line and the fields of each row.

    Raises BuildError where the file cannot be read, has none of these columns or no row, or a row lacks a field.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = strict_csv.read_rows(file)
            _, header = next(rows, (1, []))
            if missing := [name for name in columns if name not in header]:
                raise BuildError(f"{path}: no column {missing[0]!r}; restore the file")
            if not (found := list(rows)):
                raise BuildError(f"{path}: no row below the header; restore the file")
            yield from ((line, dict(zip(header, cells, strict=True))) for line, cells in found)
    except RefusedError as refused:
        raise BuildError(f"{path} line {refused.line}: {refused.reason}; restore the file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BuildError(f"{path}: cannot be read ({error}); restore the file") from None


@contextmanager
def name_line(path: Path, line: int) -> Iterator[None]:
    """Raise BuildError with file and line for a value of the row that a reader or a pattern refuses."""
    try:
        yield
    except RefusedError as refused:
        raise BuildError(f"{path} line {line}: {refused.reason}; correct the row") from None
    except re.error as error:
        raise BuildError(f"{path} line {line}: not a regular expression ({error}); correct the row") from None
