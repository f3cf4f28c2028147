"""The page of prices: what renting a card costs now, by billing. The table of all offers is offers."""

from pipeline.website.components import market
from pipeline.website.components.database import Row
from pipeline.website.components.labels import short_gpu, words
from pipeline.website.rendering import Book

_CARDS = "SELECT gpu_id, name FROM gpu"


def write(book: Book) -> None:
    """Write the page of prices."""
    data = book.data
    cards = {row["gpu_id"]: row for row in data.rows(_CARDS)}
    found = market.lines(data)
    current = [row for row in found if not row["stale"]]
    billings = list(dict.fromkeys(row["billing"] for row in current))
    book.write(
        "prices",
        "pages/prices/page.md.j2",
        "Rental prices now",
        "What renting a whole GPU costs now, by card and billing.",
        stale=len(found) - len(current),
        offers=sum(row["n_counted"] for row in current),
        providers=len({row["provider"] for row in current}),
        billings=billings,
        unassigned=market.unassigned_rows(data),
        medians=_medians(book, billings, cards),
        words=words,
    )


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
