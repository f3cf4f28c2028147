"""Tim Dettmers's guide to GPUs for deep learning (2020): a model of the hardware, advice by purpose, prices, forecasts."""

import datetime as dt
from collections.abc import Iterator

from pipeline.schema.guides import GuideForecast, GuideMachine, GuideProtocol, GuideRecommendation
from pipeline.schema.prices import Price
from sources import Accepted, Document, Line, Source, by_file_name, rows_of
from sources.guides.figures import SHARED_RECORDS, figure, shared_parsers

SOURCE = Source(
    source_id="dettmers-2020",
    title="Tim Dettmers: Which GPU(s) to Get for Deep Learning (2020)",
    kind="guide",
    yields=(GuideForecast, GuideMachine, GuideProtocol, GuideRecommendation, *SHARED_RECORDS, Price),
    attribution=(
        "Tim Dettmers, Which GPU(s) to Get for Deep Learning, first published on 7 September 2020; "
        "figures of the edition of 9 October 2020, as InfoQ printed it in Chinese"
    ),
    url="https://timdettmers.com/2020/09/07/which-gpu-for-deep-learning/",
)

PRICE_COLUMNS = ("subject", "raw_gpu_name", "kind", "provider", "billing", "part", "price_usd", "approximate", "note")
QUANTITIES = {"purchase_used": ("used_price_usd", "USD"), "cloud_rental": ("usd_per_gpu_hour", "USD/h")}


def _prices(document: Document) -> Iterator[Accepted]:
    """Yield a price and a published figure per row; the guide states some prices twice, with different values."""
    for line in document.csv(PRICE_COLUMNS):
        yield Accepted(line.locator, _price(line, document.observed_on))
        quantity, unit = line.one_of("kind", QUANTITIES)
        yield figure(
            line,
            "price_usd",
            source_id=SOURCE.source_id,
            subject=line.text("subject"),
            raw_gpu_name=line.text("raw_gpu_name"),
            quantity=quantity,
            unit=unit,
            role="given",
            approximate=line.yes_no("approximate"),
            note=line.text_or_none("note"),
        )


def _price(line: Line, day: dt.date) -> Price:
    """Return the price; `offer_id` is the section of the guide, which separates contradictory prices."""
    rental = line.text("kind") == "cloud_rental"
    return line.record(
        Price,
        observed_at=day,
        offer_id=line.text("part"),
        gpu_count=1,
        price_raw=f"{line.text('price_usd')} USD",
        amount=line.number("price_usd"),
        currency="USD",
        price_unit="hour" if rental else "unit",
        price_basis="per_instance" if rental else "per_gpu",
        includes_host=rental,
    )


_NOT_STATED = (
    "generation", "cuda_cores", "fp32_tflops", "half_precision_tflops", "min_cuda_major", "vcpus", "host_memory_gb",
    "storage_gb", "subscription_usd_per_month",
)  # fmt: skip
parse = by_file_name(
    {
        "forecasts.csv": rows_of(GuideForecast, dated="foretold_on"),
        "machines.csv": rows_of(GuideMachine, **dict.fromkeys(_NOT_STATED)),
        "prices.csv": _prices,
        "protocol.csv": rows_of(GuideProtocol),
        "recommendations.csv": rows_of(GuideRecommendation, author="Tim Dettmers", dated="advised_on"),
        **shared_parsers(SOURCE.source_id),
    }
)
