"""A label taken apart: counts, memories, forms and partitions read off, the words that remain named by what they are.

Nothing is decided here: which card the words mean belongs in the package itself.
"""

import functools
import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.gpu_identity.rules import Rules

_MIG = re.compile(r"(?:(?<!\d)(\d{1,2}) ?x ?)?(?<!\d)(\d)g\.(\d{1,3})gb(?:\+me)?|(?<![a-z])mig(?![a-z])")
_SHARE = re.compile(r"(?<![\d/.])1/(\d{1,2})(?![\d/.])")
_BREAK = re.compile(r"[\s_\-/]+|\.(?!\d)|(?<!\d)\.")
_FIGURE = re.compile(
    r"(?P<count>\d{1,4})x|x(?P<times>\d{1,4})|(?P<memory>\d+(?:\.\d+)?)(?P<unit>gb|g|gib|mib)|(?P<profile>\d{1,3})[qc]|\d{2,4}w"
)
_GLUED = re.compile(r"\d{1,4}x|x\d{1,4}|\d+(?:\.\d+)?(?:gb|g|gib|mib)")
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(slots=True)
class Reading:
    """What a label says. `words` decide the card; `aside` were put aside by a rule of words.csv.

    `doubtful` words stand in `words`, but are put aside where no card is found with them (a v2 that is no TPU's).
    """

    text: str = ""
    words: list[str] = field(default_factory=list)
    aside: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    counts: list[int] = field(default_factory=list)
    cards: int | None = None
    memories: list[float] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    memory_types: set[str] = field(default_factory=set)
    partition: str = "whole"
    slices: int | None = None
    fraction: float | None = None
    profile_gb: float | None = None
    named: frozenset[str] = frozenset()


@functools.lru_cache(maxsize=4096)
def context_words(context: str) -> frozenset[str]:
    """Single words of the context, by which providers are known."""
    return frozenset(_WORD.findall(context.lower()))


@functools.lru_cache(maxsize=4096)
def context_roles(context: str, phrases: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """What kind of labels the context has, by the phrases of words.csv in it."""
    text = f" {' '.join(_WORD.findall(context.lower()))} "
    return frozenset(role for role, phrase in phrases if f" {phrase} " in text)


def read(label: str, rules: Rules, kinds: frozenset[str]) -> Reading:
    """Take the label apart; `kinds` are the roles of its context."""
    found = Reading()
    text = _partition(unicodedata.normalize("NFKC", label).lower().replace("×", "x"), found)
    for pattern, replacement in rules.rewrites:
        text = pattern.sub(replacement, text)
    found.text = text
    chunks = [chunk for chunk in _BREAK.split(text) if chunk]
    found.named = frozenset(chunks)
    pieces = [piece for chunk in chunks for piece in _tiles(chunk, rules)]
    tokens = [word for piece in pieces for word in rules.spelling.get(piece, piece).split()]
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else ""
        _place(token, following, found, rules)
    _set_aside(found, rules, kinds)
    return found


def _partition(text: str, found: Reading) -> str:
    """Read slices of a card off the text and return it without them."""
    if "/" not in text and "mig" not in text and "g." not in text:
        return text
    for match in _MIG.finditer(text):
        found.partition = "mig"
        found.slices = int(match[1]) if match[1] and int(match[1]) > 1 else found.slices
    share = _SHARE.search(text)
    if share and found.partition == "whole":
        found.partition, found.fraction = "fraction", 1 / int(share[1]) if int(share[1]) else None
    return _SHARE.sub(" ", _MIG.sub(" ", text))


def _place(token: str, following: str, found: Reading, rules: Rules) -> None:
    """Put one token where it belongs."""
    if _figure(token, following, found, rules):
        return
    if token in rules.forms:
        found.forms.append(token)
    elif token in rules.words["memory_type"]:
        found.memory_types.add(token)
    elif token in rules.words["shared"]:
        found.partition = "fraction"
        found.aside.add(token)
    else:
        found.words.append(token)


def _figure(token: str, following: str, found: Reading, rules: Rules) -> bool:
    """Take a count, a memory, a profile of a virtual part or watts; False where the token is none of these."""
    match = _FIGURE.fullmatch(token)
    if not match:
        return False
    if match["count"] or match["times"]:
        if following not in rules.words["not_gpu"]:
            found.counts.append(int(match["count"] or match["times"]))
    elif match["memory"]:
        found.memories.append(float(match["memory"]) / (1024 if match["unit"] == "mib" else 1))
    elif match["profile"]:
        if not found.words:
            return False
        found.partition, found.profile_gb = "fraction", float(match["profile"])
    return True


def _set_aside(found: Reading, rules: Rules, kinds: frozenset[str]) -> None:
    """Put aside what does not decide the card: noise, the host, names of coolers, in machine names all unknown words."""
    board = "board_context" in kinds or not rules.words["maker"].isdisjoint(found.words)
    if board:
        found.counts.clear()
    unneeded = rules.aside_of_boards if board else rules.aside
    all_unknown = "machine_context" in kinds
    keep: list[str] = []
    for word in found.words:
        if word in rules.family_words:
            keep.append(word)
            found.doubtful |= {word} & unneeded
        elif word in unneeded or (all_unknown and word not in rules.words["other_card"]):
            found.aside.add(word)
        else:
            keep.append(word)
    found.words = keep
    found.cards = _cards(found.counts, product=all_unknown)


def _cards(counts: list[int], *, product: bool) -> int | None:
    """Nodes times cards in the name of a machine; elsewhere one count, which may be repeated."""
    if not counts or not all(counts):
        return None
    if product:
        return math.prod(counts)
    return counts[0] if len(set(counts)) == 1 else None


def _tiles(chunk: str, rules: Rules) -> tuple[str, ...]:
    """The chunk as words written together (rtx3090ti), where known words fill it without a rest; else as it stands."""
    return (chunk,) if _known(chunk, rules.vocabulary) else _split(chunk, rules.vocabulary) or (chunk,)


def _known(piece: str, vocabulary: frozenset[str]) -> bool:
    return piece in vocabulary or bool(_GLUED.fullmatch(piece))


@functools.lru_cache(maxsize=65536)
def _split(chunk: str, vocabulary: frozenset[str]) -> tuple[str, ...]:
    """Longest known pieces first; never between two digits. Empty where the chunk cannot be filled."""
    if len(chunk) > 40:
        return ()
    for piece, rest in _cuts(chunk, vocabulary):
        if not rest:
            return (piece,)
        if following := _split(rest, vocabulary):
            return (piece, *following)
    return ()


def _cuts(chunk: str, vocabulary: frozenset[str]) -> Iterator[tuple[str, str]]:
    for end in range(len(chunk), 0, -1):
        piece, rest = chunk[:end], chunk[end:]
        glued = bool(rest) and piece[-1].isdigit() and rest[0].isdigit()
        if not glued and _known(piece, vocabulary):
            yield piece, rest
