"""The home page: the question with its answers and choices, and the charts that show why."""

from typing import Any

from pipeline.website.components import guide_runs, market, recommend_data, recommend_form
from pipeline.website.components.database import Database, Row
from pipeline.website.components.figures import render_figure
from pipeline.website.components.labels import month, short_source, sources, words
from pipeline.website.components.numbers import day
from pipeline.website.i18n.language import gettext
from pipeline.website.pages.home import home_figures
from pipeline.website.rendering import PageWriter

_OVERVIEW = """
    SELECT (SELECT count(*) FROM gpu) AS cards,
        (SELECT count(*) FROM audit) AS figures, (SELECT count(*) FROM audit WHERE NOT agrees) AS wrong
"""


def write(writer: PageWriter) -> None:
    """Write the home page and the data of its chooser."""
    data = writer.data
    offers = market.rental_market(data)
    rows = guide_runs.measured(data, market.rental_market(data, gpus="single"))
    rates = home_figures.rates(data, offers)
    guide = sources(data)[rows[0]["source_id"]]
    told = {"guide": short_source(guide), "measured": month(rows[0]["guide_date"])}
    told |= {"priced": _priced(rows, offers), "source": _sellers(data, offers, told["guide"])}
    figures = [home_figures.price_against_time(rows, _tasks(rows), told), *home_figures.of_rates(rates, told)]
    if writer.is_default_language:
        recommend_data.write(writer)
    writer.write_page(
        "",
        "pages/home/page.md.j2",
        "Which GPU gives the most for the money?",
        "The answer with evidence: price, measured run time, memory.",
        **recommend_form.context(writer),
        offers=sum(row["n_offers"] for row in offers.values()),
        figures=[render_figure(writer, "", figure) for figure in figures],
        overview=data.rows(_OVERVIEW)[0],
        priced=len(offers),
    )


def _priced(rows: list[Row], offers: dict[str, Row]) -> str:
    """Of which days the prices are."""
    if not rows[0]["current"]:
        return gettext("Prices of {day}", day=month(rows[0]["guide_date"]))
    days = [row["observed_at"] for row in offers.values()]
    return (
        gettext("Prices of {first} to {last}", first=day(min(days)), last=day(max(days)))
        if min(days) < max(days)
        else gettext("Prices of {day}", day=day(max(days)))
    )


def _sellers(data: Database, offers: dict[str, Row], guide: str) -> str:
    if not offers:
        return guide
    known = sources(data)
    return ", ".join(sorted({short_source(known[row["source_id"]]) for row in offers.values()}))


def _tasks(rows: list[Row]) -> list[dict[str, Any]]:
    """The measured tasks, the one that most cards finished first, training before inference."""
    names = list(dict.fromkeys(row["task"] for row in rows))
    finished = {name: sum(row["task"] == name and row["seconds"] is not None for row in rows) for name in names}
    names.sort(key=lambda name: (-finished[name], "training" not in name))
    return [{"id": name, "label": words(name)} for name in names]
