"""GPUs that miss a limit, grouped by the reason; `outGroups` of `site/docs/assets/buying.js` does the same in the browser."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from pipeline.recommend import language_model, workload
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.labels import short_gpu

# a reason with figures, and its heading; the patterns mean the same in Python and in JavaScript
_LIMITS = (
    (r"needs [\d.]+ GB on each of", N_("Not enough memory")),
    (r"[\d.]+ GB of memory: a GPU with that much ran out", N_("Not enough memory")),
    (r"[\d.]+ GB of memory: measured only on ", N_("Measured only on GPUs with more memory")),
    (r"[\d.]+ GB of memory, ", N_("Less memory than asked for")),
    (r"\d+ x [\d.]+ USD", N_("Above the budget")),
    (r"\d+ x [\d.]+ W = ", N_("Above the power budget")),
    (r"[\d.]+ slots wide: ", N_("Too wide for the slots")),
    (r"needs CUDA ", N_("Needs a newer CUDA")),
    (r"runs CUDA up to ", N_("Needs an older CUDA")),
    (r"made by ", N_("Another vendor")),
    (r"only rented as ", N_("Only rented in larger numbers")),
    (r"no current offer: ", N_("No current offer")),
    (r"no purchase price of the past year", N_("No purchase price of the past year")),
    (r"its newest price, of ", N_("Newest price outside the 12 months compared")),
    (r"prediction too uncertain for a rank: ", N_("Prediction too uncertain for a rank")),
)


LeftOut = language_model.RankedGpu | workload.RankedGpu  # with the first limit that it misses


def left_out(choices: Sequence[LeftOut]) -> list[dict[str, Any]]:
    """Group the GPUs that miss a limit by reason, largest group first; figures that differ are given beside each GPU."""
    groups: defaultdict[str, list[LeftOut]] = defaultdict(list)
    for one in choices:
        heading = next((heading for pattern, heading in limits() if re.match(pattern, one.reason)), one.reason)
        groups[heading].append(one)
    order = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return [_group(heading, found) for heading, found in order]


def limits() -> list[tuple[str, str]]:
    """Return patterns of the reasons with figures and their headings, which the script of the form reads from the page."""
    return [(pattern, gettext(heading)) for pattern, heading in _LIMITS]


def _group(heading: str, found: list[LeftOut]) -> dict[str, Any]:
    same = len({one.reason for one in found}) == 1
    gpus = [{"gpu_id": one.gpu_id, "gpu": short_gpu(one.name, one.gpu_id), "reason": "" if same else one.reason} for one in found]
    return {"reason": found[0].reason if same else heading, "count": len(found), "gpus": gpus}
