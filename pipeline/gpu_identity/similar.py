"""GPUs similar to an unmatched label, for display only. `label_lookup.py` resolves a label."""

import functools

from pipeline.gpu_identity import tokens
from pipeline.gpu_identity.rules import load_rules


def similar_gpus(label: str) -> frozenset[str]:
    """Return the GPUs whose minimal set of words is a subset of the label's words."""
    label_words = frozenset(tokens.parse_label(label, load_rules(), frozenset()).words)
    return frozenset(gpu_id for gpu_id, words in _minimal_words().items() if words <= label_words)


@functools.cache
def _minimal_words() -> dict[str, frozenset[str]]:
    """Return the smallest set of words of each GPU that is valid for every provider."""
    minimal: dict[str, frozenset[str]] = {}
    for words, families in sorted(load_rules().families.items(), key=lambda item: (len(item[0]), sorted(item[0]))):
        for family in families:
            if family.gpu_id and not family.providers:
                minimal.setdefault(family.gpu_id, words)
    return minimal
