"""Label parser: extracts counts, memory sizes, form factors and partitions, and classifies the remaining words.

The choice of a GPU by these words belongs in the package itself.
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
_FIGURE_IN_CHUNK = re.compile(r"\d{1,4}x|x\d{1,4}|\d+(?:\.\d+)?(?:gb|g|gib|mib)")
_WORD = re.compile(r"[a-z0-9]+")
_MARKS = str.maketrans({"™": " ", "℠": " ", "×": "x"})  # compatibility forms are letters: TM, SM


@dataclass(slots=True)
class ParsedLabel:
    """Parts of a label. `words` identify the GPU; `ignored` were excluded by a rule of words.csv.

    `optional` words are part of `words`, but are dropped where no GPU matches with them (a v2 that is not a TPU's).
    `gpus` is the stated number of GPUs, `chunks` are the words before any rule, memory is in GB.
    """

    text: str = ""
    words: list[str] = field(default_factory=list)
    ignored: set[str] = field(default_factory=set)
    optional: set[str] = field(default_factory=set)
    counts: list[int] = field(default_factory=list)
    gpus: int | None = None
    memories: list[float] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    memory_types: set[str] = field(default_factory=set)
    partition: str = "whole"
    slices: int | None = None
    fraction: float | None = None
    profile_gb: float | None = None
    chunks: frozenset[str] = frozenset()


@functools.lru_cache(maxsize=4096)
def context_words(context: str) -> frozenset[str]:
    """Return the words of the context; some of them name a provider."""
    return frozenset(_WORD.findall(context.lower()))


@functools.lru_cache(maxsize=4096)
def context_roles(context: str, phrases: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """Return the roles of the context (machine, board, total, driver), by the phrases of words.csv in it."""
    text = f" {' '.join(_WORD.findall(context.lower()))} "
    return frozenset(role for role, phrase in phrases if f" {phrase} " in text)


def context_attributes(context: str, rules: Rules) -> tuple[dict[str, None], dict[float, None]]:
    """Return the form factors in a context, and each memory size (GB) that follows a GPU's name: other sizes are the host's."""
    forms, memories, name_before = dict[str, None](), dict[float, None](), False
    for chunk in _WORD.findall(context.lower()):
        for piece in _split_chunk(chunk, rules):
            token = rules.spelling.get(piece, piece)
            memory = _FIGURE.fullmatch(token)
            if token in rules.forms:
                forms[token] = None
            elif name_before and memory and memory["memory"]:
                memories[float(memory["memory"]) / (1024 if memory["unit"] == "mib" else 1)] = None
            name_before = token in rules.forms or token in rules.family_words
    return forms, memories


def parse_label(label: str, rules: Rules, roles: frozenset[str]) -> ParsedLabel:
    """Parse a label; `roles` are those of its context."""
    parsed = ParsedLabel()
    text = _extract_partition(unicodedata.normalize("NFKC", label.translate(_MARKS)).lower(), parsed)
    for pattern, replacement in rules.rewrites:
        text = pattern.sub(replacement, text)
    parsed.text = text
    chunks = [chunk for chunk in _BREAK.split(text) if chunk]
    parsed.chunks = frozenset(chunks)
    pieces = [piece for chunk in chunks for piece in _split_chunk(chunk, rules)]
    tokens = [word for piece in pieces for word in rules.spelling.get(piece, piece).split()]
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else ""
        _add_token(token, following, parsed, rules)
    _drop_words(parsed, rules, roles)
    return parsed


def _extract_partition(text: str, parsed: ParsedLabel) -> str:
    """Extract MIG slices and fractions of a GPU from the text and return the rest of it."""
    if "/" not in text and "mig" not in text and "g." not in text:
        return text
    for match in _MIG.finditer(text):
        parsed.partition = "mig"
        parsed.slices = int(match[1]) if match[1] and int(match[1]) > 1 else parsed.slices
    share = _SHARE.search(text)
    if share and parsed.partition == "whole":
        parsed.partition, parsed.fraction = "fraction", 1 / int(share[1]) if int(share[1]) else None
    return _SHARE.sub(" ", _MIG.sub(" ", text))


def _add_token(token: str, following: str, parsed: ParsedLabel, rules: Rules) -> None:
    """Add one token to the parts of the label."""
    if _extract_figure(token, following, parsed, rules):
        return
    if token in rules.forms:
        parsed.forms.append(token)
    elif token in rules.words["memory_type"]:
        parsed.memory_types.add(token)
    elif token in rules.words["shared"]:
        parsed.partition = "fraction"
        parsed.ignored.add(token)
    else:
        parsed.words.append(token)


def _extract_figure(token: str, following: str, parsed: ParsedLabel, rules: Rules) -> bool:
    """Extract a count, a memory size, a vGPU profile or a wattage; return False where the token is none of these."""
    match = _FIGURE.fullmatch(token)
    if not match:
        return False
    if match["count"] or match["times"]:
        if following not in rules.words["not_gpu"]:
            parsed.counts.append(int(match["count"] or match["times"]))
    elif match["memory"]:
        parsed.memories.append(float(match["memory"]) / (1024 if match["unit"] == "mib" else 1))
    elif match["profile"]:
        if not parsed.words:
            return False
        parsed.partition, parsed.profile_gb = "fraction", float(match["profile"])
    return True


def _drop_words(parsed: ParsedLabel, rules: Rules, roles: frozenset[str]) -> None:
    """Drop the words that do not identify the GPU: noise, the host, names of coolers, in machine names all unknown words."""
    is_board = "board_context" in roles or not rules.words["maker"].isdisjoint(parsed.words)
    if is_board:
        parsed.counts.clear()
    droppable = rules.ignored_of_boards if is_board else rules.ignored
    is_machine = "machine_context" in roles
    words: list[str] = []
    for word in parsed.words:
        if word in rules.family_words:
            words.append(word)
            parsed.optional |= {word} & droppable
        elif word in droppable or (is_machine and word not in rules.words["other_gpu"]):
            parsed.ignored.add(word)
        else:
            words.append(word)
    parsed.words = words
    parsed.gpus = _gpu_count(parsed.counts, is_product=is_machine)


def _gpu_count(counts: list[int], *, is_product: bool) -> int | None:
    """Return nodes times GPUs in the name of a machine; elsewhere the one count, which may be repeated."""
    if not counts or not all(counts):
        return None
    if is_product:
        return math.prod(counts)
    return counts[0] if len(set(counts)) == 1 else None


def _split_chunk(chunk: str, rules: Rules) -> tuple[str, ...]:
    """Split words written together (rtx3090ti) where the vocabulary covers the whole chunk; else return the chunk."""
    return (chunk,) if _is_word(chunk, rules.vocabulary) else _split(chunk, rules.vocabulary) or (chunk,)


def _is_word(piece: str, vocabulary: frozenset[str]) -> bool:
    return piece in vocabulary or bool(_FIGURE_IN_CHUNK.fullmatch(piece))


@functools.lru_cache(maxsize=65536)
def _split(chunk: str, vocabulary: frozenset[str]) -> tuple[str, ...]:
    """Split into the longest words first, never between two digits. Empty where the vocabulary does not cover the chunk."""
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
        is_between_digits = bool(rest) and piece[-1].isdigit() and rest[0].isdigit()
        if not is_between_digits and _is_word(piece, vocabulary):
            yield piece, rest
