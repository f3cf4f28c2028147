"""Values in Epoch AI's table of machine-learning hardware."""

from pipeline.schema.prices import Price
from pipeline.schema.spec_statements import SpecValue
from sources import Source
from sources.specs.statements import with_launch_prices

SOURCE = Source(
    source_id="epoch-ml-hardware",
    title="Epoch AI: machine learning hardware",
    kind="specs",
    yields=(SpecValue, Price),
    url="https://epoch.ai/data/ml_hardware.csv",
    licence="CC BY 4.0",
    republish=True,
    attribution="Epoch AI, Data on Machine Learning Hardware, April 2026",
)

parse = with_launch_prices(SOURCE.source_id)
