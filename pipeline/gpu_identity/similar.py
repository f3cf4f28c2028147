"""Which cards a label reminds of: to show what was not mapped to a card. Which card it means is decided in the package itself."""

import functools

from pipeline.gpu_identity import NAMES, rules, tokens

_RULES = str(NAMES / "rules")


def cards_like(label: str) -> frozenset[str]:
    """The cards whose name's fewest words all stand in the label, whatever stands beside them."""
    said = frozenset(tokens.read(label, rules.load(_RULES), frozenset()).words)
    return frozenset(gpu_id for gpu_id, words in _fewest_words().items() if words <= said)


@functools.cache
def _fewest_words() -> dict[str, frozenset[str]]:
    """The shortest set of words that means each card to any source."""
    found: dict[str, frozenset[str]] = {}
    for words, families in sorted(rules.load(_RULES).families.items(), key=lambda item: (len(item[0]), sorted(item[0]))):
        for family in families:
            if family.gpu_id and not family.providers:
                found.setdefault(family.gpu_id, words)
    return found
