"""Page of the WeChat digest of 2022: order of properties, lists by author, platforms, and Lambda's prices and power."""

import datetime as dt

from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Rows
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.numbers import day, number, usd

SOURCE_ID = "wechat-2022"
TITLE = N_("The WeChat digest of 2022, with current figures")
QUERIES = {
    "priorities": "SELECT * FROM guide_priority ORDER BY list_position(['cnn', 'transformer', 'rnn'], family), guide_rank",
    "free": """
        SELECT platform, tier, gpu_name, usd_per_month, usd_per_gpu_hour, provider, price_date, n_offers, hours_for_the_price
        FROM guide_platform_gpu WHERE source_id = 'wechat-2022' ORDER BY platform, usd_per_month, gpu_name
    """,
    "lambda_rows": """
        SELECT v.*, g.name FROM lambda_value v JOIN gpu g USING (gpu_id)
        ORDER BY v.speed_per_1000_usd_system DESC, v.suite, v.gpu_id
    """,
    "figures": """
        SELECT subject, quantity, unit, published_text, recomputed_shown FROM audit
        WHERE source_id = 'wechat-2022' ORDER BY figure_id
    """,
}


def lead(tables: dict[str, Rows], as_of: dt.date) -> str:
    """Return the property that decides in the digest and as measured, and the rent of a GPU that platforms lend."""
    priorities = tables["priorities"]
    first = {row["property"] for row in priorities if row["family"] != "rnn" and row["guide_rank"] == 1}
    measured = {row["property"] for row in priorities if row["family"] != "rnn" and row["measured_rank"] == 1}
    rented = [row for row in tables["free"] if row["usd_per_gpu_hour"] is not None]
    if not first or not measured or not rented:
        return gettext("Priorities, platforms and lists of the digest, with current figures.")
    cheapest = min(rented, key=lambda row: row["usd_per_gpu_hour"])
    return gettext(
        "For CNNs and Transformers, the digest ranks {guide} first. By measured speed, {measured}"
        " is first. The {gpu} of these platforms costs {usd} an hour at {date} ({n} offers).",
        guide=" / ".join(gettext(one) for one in sorted(first)),
        measured=" / ".join(gettext(one) for one in sorted(measured)),
        gpu=short_gpu(cheapest["gpu_name"], ""),
        usd=usd(cheapest["usd_per_gpu_hour"]),
        date=day(as_of),
        n=number(cheapest["n_offers"]),
    )
