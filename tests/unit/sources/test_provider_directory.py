"""The directory of providers: pages and feeds are apart, marks stay, and an address that no page may link to is rejected."""

import datetime as dt

import pytest

from pipeline import paths
from pipeline.schema.prices import ProviderFact
from sources import Accepted, Document, Rejected
from sources.names.provider_directory import COLUMNS, parse

LINE = {
    "provider_id": "example", "display_name": "Example", "homepage": "https://example.org",
    "price_page_or_feed": "https://example.org/pricing", "price_page_from": "a list", "country_of_seat": "US",
    "country_from": "general knowledge, unverified", "kind": "GPU cloud", "billing_granularity": "per second (unverified)",
}  # fmt: skip


def read(**changed: str) -> list[Accepted | Rejected]:
    cells = [(LINE | changed).get(name, "") for name in COLUMNS]
    text = ",".join(COLUMNS) + "\n" + ",".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in cells) + "\n"
    return list(parse(Document("data/raw/provider-directory/providers.csv", text.encode(), dt.date(2026, 11, 22))))


def facts(**changed: str) -> dict[str, ProviderFact]:
    rows = [item.row for item in read(**changed) if isinstance(item, Accepted)]
    return {row.attribute: row for row in rows if isinstance(row, ProviderFact)}


def test_the_stored_file_has_no_rejected_line() -> None:
    file = paths.DATA / "raw" / "provider-directory" / "providers.csv"
    items = list(parse(Document("data/raw/provider-directory/providers.csv", file.read_bytes(), dt.date(2026, 11, 22))))
    assert len({item.locator.partition(",")[0] for item in items}) == 67
    assert not [item for item in items if isinstance(item, Rejected)]


@pytest.mark.parametrize(
    "address",
    ["http://example.org", "javascript:alert(1)", "https://example.org/<script>", "https://example.org/a b", "https://a@b.org",
     'https://example.org/"onclick=', "//example.org", "https://localhost"],
)  # fmt: skip
@pytest.mark.parametrize("column", ["homepage", "price_page_or_feed"])
def test_an_address_that_is_not_plain_https_is_rejected(column: str, address: str) -> None:
    (item,) = read(**{column: address})
    assert isinstance(item, Rejected)
    assert (item.locator, item.reason_code) == ("line 2", "BAD_ADDRESS")
    assert column in item.reason


@pytest.mark.parametrize("feed", ["https://example.org/api/prices", "https://example.org/list.json"])
def test_a_feed_for_programs_is_no_pricing_page(feed: str) -> None:
    assert facts(price_page_or_feed=feed)["feed_url"].value == feed
    assert "pricing_url" not in facts(price_page_or_feed=feed)


def test_a_help_article_is_no_pricing_page() -> None:
    """Voltage Park's price stands in an article on language models; its offers link to the home page."""
    found = facts(price_page_or_feed="https://support.example.org/article/deploying-a-model")
    assert {"pricing_url", "feed_url"} & set(found) == set()
    assert "homepage_url" in found


def test_marks_of_the_file_become_a_column() -> None:
    rows = facts()
    assert {name for name, row in rows.items() if row.unverified} == {"country", "billing_granularity"}
    assert rows["billing_granularity"].value == "per second"
    assert rows["pricing_url"].citation == "a list"
    assert "price_basis" not in rows, "an empty cell is no fact"
