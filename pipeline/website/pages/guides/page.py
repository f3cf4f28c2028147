"""Page of the guides: overview, recommendations, rules and platforms."""

from pipeline.website.writing.page_writer import PageWriter

_RULES = "SELECT topic, subject, comparison, value, unit, statement, source_id FROM guide_rule ORDER BY topic, source_id, rule_id"
_TABLES = {
    "guides": """
        SELECT source_id, n_machines AS machines, n_figures_checked AS figures, n_figures_differ AS wrong,
            n_claims AS claims, n_claims_hold AS claims_held, published_at
        FROM guide_summary ORDER BY published_at, source_id
    """,
    "advice": """
        SELECT r.*, g.name FROM guide_recommendation r LEFT JOIN gpu g USING (gpu_id)
        ORDER BY r.source_id, r.author, r.purpose, r.recommendation_id
    """,
    "platforms": "SELECT platform, tier, usd_per_month, hardware, limits, source_id FROM guide_platform ORDER BY platform, tier",
    "rules": _RULES,
}


def write(writer: PageWriter) -> None:
    """Write the page of the guides."""
    writer.write_page(
        "guides",
        "Five guides, checked",
        "Statements and figures of five published GPU guides, and which of them are right.",
        **writer.data.results(_TABLES),
    )
