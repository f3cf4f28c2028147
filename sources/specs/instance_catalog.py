"""Machine types of seven clouds with their accelerators, compiled from public catalogs and outputs of drivers."""

from pipeline.schema.catalog import CatalogInstance
from sources import Line, Source, lines_of

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

# makers that some sources write in small letters
SPELLED = {"nvidia": "NVIDIA", "amd": "AMD", "aws": "AWS", "qualcomm": "Qualcomm"}


def _row(line: Line) -> CatalogInstance:
    """Return what one source lists of a machine type."""
    maker = line.text_or_none("accelerator_manufacturer")
    return line.record(
        CatalogInstance,
        accelerator=line.text_or_none("accelerator_reported"),
        manufacturer=SPELLED.get(maker or "", maker),
        accelerator_memory_gib=line.number_or_none("accelerator_memory_gib_each"),
        vcpus=line.number_or_none("vcpu"),
        listed_by=line.text("source"),
    )


parse = lines_of(COLUMNS, _row)
