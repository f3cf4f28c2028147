"""One page per source: its stored files, and the stored row behind each price that other pages list.

`stored_row_link` links to a row by the key of its offer, or by its observation if the offer has a newer price.
"""

from collections import defaultdict

from pipeline.website.components.database import Row
from pipeline.website.components.labels import short_gpu, short_source, sources, words
from pipeline.website.i18n.language import gettext
from pipeline.website.links import ROW_ID_LENGTH, source_path
from pipeline.website.rendering import PageWriter

_FILES = """
    SELECT source_id, snapshot_id, path, url, published_at, retrieved_at, origin, extent, rows_read, rows_accepted, rows_rejected
    FROM snapshot ORDER BY source_id, coalesce(published_at, retrieved_at) DESC, path
"""
_ROWS = f"""
    SELECT p.source_id, left(coalesce(l.offer_key, p.observation_id), {ROW_ID_LENGTH}) AS id,
        p.snapshot_id, p.locator, p.gpu_id, coalesce(g.name, m.name) AS gpu_name, p.raw_gpu_name, p.instance_type, p.provider,
        p.price_raw, p.currency, p.price_unit, p.price_basis, coalesce(p.usd_per_gpu_hour, p.usd_per_gpu) AS usd,
        price_seen_to(p.observed_at, p.effective_from, p.effective_to) AS last_day
    FROM price p
    JOIN gpu_model m USING (gpu_model_id)
    LEFT JOIN gpu g USING (gpu_id)
    LEFT JOIN price_latest l USING (observation_id)
    WHERE p.usd_per_gpu IS NOT NULL OR observation_id IN (SELECT observation_id FROM rental_listing)
    ORDER BY p.source_id, last_day DESC, gpu_name, usd, p.observation_id
"""


def write_source_pages(writer: PageWriter) -> None:
    """Write the page of every source."""
    files, rows = _group_by_source(writer.data.rows(_FILES)), _group_by_source(writer.data.rows(_ROWS))
    for source_id, source in sources(writer.data).items():
        title = short_source(source)
        writer.write_page(
            source_path(source_id).removesuffix("/index.html"),
            "pages/quality/source.md.j2",
            gettext("{title}, stored rows", title=title),
            gettext("Stored files of {title}, and the stored row of each listed price.", title=title),
            source=source,
            name=title,
            files=files[source_id],
            rows=rows[source_id],
            file_names={row["snapshot_id"]: row["path"].rpartition("/")[2] for row in files[source_id]},
            words=words,
            short_gpu=short_gpu,
        )


def _group_by_source(rows: list[Row]) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["source_id"]].append(row)
    return grouped
