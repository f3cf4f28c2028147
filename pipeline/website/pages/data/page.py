"""Data page with downloads and citation, and a page per table: columns, commands, files with hashes, and sources."""

import datetime as dt

from pipeline.release.dataset import LICENCE, bibtex
from pipeline.tables.lineage import reads
from pipeline.website.charts.verdicts import verdicts
from pipeline.website.components.downloads import list_downloads
from pipeline.website.components.figures import Figure, render_figure
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.pages.data.linked_data import dataset
from pipeline.website.writing.database import Rows
from pipeline.website.writing.labels import column_label
from pipeline.website.writing.links import site_address, table_path
from pipeline.website.writing.numbers import day
from pipeline.website.writing.page_writer import PageWriter

_COVERAGE = "SELECT * FROM spec_coverage ORDER BY values_unconfirmed DESC, attribute"
_EVIDENCE = """
    UNPIVOT (
        SELECT attribute, unit, values_confirmed, values_contradicted, values_unconfirmed, gpus_with_value FROM spec_coverage
    )
    ON values_confirmed, values_contradicted, values_unconfirmed
    INTO NAME outcome VALUE figures
    ORDER BY gpus_with_value DESC, attribute, outcome
"""
_OUTCOMES = {
    "values_confirmed": N_("stated outside"),
    "values_contradicted": N_("outside sources differ"),
    "values_unconfirmed": N_("no outside source"),
}


def write(writer: PageWriter) -> None:
    """Write the data page and a page for each table."""
    data, downloads = writer.data, list_downloads(writer.data, writer.release)
    writer.write_page(
        "data",
        "The data",
        "Downloads, how to cite them, and how many specifications outside sources confirm.",
        downloads=downloads,
        example=next((table for table in downloads.tables if table["name"] == "gpu" and table["files"]), None),
        dataset=dataset(writer, downloads),
        bibtex=bibtex(writer.as_of, site_address()),
        address=site_address(),
        terms=LICENCE,
        coverage=data.rows(_COVERAGE),
        figure=render_figure(writer, "../", _figure(data.rows(_EVIDENCE), data.counts, writer.as_of)),
    )
    published = {table["name"] for table in downloads.tables}
    for table in downloads.tables:
        writer.write_page(
            table_path(table["name"]).removesuffix("/index.html"),
            gettext("Table {name}", name=table["name"]),
            table["title"],
            "table.md.j2",
            table=table,
            computed_from=sorted(published.intersection(reads(table["name"]))),
            terms=LICENCE,
        )


def _figure(evidence: Rows, counts: dict[str, int], dated: dt.date) -> Figure:
    """Return the chart of specification values by what outside sources say of them."""
    outcomes = list(_OUTCOMES)
    confirmed = {row["attribute"]: row["figures"] for row in evidence if row["outcome"] == outcomes[0]}
    rows = [
        {
            "attribute": column_label(row["attribute"], row["unit"] or ""),
            "verdict": gettext(_OUTCOMES[row["outcome"]]),
            "figures": row["figures"],
            "place": outcomes.index(row["outcome"]),
        }
        for row in sorted(evidence, key=lambda row: -confirmed[row["attribute"]])
    ]
    return Figure(
        name="values-by-evidence",
        title=gettext(
            "Outside sources state {stated} of {known} specification values",
            stated=f"{counts['spec_values_confirmed']:,}",
            known=f"{counts['spec_values']:,}",
        ),
        subject=gettext("Specification values by what outside sources say"),
        direction=gettext("more stated outside is better"),
        finding=gettext("Most often confirmed: {attribute}.", attribute=rows[0]["attribute"]),
        dated=gettext("Counted in the data of {dated}", dated=day(dated)),
        source=gettext("specifications of all sources"),
        chart=verdicts(rows, "attribute", gettext("GPUs")),
        rows=rows,
        columns=[("attribute", gettext("Attribute")), ("verdict", gettext("Evidence")), ("figures", gettext("GPUs"))],
        sql=evidence.sql,
    )
