"""Atom feeds (RFC 4287) of releases and of price moves, in each language at its root.

Identifiers are tag URIs of what an entry is about: a release's hash, an offer and a date. Dates are those of the data. Links are
relative to the feed, whose address is `xml:base` where the address of the site is known.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote
from xml.etree import ElementTree as ET

from pipeline.release.dataset import AUTHORS, TITLE
from pipeline.website.i18n.language import current_language, gettext
from pipeline.website.writing import numbers
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.links import gpu_path, provider_name, provider_path, site_address
from pipeline.website.writing.page_writer import PageWriter

RELEASES, PRICES = "releases.atom", "price-moves.atom"
LARGE_MOVE = 0.05  # share of the price
ENTRIES = 100  # of releases; moves of prices are shown by whole days, the newest ones with at least so many
_PAGE = "changes/index.html"
_ATOM, _XML = "http://www.w3.org/2005/Atom", "http://www.w3.org/XML/1998/namespace"
_RELEASES = f"SELECT * FROM release_history ORDER BY number DESC LIMIT {ENTRIES}"
_MOVES = f"""
    SELECT m.*, coalesce(g.name, n.name) AS name
    FROM price_move m JOIN gpu_model n USING (gpu_model_id) LEFT JOIN gpu g USING (gpu_id)
    WHERE m.listed AND abs(m.change) > {LARGE_MOVE} AND m.valid_from >= coalesce((
        SELECT valid_from FROM price_move WHERE listed AND abs(change) > {LARGE_MOVE}
        ORDER BY valid_from DESC LIMIT 1 OFFSET {ENTRIES - 1}
    ), DATE '-infinity')
    ORDER BY m.valid_from DESC, abs(ln(1 + m.change)) DESC, m.offer_key
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a feed. `subject` is what it is about, in words that never change; `page` is below the language's root."""

    subject: str
    title: str
    date: dt.date
    page: str
    text: str


def write(writer: PageWriter) -> None:
    """Write both feeds of the current language."""
    releases = [_release(row) for row in writer.data.rows(_RELEASES)]
    moves = [_move(writer, row) for row in writer.data.rows(_MOVES)]
    writer.write_text(RELEASES, _feed(RELEASES, gettext("gpuledger: releases"), writer.as_of, releases))
    writer.write_text(PRICES, _feed(PRICES, gettext("gpuledger: price moves above 5%"), writer.as_of, moves))


def _release(row: Row) -> Entry:
    title = gettext("Release {number}: data of {day}", number=row["number"], day=numbers.day(row["as_of"]))
    return Entry(f"release:{row['release_id']}", title, row["as_of"], f"{_PAGE}#release", " ".join(summary(row)))


def summary(row: Row) -> Iterator[str]:
    """Yield the sentences that describe a release, a row of release_history."""
    if not row["previous_release_id"]:
        yield gettext("The first release. There is no earlier one to compare it with.")
        return
    yield gettext(
        "Tables that differ from the data of {day}: {tables}. Rows: {added} new, {removed} gone, {changed} changed.",
        day=numbers.day(row["previous_as_of"]), tables=f"{row['n_tables']:,}", added=f"{row['rows_added']:,}",
        removed=f"{row['rows_removed']:,}", changed=f"{row['rows_changed']:,}",
    )  # fmt: skip
    yield gettext("Prices: {rises} rose, {cuts} fell.", rises=f"{row['n_price_rises']:,}", cuts=f"{row['n_price_cuts']:,}")
    names = ", ".join(
        one for kind in ("new_gpus", "new_gpu_models", "new_llm_models") for one in (row[kind] or "").split(",") if one
    )
    if names:
        yield gettext("New: {names}.", names=names)


def _move(writer: PageWriter, row: Row) -> Entry:
    seller, gpu = provider_name(row["provider"], writer.data.sellers), short_gpu(row["name"], "")
    sign = "+" if row["change"] > 0 else ""
    title = gettext("{gpu}, {provider}: {change}", gpu=gpu, provider=seller, change=f"{sign}{numbers.percent(row['change'])}")
    unit = gettext("per GPU-hour") if row["kind"] == "cloud_rental" else gettext("per GPU")
    prices = {"before": numbers.usd(row["usd_before"]), "after": numbers.usd(row["usd"])}
    text = gettext("{before} before, {after} since {day}, {unit}.", **prices, day=numbers.day(row["valid_from"]), unit=unit)
    page = gpu_path(row["gpu_id"]) if row["gpu_id"] else provider_path(row["provider"])
    where = [row["region"]] if row["region"] else []
    return Entry(f"price:{row['offer_key']}:{row['valid_from']}", title, row["valid_from"], page, " ".join([text, *where]))


def _feed(name: str, title: str, as_of: dt.date, entries: Iterable[Entry]) -> str:
    feed = ET.Element("feed", {"xmlns": _ATOM, f"{{{_XML}}}lang": current_language().code})
    if site_address():
        feed.set(f"{{{_XML}}}base", f"{site_address()}{current_language().path}{name}")
    _add(feed, f"feed:{name}", title, as_of, _PAGE)
    ET.SubElement(feed, "link", {"rel": "self", "type": "application/atom+xml", "href": name})
    ET.SubElement(ET.SubElement(feed, "author"), "name").text = AUTHORS
    for one in entries:
        entry = ET.SubElement(feed, "entry")
        _add(entry, one.subject, one.title, one.date, one.page)
        ET.SubElement(entry, "summary").text = one.text
    ET.indent(feed, space=" ")
    return ET.tostring(feed, encoding="unicode", xml_declaration=True).replace("encoding='us-ascii'", "encoding='utf-8'") + "\n"


def _add(element: ET.Element, subject: str, title: str, date: dt.date, page: str) -> None:
    """Add what feeds and entries have in common."""
    ET.SubElement(element, "id").text = f"tag:{TITLE},2026:{current_language().code}:{quote(subject, safe=':')}"
    ET.SubElement(element, "title").text = title
    ET.SubElement(element, "updated").text = f"{date}T00:00:00Z"
    ET.SubElement(element, "link", {"rel": "alternate", "type": "text/html", "href": page})
