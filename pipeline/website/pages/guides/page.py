"""Page of the guides: recommendations, checked statements and forecasts of each."""

from pipeline.website.components.database import Database, Row
from pipeline.website.components.labels import month, short_source, sources, words
from pipeline.website.components.tables import Grid, grid
from pipeline.website.rendering import PageWriter

VERDICTS = {
    "fails": ("no", "fails"),
    "mixed": ("part", "mixed"),
    "holds": ("yes", "holds"),
    "unchecked": ("open", "cannot be checked"),
}
_GUIDES = """
    SELECT source_id, n_machines AS machines, n_figures AS figures, n_figures_differ AS wrong, n_claims AS claims,
        n_claims_hold AS claims_held, published_at
    FROM guide_summary ORDER BY published_at, source_id
"""
_CLAIMS = (
    "SELECT * FROM guide_claim ORDER BY list_position(['fails', 'mixed', 'holds', 'unchecked'], verdict), source_id, claim_id"
)
_ADVICE = """
    SELECT r.*, g.name FROM guide_recommendation r LEFT JOIN gpu g USING (gpu_id)
    ORDER BY r.source_id, r.author, r.purpose, r.recommendation_id
"""
_PLATFORMS = "SELECT platform, tier, usd_per_month, hardware, limits, source_id FROM guide_platform ORDER BY platform, tier"
_RULES = "SELECT topic, subject, comparison, value, unit, statement, source_id FROM guide_rule ORDER BY topic, source_id, rule_id"


def write(writer: PageWriter) -> None:
    """Write the page of the guides."""
    data = writer.data
    claims = data.rows(_CLAIMS)
    tally = {verdict: sum(row["verdict"] == verdict for row in claims) for verdict in VERDICTS}
    writer.write_page(
        "guides",
        "pages/guides/page.md.j2",
        "Five guides, checked",
        "What five published GPU guides say, and which of it holds.",
        guides=data.rows(_GUIDES),
        sources=sources(data),
        claims=claims,
        tally=tally,
        verdicts=VERDICTS,
        advice=data.rows(_ADVICE),
        platforms=data.rows(_PLATFORMS),
        rules=data.rows(_RULES),
        forecasts=_forecasts(data),
        words=words,
        month=month,
        short_source=short_source,
    )


def _forecasts(data: Database) -> Grid | None:
    rows: list[Row] = data.rows("SELECT * FROM forecast ORDER BY ALL")
    return grid(data, "forecast", rows, leave_out={"forecast_id", "source_id", "snapshot_id", "locator"}) if rows else None
