"""Mike Clayton's comparison of a professional with a consumer GPU system (2023): GPUs, slots, power, EfficientNet."""

from collections.abc import Iterator

from pipeline.schema.guides import GuideEpoch, GuideMachine, GuideProtocol, GuideRecommendation
from pipeline.schema.prices import Price
from sources import Accepted, Document, Source, by_file_name, rows_of
from sources.guides.figures import SHARED_RECORDS, figure, shared_parsers

SOURCE = Source(
    source_id="pro-vs-consumer-2023",
    title="Mike Clayton: Pro GPU System vs Consumer GPU System for Deep Learning (2023)",
    kind="guide",
    yields=(GuideEpoch, GuideMachine, GuideProtocol, GuideRecommendation, *SHARED_RECORDS, Price),
    attribution=(
        "Mike Clayton, Pro GPU System vs Consumer GPU System for Deep Learning, Towards Data Science, 19 April 2023; "
        "epochs, batches and memory from the notebooks behind it (thetestspecimen/notebooks at 91643c9d)"
    ),
    url="https://towardsdatascience.com/pro-gpu-system-vs-consumer-gpu-system-for-deep-learning-a62bec69f557",
)


def _launch_prices(document: Document) -> Iterator[Accepted]:
    """Yield a price and a published figure per row."""
    for line in document.csv(("raw_gpu_name", "price_usd")):
        gpu = line.text("raw_gpu_name")
        row = Price(
            observed_at=document.observed_on,
            provider="NVIDIA",
            raw_gpu_name=gpu,
            gpu_count=1,
            kind="msrp",
            price_raw=f"${line.text('price_usd')}",
            amount=line.number("price_usd"),
            currency="USD",
            price_unit="unit",
            price_basis="per_gpu",
            includes_host=False,
        )
        yield Accepted(line.locator, row)
        facts = {"source_id": SOURCE.source_id, "subject": gpu, "raw_gpu_name": gpu}
        yield figure(line, "price_usd", quantity="launch_msrp_usd", unit="USD", role="spec", prefix="$", **facts)


_NOT_STATED = (
    "generation", "cuda_cores", "memory_bandwidth_gb_per_s", "fp32_tflops", "half_precision_tflops", "min_cuda_major",
    "vcpus", "storage_gb", "usd_per_hour", "subscription_usd_per_month",
)  # fmt: skip
parse = by_file_name(
    {
        "epochs.csv": rows_of(GuideEpoch),
        "machines.csv": rows_of(GuideMachine, **dict.fromkeys(_NOT_STATED)),
        "prices.csv": _launch_prices,
        "protocol.csv": rows_of(GuideProtocol),
        "recommendations.csv": rows_of(GuideRecommendation, author="Mike Clayton", dated="advised_on"),
        **shared_parsers(SOURCE.source_id),
    }
)
