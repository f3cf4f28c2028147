"""Translation of sentences that the resolution of labels writes: why a label means a GPU, or none.

They contain names at fixed places, so each pattern is one message. In English they are shown as they are.
"""

import re

from pipeline.website.i18n.language import N_, current_language, gettext, gettext_figures

_MESSAGES = (
    (r"machine (?P<name>.+?): (?P<rest>.+)", N_("machine {name}: {rest}")),
    (r"label of (?P<name>\S+?): (?P<rest>.+)", N_("label of {name}: {rest}")),
    (r"(?P<name>.+): the specification table's GPU of that name", N_("{name}: the GPU of that name")),
    (r"(?P<name>.+): the specification table lacks it", N_("{name}: not in the specification table")),
    (r"no GPU is called '(?P<name>.+)'", N_("no GPU is called {name}")),
    (r"no GPU '(?P<name>.+)' has the form or memory that is stated", N_("no {name} has the stated form factor or memory")),
    (r"'(?P<name>.+)' can be (?P<gpus>.+?): (?P<rest>.+)", N_("{name} can be {gpus}: {rest}")),
    (r"the facts contradict one another \((?P<facts>.+)\)", N_("the facts contradict each other ({facts})")),
    (r"(?P<name>.+) size page: one (?P<gpu>.+) for (?P<n>.+) vCPUs", N_("{name}, page of sizes: one {gpu} for {n} vCPUs")),
    (r"(?P<name>.+) size page(?:, counted per (?P<gpu>\S+))?", N_("{name}, page of sizes")),
    (r"(?P<name>.+) (?:instances|machine types) page(?:, counted per (?P<gpu>\S+))?", N_("{name}, page of machine types")),
    (r"(?P<name>.+) machine types page: one GPU for (?P<n>\S+) vCPUs", N_("{name}, page of machine types: a GPU for {n} vCPUs")),
    (r"instance catalog: (?P<name>[^ ]+(?: [^ ]+){0,2})", N_("instance catalog: {name}")),
    (r"(?P<name>.+) instance types(?:: (?P<rest>.+))?", N_("{name}, instance types")),
)  # fmt: skip
_OPTIONAL = re.compile(r" \[\w+\]|\[\w+\] ")  # words that a label may leave out
_PATTERNS = tuple((re.compile(pattern), message) for pattern, message in _MESSAGES)


def gettext_rule(sentence: str) -> str:
    """Translate the rule or the reason by the first pattern that it has, else as a sentence with figures."""
    sentence = _OPTIONAL.sub("", sentence)
    if not current_language().messages:
        return sentence.replace("the specification table's GPU of that name", "the GPU of that name")
    for pattern, message in _PATTERNS:
        if match := pattern.fullmatch(sentence):
            names = match.groupdict()
            return gettext(message, **names | ({"rest": gettext_rule(names["rest"])} if names.get("rest") else {}))
    return gettext_figures(sentence)
