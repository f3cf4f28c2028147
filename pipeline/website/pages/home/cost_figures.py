"""Figures of the home page's answers: what the GPUs that fit a language model cost, and those for a training job.

`site/docs/assets/cost-chart.js` writes the same texts in the browser when the reader changes the question.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from pipeline.schema.checks import quoted
from pipeline.website.charts.cost_by_gpu import cost_by_gpu
from pipeline.website.components.figures import Figure
from pipeline.website.components.recommend.wording import plain_name, several
from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.links import Sellers, provider_name
from pipeline.website.writing.numbers import number, usd

SHOWN = 10
_RENTED = """SELECT gpu_id, g.name, w.basis, w.seconds, c.usd_per_run_cheapest AS usd, c.usd_per_run_cheapest_low AS low,
    c.usd_per_run_cheapest_high AS high, c.cheapest_provider AS provider, c.cheapest_price_date
FROM workload_cost AS c
JOIN workload_time AS w USING (workload, gpu_id)
JOIN gpu AS g USING (gpu_id)
WHERE c.workload = {workload} AND c.usd_per_run_cheapest IS NOT NULL AND is_rankable(w.basis, w.seconds_low, w.seconds_high)
ORDER BY c.usd_per_run_cheapest, w.seconds, gpu_id"""


def _figure(rows: Sequence[Row], key: str, heading: str, captions: Mapping[str, str], **texts: Any) -> Figure:
    """Return a chart of costs, with the column `key` beside the cost in its table and its tooltip."""
    return Figure(
        direction=gettext("further left is better"),
        chart=cost_by_gpu(rows, alt.Tooltip(f"{key}:Q", title=heading, format=",.3~r")),
        rows=rows,
        columns=[
            ("rank", gettext("Rank")),
            ("label", "GPU"),
            ("usd", "USD"),
            ("low", gettext("Low")),
            ("high", gettext("High")),
            (key, heading),
            ("provider", gettext("Provider")),
        ],
        dated=captions["priced"],
        source=captions["source"],
        **texts,
    )


def llm_figure(llm: Mapping[str, Any], sellers: Sellers, captions: Mapping[str, str]) -> Figure | None:
    """Return the chart of the GPUs that fit a language model, ranked ones first; None where no GPU has a cost.

    `llm` is the context of the form.
    """
    shown = [one for one in llm["choices"][:SHOWN] if one["usd_per_million"] is not None]
    rows = [_llm_row(one, order, sellers) for order, one in enumerate(shown)]
    if not rows:
        return None
    cheapest = min([row for row in rows if not row["is_unranked"]] or rows, key=lambda row: row["usd"])
    return _figure(
        rows,
        "speed",
        gettext("Tokens/s"),
        captions,
        name="llm-cost",
        title=_llm_title(cheapest),
        subject=gettext("Cost by GPU"),
        finding=gettext(
            "{question}. The first {shown} of {count} GPUs that fit and have a price.",
            question=llm["question"],
            shown=number(len(rows)),
            count=number(len(llm["choices"])),
        ),
        note=gettext(
            "A line spans the 90% interval of the speed. The price of an hour is not part of it. "
            "Pale marks are predictions too uncertain for a rank."
        ),
        sql=llm["sql"],
    )


def _llm_title(cheapest: Mapping[str, Any]) -> str:
    values = {"gpu": cheapest["label"], "usd": usd(cheapest["usd"])}
    if cheapest["is_unranked"]:
        return gettext("Predicted, not ranked: {gpu} costs {usd}", **values)
    return gettext("{gpu} costs least: {usd} per million tokens", **values)


def _llm_row(one: Row, order: int, sellers: Sellers) -> dict[str, Any]:
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


def job_figure(data: Database, asked: Mapping[str, Any], captions: Mapping[str, str]) -> Figure | None:
    """Return the chart of the GPUs on which the job costs least, and the fastest; None where no GPU has a cost.

    `asked` is the workload with its label. The GPUs are those that the form ranks for it.
    """
    ranked = data.rows(_RENTED.format(workload=quoted(asked["workload"])))
    if not ranked:
        return None
    rows = _job_rows(ranked, data.sellers)
    return _figure(
        rows,
        "hours",
        gettext("Hours"),
        captions,
        name="job-cost",
        title=gettext("{gpu} costs least: {usd} for the job", gpu=rows[0]["label"], usd=usd(rows[0]["usd"])),
        subject=gettext("Cost of the job by GPU"),
        finding=gettext(
            "{job}. The lowest costs among {count} GPUs that fit, and the fastest GPU.", job=asked["label"], count=len(ranked)
        ),
        note=gettext(
            "Full marks are the cheapest and the fastest. A line spans the 90% interval of a predicted time. "
            "The price of an hour is not part of it."
        ),
        sql=ranked.sql,
    )


def _job_rows(ranked: list[Row], sellers: Sellers) -> list[dict[str, Any]]:
    """Return the cheapest GPUs and the fastest."""
    fastest = min(ranked, key=lambda row: row["seconds"])
    shown = [(rank, row) for rank, row in enumerate(ranked, start=1) if rank <= SHOWN or row is fastest]
    return [
        {
            "rank": rank,
            "label": plain_name(row["name"], row["gpu_id"]),
            "usd": row["usd"],
            "low": row["low"],
            "high": row["high"],
            "hours": row["seconds"] / 3600,
            "provider": provider_name(row["provider"], sellers),
            "order": order,
            "is_unranked": False,
            "is_first": row is fastest or order == 0,
        }
        for order, (rank, row) in enumerate(shown)
    ]
