"""Values in Epoch AI's table of machine-learning hardware."""

from collections.abc import Iterator

from pipeline.schema.prices import Price
from pipeline.schema.spec_statements import SpecValue
from sources import Accepted, Document, Rejected, Source
from sources.specs.launch_prices import with_launch_prices

SOURCE = Source(
    source_id="epoch-ml-hardware",
    title="Epoch AI: machine learning hardware",
    kind="specs",
    yields=(SpecValue, Price),
    url="https://epoch.ai/data/ml_hardware.csv",
    licence="CC BY 4.0",
    republish=True,
    attribution="Epoch AI, Data on Machine Learning Hardware, April 2026",
    stale_after_days=None,
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one row per value of the source, and one per launch price."""
    yield from with_launch_prices(document, SOURCE.source_id)
