"""Figure of the home page's answer: what the GPUs that fit cost for the question, the recommended one marked.

`site/docs/assets/llm-cost.js` writes the same texts in the browser when the reader changes the question.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from pipeline.website.charts.cost_by_gpu import columns, cost_by_gpu
from pipeline.website.components.figures import Figure
from pipeline.website.components.recommend.wording import several
from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import Row
from pipeline.website.writing.links import Sellers, provider_name
from pipeline.website.writing.numbers import number, usd

NAME = "llm-cost"
SHOWN = 10
# the cheapest number of each GPU for a model, type of weights and use; it compares no memory
RANKED = """SELECT g.name, r.rank, r.gpu_count, r.usd_per_million_output_tokens, r.tokens_per_s, r.tokens_per_s_low,
    r.tokens_per_s_high, r.basis, r.provider, r.price_date
FROM llm_rank AS r
JOIN gpu AS g USING (gpu_id)
WHERE r.llm_model_id = '{model}' AND r.quantization IN ('{quantization}') AND r.use = '{use}'
ORDER BY r.rank NULLS LAST, r.usd_per_million_output_tokens"""


def llm_cost_figure(
    choices: Sequence[Row], question: str, sql: str, sellers: Sellers, captions: Mapping[str, str]
) -> Figure | None:
    """Return the chart of the GPUs that fit, ranked ones first; None where no GPU has a cost."""
    shown = [one for one in choices[:SHOWN] if one["usd_per_million"] is not None]
    rows = [_row(one, order, sellers) for order, one in enumerate(shown)]
    if not rows:
        return None
    cheapest = min([row for row in rows if not row["is_unranked"]] or rows, key=lambda row: row["usd"])
    return Figure(
        name=NAME,
        title=_title(cheapest),
        subject=gettext("Cost by GPU"),
        direction=gettext("further left is better"),
        finding=gettext(
            "{question}. The first {shown} of {count} GPUs that fit and have a price.",
            question=question,
            shown=number(len(rows)),
            count=number(len(choices)),
        ),
        chart=cost_by_gpu(rows, alt.Tooltip("speed:Q", title=gettext("Tokens/s"), format=",.3~r")),
        rows=rows,
        columns=columns("speed", gettext("Tokens/s")),
        note=gettext(
            "A line spans the 90% interval of the speed. The price of an hour is not part of it. "
            "Pale marks are predictions too uncertain for a rank."
        ),
        dated=captions["priced"],
        source=captions["source"],
        sql=sql,
    )


def _title(cheapest: Mapping[str, Any]) -> str:
    values = {"gpu": cheapest["label"], "usd": usd(cheapest["usd"])}
    if cheapest["is_unranked"]:
        return gettext("Predicted, not ranked: {gpu} costs {usd}", **values)
    return gettext("{gpu} costs least: {usd} per million tokens", **values)


def _row(one: Row, order: int, sellers: Sellers) -> dict[str, Any]:
    return {
        "rank": one["rank"],
        "label": several(one["name"], one["gpu_id"], one["gpus"] or 1),
        "usd": one["usd_per_million"],
        "low": one["usd_per_million_low"],
        "high": one["usd_per_million_high"],
        "speed": one["tokens_per_s"],
        "provider": provider_name(one["provider"], sellers),
        "order": order,
        "is_first": one["rank"] == 1,
        "is_unranked": one["unranked"],
    }
