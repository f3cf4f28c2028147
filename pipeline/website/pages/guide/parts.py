"""Parts that the pages of the guides share: advice, rules, protocol, platforms and the count of checked figures."""

from collections.abc import Mapping
from typing import Any

from pipeline.website.writing.database import Rows, group_by
from pipeline.website.writing.page_writer import PageWriter

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


def write_guide(writer: PageWriter, source_id: str, title: str, lead: str, queries: Mapping[str, Rows], **values: Any) -> None:
    """Write the page `guides/<source_id>` from the template of that name, with the parts that all guides have.

    The template reads the rows of each query by its name; `values` are its other values.
    """
    writer.write_page(
        f"guides/{source_id}",
        f"pages/guide/{source_id.rsplit('-', 1)[0]}.md.j2",
        title,
        lead,
        lead=lead,
        guide=writer.sources[source_id],
        **{name: group_by(rows, "source_id")[source_id] for name, rows in writer.data.results(_OF_EVERY_GUIDE).items()},
        **queries,
        **values,
    )
