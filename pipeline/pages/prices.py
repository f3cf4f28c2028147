"""The page of prices: every current offer in one table, and what they come to by billing."""

from pipeline.pages import market
from pipeline.pages.database import Row
from pipeline.pages.labels import short_gpu, short_source, sources, words
from pipeline.pages.rendering import Book

_CARDS = "SELECT gpu_id, name, memory_gb FROM gpu"


def write(book: Book) -> None:
    """Write the page of prices."""
    data = book.data
    cards = {row["gpu_id"]: row for row in data.rows(_CARDS)}
    found = market.lines(data)
    current = [_shown(row, cards) for row in found if not row["stale"]]
    billings = list(dict.fromkeys(row["billing"] for row in current))
    book.write(
        "prices",
        "prices.md.j2",
        "Rental prices now",
        "Every current rental price of a whole GPU, with provider, terms, day and source.",
        lines=current[: market.MOST_LINES],
        left_out=len(current) - market.MOST_LINES,
        stale=len(found) - len(current),
        offers=sum(row["n_counted"] for row in current),
        providers=sorted({row["provider"] for row in current}),
        billings=billings,
        unassigned=market.unassigned_rows(data),
        medians=_medians(book, billings, cards),
        sources=sources(data),
        short_source=short_source,
        terms=market.terms,
        words=words,
    )


def _shown(row: Row, cards: dict[str, Row]) -> Row:
    card = cards.get(row["gpu_id"], {})
    return row | {"card": short_gpu(card.get("name"), row["gpu_id"]), "memory_gb": card.get("memory_gb")}


def _medians(book: Book, billings: list[str], cards: dict[str, Row]) -> list[Row]:
    """One row per card with what it costs on each billing; the cards that most providers offer first."""
    found = {billing: market.cheapest_and_median(book.data, billing) for billing in billings}
    ids = {gpu_id for offers in found.values() for gpu_id in offers}
    rows = [
        {"gpu_id": gpu_id, "card": short_gpu(cards.get(gpu_id, {}).get("name"), gpu_id)}
        | {"by_billing": {billing: offers.get(gpu_id) for billing, offers in found.items()}}
        for gpu_id in ids
    ]
    return sorted(rows, key=lambda row: (-_providers(row), row["gpu_id"]))


def _providers(row: Row) -> int:
    return sum(offer["n_providers"] for offer in row["by_billing"].values() if offer)
