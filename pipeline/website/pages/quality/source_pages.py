"""One page per source: its stored files, and the stored row that a link from a figure names.

The script `source.js` reads file and row from the address (`stored_row_link`) and shows the line from the published copy.
"""

from pathlib import Path

from pipeline.release.stored_bytes import EXCERPT, SNAPSHOTS, WHOLE
from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import group_by
from pipeline.website.writing.labels import short_source
from pipeline.website.writing.links import source_path
from pipeline.website.writing.page_writer import PageWriter

_FILES = """
    SELECT source_id, snapshot_id, path, url, published_at, retrieved_at, origin, extent, rows_read, rows_accepted, rows_rejected
    FROM snapshot ORDER BY source_id, coalesce(published_at, retrieved_at) DESC, path
"""
_PROVIDERS = "SELECT DISTINCT source_id, provider FROM price ORDER BY source_id, lower(provider), provider"


def write_source_pages(writer: PageWriter) -> None:
    """Write the page of every source."""
    files, providers = (group_by(writer.data.rows(sql), "source_id") for sql in (_FILES, _PROVIDERS))
    for source_id, source in writer.sources.items():
        title = short_source(source)
        writer.write_page(
            source_path(source_id).removesuffix("/index.html"),
            "pages/quality/source.md.j2",
            gettext("{title}, stored files", title=title),
            gettext("Stored files of {title}, and the stored row behind each figure.", title=title),
            source=source,
            name=title,
            files=[row | {"copies": _copies(writer.release, row["snapshot_id"])} for row in files[source_id]],
            providers=[row["provider"] for row in providers[source_id]],
        )


def _copies(release: Path, snapshot_id: str) -> dict[str, str]:
    """Return the published copies of a stored file, by kind, as paths below the site's root."""
    names = {"whole": f"{snapshot_id}{WHOLE}", "excerpts": f"{snapshot_id}{EXCERPT}"}
    return {kind: f"data/{SNAPSHOTS}/{name}" for kind, name in names.items() if (release / SNAPSHOTS / name).exists()}
