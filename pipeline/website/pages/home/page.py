"""Home page: recommendation form with its first answers, and one chart for each question."""

from typing import Any

from pipeline.website.components import market
from pipeline.website.components.figures import render_figure
from pipeline.website.components.llm import llm_data, llm_form
from pipeline.website.components.recommend import left_out, recommend_data, recommend_form
from pipeline.website.i18n.language import gettext
from pipeline.website.pages.home import cost_figures, home_figures
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import month, short_source, words
from pipeline.website.writing.numbers import day
from pipeline.website.writing.page_writer import PageWriter


def write(writer: PageWriter) -> None:
    """Write the home page and the data of its form."""
    data = writer.data
    offers = market.model_market(data, "on_demand")
    runs = home_figures.priced_guide_runs(data)
    guide = writer.sources[runs[0]["source_id"]]
    captions = {"guide": short_source(guide), "measured": month(runs[0]["guide_date"])}
    captions |= {"priced": _price_dates(runs, offers), "source": _sellers(writer.sources, offers, captions["guide"])}
    llm = llm_form.context(writer)
    form = recommend_form.context(writer)
    if writer.is_default_language:
        recommend_data.write(writer)
        llm_data.write(writer)
    writer.write_page(
        "",
        "Which GPU gives the most for the money?",
        "Find the best GPU for your work and budget, with the price, speed and memory behind the answer.",
        **form,
        llm=llm,
        figures={
            "llm": render_figure(writer, "", cost_figures.llm_figure(llm, data.sellers, captions)),
            "job": render_figure(writer, "", cost_figures.job_figure(data, form["asked"], captions)),
            "image": render_figure(writer, "", home_figures.price_against_time(runs, _tasks(runs), captions)),
            "specs": [render_figure(writer, "", figure) for figure in home_figures.rate_figures(data, captions)],
        },
        limits=left_out.limits(),
    )


def _price_dates(rows: list[Row], offers: dict[str, Row]) -> str:
    """Return the date range of the prices shown."""
    if not any(row["current"] for row in rows):
        return gettext("Prices of {day}", day=month(rows[0]["guide_date"]))
    days = [row["observed_at"] for row in offers.values()]
    if min(days) == max(days):
        return gettext("Prices of {day}", day=day(max(days)))
    return gettext("Prices of {first} to {last}", first=day(min(days)), last=day(max(days)))


def _sellers(sources: dict[str, Row], offers: dict[str, Row], guide: str) -> str:
    if not offers:
        return guide
    return gettext(", ").join(sorted({short_source(sources[row["source_id"]]) for row in offers.values()}))


def _tasks(rows: list[Row]) -> list[dict[str, Any]]:
    """Return the timed tasks, the one that most GPUs finished first, training before inference."""
    names = list(dict.fromkeys(row["task"] for row in rows))
    finished = {name: sum(row["task"] == name and row["seconds"] is not None for row in rows) for name in names}
    names.sort(key=lambda name: (-finished[name], "training" not in name))
    return [{"id": name, "label": words(name)} for name in names]
