"""One page per guide: its tables, its protocol and its advice, with the current figure beside each.

The module of a guide has its SOURCE_ID and TITLE, the QUERIES whose rows its template reads by name, and `lead`, the sentences at
the top. Other values of the template are in `more`.
"""

from types import ModuleType

from pipeline.website.pages.guide import autodl, dettmers, paperspace, pro_vs_consumer, wechat
from pipeline.website.writing.database import group_by
from pipeline.website.writing.page_writer import PageWriter

GUIDES = (autodl, dettmers, paperspace, pro_vs_consumer, wechat)
_OF_EVERY_GUIDE = {
    "summary": "SELECT * FROM guide_summary",
    "advice": """
        SELECT r.source_id, r.author, r.advised_on, r.scenario, r.stance, r.said, r.agrees, r.today_gpu_id, r.today_name,
            r.today_cost_usd, r.today_price_date, s.acquisition
        FROM recommendation r LEFT JOIN scenario s USING (scenario_id)
        ORDER BY r.source_id, r.advised_on, r.author, r.scenario, r.stance
    """,
    "rules": "SELECT * FROM guide_rule ORDER BY source_id, topic, rule_id",
    "protocol": "SELECT * FROM guide_protocol ORDER BY source_id, task, locator, setting",
    "platforms": "SELECT * FROM guide_platform ORDER BY platform, usd_per_month, tier",
}


def write(writer: PageWriter) -> None:
    """Write the page of every guide."""
    for guide in GUIDES:
        _write_one(writer, guide, guide.SOURCE_ID)


def _write_one(writer: PageWriter, guide: ModuleType, source_id: str) -> None:
    tables = writer.data.results(guide.QUERIES)
    lead = guide.lead(tables, writer.as_of)
    writer.write_page(
        f"guides/{source_id}",
        guide.TITLE,
        lead,
        f"{source_id.rsplit('-', 1)[0]}.md.j2",
        lead=lead,
        guide=writer.sources[source_id],
        **{name: group_by(rows, "source_id")[source_id] for name, rows in writer.data.results(_OF_EVERY_GUIDE).items()},
        **tables,
        **(guide.more(writer.data, tables) if hasattr(guide, "more") else {}),
    )
