"""Audit page: statements, forecasts and figures of the guides with their verdicts, a summary first."""

from pipeline.website.charts.verdicts import verdicts
from pipeline.website.components.figures import Figure, render_figure
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Row, Rows
from pipeline.website.writing.labels import short_source
from pipeline.website.writing.numbers import day
from pipeline.website.writing.page_writer import PageWriter

_TABLES = {
    "rows": """
        SELECT * FROM audit
        ORDER BY CASE WHEN NOT agrees THEN 0 WHEN agrees IS NULL THEN 1 ELSE 2 END, source_id, quantity, subject, figure_id
    """,
    "claims": """
        SELECT * FROM guide_claim
        ORDER BY list_position(['fails', 'mixed', 'holds', 'unchecked'], verdict), source_id, claim_id
    """,
    "forecasts": "SELECT * FROM forecast ORDER BY list_position(['fails', 'mixed', 'holds', 'unchecked'], verdict), forecast_id",
    "summary": "SELECT * FROM guide_summary ORDER BY n_claims DESC, source_id",
    "contradictions": "SELECT * FROM guide_contradiction ORDER BY source_id, raw_gpu_name",
    "conflicts": "SELECT * FROM guide_conflict ORDER BY raw_gpu_name, recommended_by, avoided_by",
}
_VERDICTS = {
    "fails": ("no", N_("wrong")),
    "mixed": ("part", N_("partly true")),
    "holds": ("yes", N_("right")),
    "unchecked": ("open", N_("cannot be checked")),
}
_COUNTS = """
    UNPIVOT (SELECT source_id, n_figures, n_figures_agree, n_figures_differ, n_figures_unchecked FROM guide_summary)
    ON n_figures_agree AS 'agrees', n_figures_differ AS 'differs', n_figures_unchecked AS 'cannot be checked'
    INTO NAME outcome VALUE figures
    ORDER BY n_figures DESC, source_id, outcome
"""
_OUTCOMES = {True: N_("agrees"), False: N_("differs"), None: N_("cannot be checked")}


def write(writer: PageWriter) -> None:
    """Write the audit page."""
    tables = writer.data.results(_TABLES)
    rows, claims = tables["rows"], tables["claims"]
    counts = writer.data.rows(_COUNTS)
    writer.write_page(
        "audit",
        "Five guides, fact-checked",
        "Statements, forecasts and figures of five GPU guides, each checked by computation.",
        claim_tally={verdict: sum(row["verdict"] == verdict for row in claims) for verdict in _VERDICTS},
        verdicts=_VERDICTS,
        outcomes=_OUTCOMES,
        tally={outcome: sum(row["agrees"] is agrees for row in rows) for agrees, outcome in _OUTCOMES.items()},
        guides=list(dict.fromkeys(row["source_id"] for row in rows)),
        figure=render_figure(writer, "../", _verdicts(counts, writer.sources, day(writer.as_of))),
        **tables,
    )


def _verdicts(counts: Rows, sources: dict[str, Row], dated: str) -> Figure:
    outcomes = list(_OUTCOMES.values())
    counted = [
        {
            "guide": short_source(sources[row["source_id"]]),
            "verdict": gettext(row["outcome"]),
            "place": outcomes.index(row["outcome"]),
            "figures": row["figures"],
        }
        for row in counts
        if row["figures"]
    ]
    differing = gettext(_OUTCOMES[False])
    wrong = {row["guide"]: row["figures"] for row in counted if row["verdict"] == differing}
    worst = max(wrong, key=lambda guide: wrong[guide])
    return Figure(
        name="audit-by-guide",
        title=gettext(
            "{wrong} of {checked} recomputed figures of the guides differ",
            wrong=sum(wrong.values()),
            checked=sum(row["figures"] for row in counted if row["verdict"] != gettext(_OUTCOMES[None])),
        ),
        subject=gettext("Figures of each guide, by verdict"),
        direction=gettext("fewer that differ is better"),
        finding=gettext("Most of those that differ are from {worst} ({count}).", worst=worst, count=wrong[worst]),
        dated=gettext("Recomputed from the data of {dated}", dated=dated),
        source=gettext("the guides' own figures and the vendors' specifications"),
        chart=verdicts(counted, "guide", gettext("Figures")),
        rows=counted,
        columns=[("guide", gettext("Guide")), ("verdict", gettext("Verdict")), ("figures", gettext("Figures"))],
        sql=counts.sql,
    )
