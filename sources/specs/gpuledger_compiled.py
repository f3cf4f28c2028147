"""Our own compiled table of cards, the maintainers' notes on it, and the launch prices in it."""

import datetime as dt
from collections.abc import Iterator

from pipeline.schema.prices import Price
from pipeline.schema.specs import Gpu, SpecNote
from sources import Accepted, Document, Rejected, Source

SOURCE = Source(
    source_id="gpuledger-compiled",
    title="gpuledger: compiled specifications",
    kind="specs",
    yields=(Gpu, SpecNote, Price),
    licence="CC BY-SA 4.0",
    attribution="gpuledger, compiled from the sources that gpu_spec names",
    stale_after_days=None,
    folder="specs",
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Cards with their launch prices, or notes, by the name of the file."""
    if document.name == "gpus.csv":
        yield from _cards(document)
    elif document.name == "notes.csv":
        yield from document.records(SpecNote)
    else:
        raise document.error(1, "this folder holds gpus.csv and notes.csv; move the file")


def _cards(document: Document) -> Iterator[Accepted]:
    for locator, card in document.records(Gpu):
        assert isinstance(card, Gpu)  # noqa: S101 - tells the type checker what records() was asked for
        yield Accepted(locator, card)
        if card.launch_msrp_usd is not None and card.release_date is not None:
            yield Accepted(f"{locator}, launch_msrp_usd", _launch_price(card, card.launch_msrp_usd, card.release_date))


def _launch_price(card: Gpu, usd: float, released: dt.date) -> Price:
    return Price(
        observed_at=released,
        provider=card.vendor,
        raw_gpu_name=card.name,
        gpu_count=1,
        kind="msrp",
        price_raw=f"{usd:g} USD",
        amount=usd,
        currency="USD",
        price_unit="unit",
        price_basis="per_gpu",
    )
