"""Publishers of specification values whose files have one form: `spec_values.csv`, and `launch_prices.csv` of some of them.

A line of launch prices is both a price and a value of the GPU's specification. Name, maker, launch date and price are in the
source's own words; `note` marks a date from elsewhere, and begins with `Estimate` where the maker published no price.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.schema import Record
from pipeline.schema.prices import Price
from pipeline.schema.spec_statements import SpecValue
from sources import Accepted, Document, Line, Source

LAUNCH_PRICES = "launch_prices.csv"
COLUMNS = ("gpu_id", "raw_gpu_name", "memory_gb", "provider", "launched", "price_raw", "usd", "citation", "note")


@dataclass(eq=False)
class Publisher:
    """A source that is its own publisher and states numbers only."""

    SOURCE: Source

    def parse(self, document: Document) -> Iterator[Accepted]:
        """Yield the values of a file; of launch prices the prices, too."""
        publisher_id = self.SOURCE.source_id
        if Price in self.SOURCE.yields and document.name == LAUNCH_PRICES:
            return _launches(document, publisher_id)
        return document.records(SpecValue, publisher_id=publisher_id, value_text=None, address=None)


def _launches(document: Document, publisher_id: str) -> Iterator[Accepted]:
    for line in document.csv(COLUMNS):
        yield Accepted(line.locator, _value(line, publisher_id))
        yield Accepted(f"{line.locator}, launch price", _price(line))


def _value(line: Line, publisher_id: str) -> SpecValue:
    return line.record(
        SpecValue,
        publisher_id=publisher_id,
        attribute="launch_msrp_usd",
        value=line.number("usd"),
        value_text=None,
        unit="USD",
        factor=1.0,
        address=None,
    )


def _price(line: Line) -> Price:
    return line.record(
        Price,
        observed_at=line.day("launched"),
        reported_memory_gb=line.number_or_none("memory_gb"),
        gpu_count=1,
        kind="msrp",
        amount=line.number("usd"),
        currency="USD",
        price_unit="unit",
        price_basis="per_gpu",
        qualifier="estimate" if (line.text_or_none("note") or "").startswith("Estimate") else "exact",
    )


def _publisher(*, yields: tuple[type[Record], ...] = (SpecValue,), **facts: Any) -> Publisher:
    return Publisher(Source(kind="specs", yields=yields, **facts))


PARSERS = (
    _publisher(  # published output of drivers, PyTorch and system descriptions
        source_id="device-readings",
        title="Readings of devices made public by their owners",
        attribution="The authors of the readings, named with each value",
    ),
    _publisher(
        source_id="epoch-ml-hardware",
        title="Epoch AI: machine learning hardware",
        yields=(SpecValue, Price),
        url="https://epoch.ai/data/ml_hardware.csv",
        licence="CC BY 4.0",
        republish=True,
        attribution="Epoch AI, Data on Machine Learning Hardware, April 2026",
    ),
    _publisher(  # rates computed as units times rate per clock times clock: a check of stated figures, not an independent source
        source_id="gpuledger-arithmetic",
        title="gpuledger: units times clock",
        licence="CC BY-SA 4.0",
        republish=True,
        attribution="gpuledger",
    ),
    _publisher(  # the throughput module of Lightning Fabric cites vendor data sheets
        source_id="lightning-throughput",
        title="PyTorch Lightning: peak rates",
        url="https://github.com/Lightning-AI/pytorch-lightning/blob/master/src/lightning/fabric/utilities/throughput.py",
        licence="Apache-2.0",
        republish=True,
        attribution="Lightning AI, lightning.fabric.utilities.throughput",
    ),
    _publisher(
        source_id="nvidia-web",
        title="NVIDIA: web pages and data sheets",
        url="https://developer.nvidia.com/cuda-gpus",
        attribution="NVIDIA Corporation, pages named with each value",
    ),
    _publisher(  # where no better source states a value
        source_id="press-and-retail",
        title="Press reports, shop pages and public notes",
        yields=(SpecValue, Price),
        attribution="The authors of the pages, named with each value",
    ),
    _publisher(  # the accelerator tables of the book, which cites vendor pages
        source_id="stas00-ml-engineering",
        title="Machine Learning Engineering: accelerators",
        url="https://github.com/stas00/ml-engineering/blob/744d01e1/compute/accelerator/README.md",
        licence="CC BY-SA 4.0",
        republish=True,
        attribution="Stas Bekman, Machine Learning Engineering",
    ),
    _publisher(  # read from a JSON copy of the lists
        source_id="wikipedia-gpu-lists",
        title="Wikipedia: lists of graphics processing units",
        yields=(SpecValue, Price),
        url="https://github.com/voidful/gpu-info-api",
        terms_url="https://en.wikipedia.org/wiki/Wikipedia:Text_of_the_Creative_Commons_Attribution-ShareAlike_4.0_International_License",
        licence="CC BY-SA 4.0",
        republish=True,
        attribution="Wikipedia contributors, lists of NVIDIA, AMD and Intel graphics processing units, via voidful/gpu-info-api",
    ),
)
