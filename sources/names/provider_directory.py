"""Directory of providers: home and pricing pages, country, kind, billing, compiled from public lists.

One line per provider becomes one row per fact. A fact that the file marks as unverified keeps that mark. An address must be
a plain https address; a price feed for programs is a fact of its own, so that no page links to it.
"""

import re
from collections.abc import Iterator

from pipeline.schema.prices import ProviderFact
from sources import Accepted, Document, Line, Rejected, Source

SOURCE = Source(
    source_id="provider-directory",
    title="Directory of providers: pages, country, billing",
    kind="names",
    yields=(ProviderFact,),
    attribution="GPU rental price data by gpurentalprices.com (CC BY 4.0); Spare Cores vendor records (CC BY-SA 4.0)",
    url="https://gpurentalprices.com",
    licence="CC BY 4.0, CC BY-SA 4.0",
    republish=True,
)
COLUMNS = (
    "provider_id", "display_name", "homepage", "price_page_or_feed", "price_page_from", "country_of_seat", "country_from",
    "kind", "price_basis", "billing_granularity", "egress", "named_in",
)  # fmt: skip
COMPILED = "gpurentalprices.com pages and Spare Cores vendor records, compiled 2026-11-22"
UNVERIFIED = "unverified"
ADDRESS = re.compile(r"https://[a-z0-9-]+(\.[a-z0-9-]+)+(/[^\s\"'<>`\\]*)?")
ARTICLE = re.compile(r"^https://support\.")  # states a price in passing; readers are sent to the home page instead
FEED = re.compile(r"/api/|\.json$|^https://billing\.app\.")  # read by programs; the last is an application's back end


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the facts of each provider; a line with an address that no page may link to is rejected."""
    for line in document.csv(COLUMNS):
        bad = [name for name in ("homepage", "price_page_or_feed") if (url := line.fields[name]) and not ADDRESS.fullmatch(url)]
        if bad:
            yield line.reject("BAD_ADDRESS", f"{bad[0]} is not a plain https address")
            continue
        for fact in _facts(line):
            yield Accepted(f"{line.locator}, {fact.attribute}", fact)


def _facts(line: Line) -> Iterator[ProviderFact]:
    """Yield the facts that are not empty. `(unverified)` in a value or its source becomes a mark."""
    cells = line.fields
    page, named_in = cells["price_page_or_feed"], cells["named_in"]
    stated = (
        ("name", cells["display_name"], named_in if named_in.startswith("source ") else COMPILED),
        ("homepage_url", cells["homepage"], COMPILED),
        ("feed_url" if FEED.search(page) else "pricing_url", "" if ARTICLE.search(page) else page, cells["price_page_from"]),
        ("country", cells["country_of_seat"], cells["country_from"]),
        *((name, cells[name], COMPILED) for name in ("kind", "price_basis", "billing_granularity")),
    )
    for attribute, value, citation in stated:
        if value:
            text = value.replace(f" ({UNVERIFIED})", "")
            yield ProviderFact(
                raw_provider=line.text("provider_id"),
                attribute=attribute,
                value=text,
                citation=citation or COMPILED,
                unverified=text != value or UNVERIFIED in citation,
            )
