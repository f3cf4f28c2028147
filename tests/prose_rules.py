"""Rules of plain English for every text that a reader sees: length of sentences, and patterns that no sentence may have."""

import re
from collections.abc import Iterator

MOST_WORDS = 30
MOST_WORDS_ON_AVERAGE = 20
SHORTEST = 3  # fewer words are a label, which would flatter the average

_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|No|Inc|approx)\.$")
_WORD = re.compile(r"[A-Za-z0-9]")

_GPU_AS_CARD = r"(?<!graphics )(?<!PCIe )(?<!network )(?<!InfiniBand )(?<!credit )\bcards?\b"
_STANDING = r"\bstands? (?:back|beside|for|there|by|in|on|under|over|out|at|where|as it)\b"
_INTERNAL_NAME = r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b(?!\.(?:csv|json))|\b[A-Z]{2,}(?:_[A-Z0-9]+)+\b"
PATTERNS = {
    name: re.compile(pattern, re.IGNORECASE if name != "internal name" else 0)
    for name, pattern in {
        "card for GPU": _GPU_AS_CARD,
        "figurative stand": rf"{_STANDING}|\blets? (?:it |them )?stand\b",
        "figurative lie or rest": r"\blies? (?:ready|there|beside)\b|\brests? on\b|\bspeaks? for\b",
        "figurative hold": r"\bholds? (?:no|nothing|for|on)\b|\bin hand\b|\blet go\b",
        "figurative bear": r"\b(?:bears?|borne)\b(?! in mind)",
        "figurative tell or say": r"\b(?:is|are) (?:told|said)\b|\btells? of\b|\bsays? nothing\b|\bforet(?:ell|old|ells)\b",
        "figurative see": r"\bsees? to it\b|\bseen (?:as|at) of\b|\btaken for granted\b",
        "old-fashioned word": r"\b(?:whoever|wherein|thereof|whilst|for want of|came and went|by its own lights|albeit)\b",
        "negation of none": r"\bnone is both\b|\bof none\b|\bbeaten by none\b|\bby none\b|\bof them none\b",
        "price as rent": r"\b(?:a|the|its|of|cheapest|current|demand|lowest|median) rents?\b(?! or | saved)|\brents (?:are|of)\b",
        "one times": r"(?<![\d.,])1 times\b",
        "time of waiting": r"\bahead of whoever\b|\bthe one before\b",
        "semicolon chain": r";[^.!?]*;",
        "internal name": _INTERNAL_NAME,
    }.items()
}


def sentences(text: str) -> list[str]:
    """The sentences of one paragraph. An abbreviation does not end one."""
    found: list[str] = []
    for part in filter(None, _END.split(" ".join(text.split()))):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += f" {part}"
        else:
            found.append(part)
    return found


def count_words(sentence: str) -> int:
    """Words and figures of a sentence, without signs that are alone between spaces."""
    return sum(bool(_WORD.search(part)) for part in sentence.split())


def find_patterns(text: str) -> Iterator[tuple[str, str]]:
    """Each pattern of the text, with the sentence that has it."""
    for sentence in sentences(text):
        yield from ((name, sentence) for name, pattern in PATTERNS.items() if pattern.search(sentence))


def find_long(text: str) -> Iterator[tuple[str, str]]:
    """Each sentence with too many words."""
    for sentence in sentences(text):
        if count_words(sentence) > MOST_WORDS:
            yield f"over {MOST_WORDS} words", sentence


def average_words(paragraphs: list[str]) -> float:
    """Average length of the sentences, in words; 0 if there is none."""
    lengths = [count_words(sentence) for text in paragraphs for sentence in sentences(text)]
    counted = [length for length in lengths if length >= SHORTEST]
    return sum(counted) / len(counted) if counted else 0
