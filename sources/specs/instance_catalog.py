"""Machine types of seven clouds with their accelerators, compiled from public catalogs and outputs of drivers."""

from collections.abc import Iterator

from pipeline.schema.catalog import CatalogInstance
from sources import Accepted, Document, Rejected, Source
from sources.document import Line

SOURCE = Source(
    source_id="instance-catalog",
    title="Machine types of clouds",
    kind="specs",
    yields=(CatalogInstance,),
    attribution="SpareCores (sc-data-dumps, sc-inspector-data), CC BY-SA 4.0; Karpenter and gcosts tables, Apache-2.0",
    url="https://github.com/SpareCores/sc-data-dumps",
    licence="CC BY-SA 4.0; Apache-2.0",
    republish=True,
)
COLUMNS = (
    "vendor", "instance_type", "accelerator_reported", "accelerator_manufacturer", "accelerator_count",
    "accelerator_memory_gib_each", "vcpu", "memory_gib", "local_disk_gb", "partition", "status", "source", "source_path",
    "licence", "note",
)  # fmt: skip

SPELLED = {"nvidia": "NVIDIA", "amd": "AMD", "aws": "AWS", "qualcomm": "Qualcomm"}
"""Makers that some sources write in small letters."""


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one row per machine type and source."""
    for line in document.csv(COLUMNS):
        yield Accepted(line.locator, _row(line))


def _row(line: Line) -> CatalogInstance:
    maker = line.text_or_none("accelerator_manufacturer")
    return line.record(
        CatalogInstance,
        accelerator=line.text_or_none("accelerator_reported"),
        manufacturer=SPELLED.get(maker or "", maker),
        accelerator_memory_gib=line.number_or_none("accelerator_memory_gib_each"),
        vcpus=line.number_or_none("vcpu"),
        listed_by=line.text("source"),
    )
