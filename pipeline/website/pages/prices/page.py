"""Page of rental prices now, by GPU and billing. All offers in one table are in `pages.offers`."""

from pipeline.website.components import market
from pipeline.website.components.database import Row
from pipeline.website.components.labels import short_gpu, words
from pipeline.website.components.queries import dataset_figures
from pipeline.website.rendering import PageWriter

_CARDS = "SELECT gpu_id, name FROM gpu"


def write(writer: PageWriter) -> None:
    """Write the page of prices."""
    data = writer.data
    cards = {row["gpu_id"]: row for row in data.rows(_CARDS)}
    figures = dataset_figures(data)
    billings = list(dict.fromkeys(row["billing"] for row in market.offer_groups(data) if not row["stale"]))
    writer.write_page(
        "prices",
        "pages/prices/page.md.j2",
        "Rental prices now",
        "What renting a whole GPU costs now, by card and billing.",
        stale=figures["rental_offers_stale"],
        offers=figures["rental_offers_current"],
        providers=figures["rental_providers_current"],
        billings=billings,
        unassigned=figures["unassigned_price_rows"],
        medians=_medians(writer, billings, cards),
        words=words,
    )


def _medians(writer: PageWriter, billings: list[str], cards: dict[str, Row]) -> list[Row]:
    """Return one row per GPU with its rent on each billing, the GPUs with most providers first."""
    by_billing = {billing: market.rental_market(writer.data, billing) for billing in billings}
    ids = {gpu_id for offers in by_billing.values() for gpu_id in offers}
    rows = [
        {"gpu_id": gpu_id, "card": short_gpu(cards.get(gpu_id, {}).get("name"), gpu_id)}
        | {"by_billing": {billing: offers.get(gpu_id) for billing, offers in by_billing.items()}}
        for gpu_id in ids
    ]
    return sorted(rows, key=lambda row: (-_providers(row), row["gpu_id"]))


def _providers(row: Row) -> int:
    return sum(offer["n_providers"] for offer in row["by_billing"].values() if offer)
