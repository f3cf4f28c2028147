"""The data page: what can be downloaded and how to cite it, what each table and column means and how far it is filled."""

from pipeline.warehouse.dataset import LICENCE, bibtex
from pipeline.website.charts.verdicts import verdicts
from pipeline.website.components.database import Database, Row
from pipeline.website.components.downloads import list_downloads
from pipeline.website.components.figures import Figure, render_figure
from pipeline.website.components.labels import words
from pipeline.website.components.tables import label
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.pages.data.linked_data import dataset
from pipeline.website.rendering import PageWriter


def write(writer: PageWriter) -> None:
    """Write the data page."""
    data = writer.data
    downloads = list_downloads(data, writer.release)
    coverage = data.rows("SELECT * FROM spec_coverage ORDER BY values_unconfirmed DESC, attribute")
    writer.write_page(
        "data",
        "pages/data/page.md.j2",
        "The data",
        "Downloads, how to cite them, and a dictionary with coverage per column.",
        downloads=downloads,
        example=next((entry for entry in downloads.tables if entry.table.name == "gpu" and entry.files), None),
        dataset=dataset(writer, downloads),
        bibtex=bibtex(writer.as_of),
        terms=LICENCE,
        coverage=coverage,
        words=words,
        unconfirmed=_count(data, "agrees IS NULL"),
        contradicted=_count(data, "NOT agrees"),
        chosen=_count(data, "TRUE"),
        core=_core(data),
        figure=render_figure(writer, "../", _figure(coverage, f"{writer.as_of:%Y-%m-%d}")),
    )


_CORE = ("memory_gb", "memory_bandwidth_gb_per_s", "fp32_tflops", "fp16_tensor_tflops", "tdp_w")
_OUTCOMES = {
    "values_confirmed": N_("stated outside"),
    "values_contradicted": N_("outside sources differ"),
    "values_unconfirmed": N_("no outside source"),
}


def _figure(coverage: list[Row], dated: str) -> Figure:
    """What outside sources say of the values of each attribute."""
    order = sorted(coverage, key=lambda row: (-row["values_confirmed"], -row["cards_with_value"]))
    rows = [
        {"attribute": label(row["attribute"], row["unit"] or ""), "verdict": outcome, "figures": row[key], "place": place}
        for row in order
        for place, (key, outcome) in enumerate(_OUTCOMES.items())
    ]
    stated, known = (sum(row[key] for row in coverage) for key in ("values_confirmed", "cards_with_value"))
    return Figure(
        name="values-by-evidence",
        heading=gettext("Specification values by what outside sources say"),
        direction=gettext("more stated outside is better"),
        finding=gettext(
            "{stated} of {known} values are stated by an independent outside source; most often {attribute}.",
            stated=f"{stated:,}",
            known=f"{known:,}",
            attribute=rows[0]["attribute"],
        ),
        dated=gettext("Counted in the data of {dated}", dated=dated),
        source=gettext("table spec_coverage"),
        chart=verdicts(rows, "attribute", "Cards"),
        rows=rows,
        columns=[("attribute", "Attribute"), ("verdict", "Evidence"), ("figures", "Cards")],
    )


def _count(data: Database, condition: str) -> int:
    """Chosen specification values that meet an SQL condition."""
    return int(data.rows(f"SELECT count(*) AS n FROM gpu_spec WHERE chosen AND {condition}")[0]["n"])


def _core(data: Database) -> int:
    """Values of the five core figures that no outside source states."""
    names = ", ".join(f"'{name}'" for name in _CORE)
    return _count(data, f"agrees IS NULL AND attribute IN ({names})")
