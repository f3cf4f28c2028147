"""Parts that the pages of the guides share: advice, rules, protocol, platforms and the count of checked figures."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from pipeline.website.writing.database import Database, Row, Rows
from pipeline.website.writing.page_writer import PageWriter

_ADVICE = """
    SELECT r.source_id, r.author, r.advised_on, r.scenario, r.stance, r.said, r.agrees, r.today_gpu_id, r.today_name,
        r.today_cost_usd, r.today_price_date, s.acquisition
    FROM recommendation r LEFT JOIN scenario s USING (scenario_id)
    ORDER BY r.source_id, r.advised_on, r.author, r.scenario, r.stance
"""
_RULES = "SELECT source_id, topic, subject, comparison, value, unit, statement FROM guide_rule ORDER BY source_id, topic, rule_id"
_PROTOCOL = "SELECT source_id, task, setting, value, unit, note FROM guide_protocol ORDER BY source_id, task, locator, setting"
_PLATFORMS = (
    "SELECT source_id, platform, tier, usd_per_month, hardware, limits FROM guide_platform ORDER BY platform, usd_per_month, tier"
)
_SUMMARY = "SELECT * FROM guide_summary"


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
        summary=_rows_of(writer.data, _SUMMARY, source_id)[0],
        advice=_rows_of(writer.data, _ADVICE, source_id),
        rules=_rows_of(writer.data, _RULES, source_id),
        protocol=_by_task(_rows_of(writer.data, _PROTOCOL, source_id)),
        platforms=_rows_of(writer.data, _PLATFORMS, source_id),
        **queries,
        **values,
    )


def _rows_of(data: Database, query: str, source_id: str) -> list[Row]:
    return [row for row in data.rows(query) if row["source_id"] == source_id]


def _by_task(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    ordered = sorted(rows, key=lambda row: row["task"])
    return [(task, list(of_task)) for task, of_task in groupby(ordered, key=lambda row: row["task"])]
