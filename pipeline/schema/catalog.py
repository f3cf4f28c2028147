"""Table of machine types: accelerators, processors and memory, as catalogs of providers list them."""

from typing import Annotated

from pipeline.schema.core import Col, record
from pipeline.schema.provenance import Sourced

PARTITIONS = ("whole", "fraction", "vgpu")


@record("instance_catalog", title="Machine types of clouds", group="prices", key=("snapshot_id", "locator"))
class CatalogInstance(Sourced):
    """One row per machine type and source that describes it: accelerator, count, memory, processors. Sources that disagree are
    all here; `status` is `measured` where the driver of such a machine was read.
    """

    vendor: Annotated[str, Col("Provider of the machine")]
    instance_type: Annotated[str, Col("The provider's name of the machine")]
    accelerator: Annotated[str | None, Col("Accelerator, as the source names it")]
    manufacturer: Annotated[str | None, Col("Manufacturer of the accelerator, with one spelling")]
    accelerator_count: Annotated[
        float | None, Col("Accelerators in the machine; some sources state 0 for a share of one", least=0)
    ]
    accelerator_memory_gib: Annotated[
        float | None, Col("Memory of one accelerator", "GiB", above=0)
    ]
    vcpus: Annotated[float | None, Col("Processor threads", above=0)]
    memory_gib: Annotated[float | None, Col("Main memory", "GiB", above=0)]
    local_disk_gb: Annotated[float | None, Col("Local storage", "GB", least=0)]
    partition: Annotated[str | None, Col("Whether a whole accelerator is offered", values=PARTITIONS)]
    status: Annotated[str, Col("`measured` = read from the driver, `listed`, `ACTIVE` or `INACTIVE` = as the source states")]
    listed_by: Annotated[str, Col("Repository and version that describes the machine")]
    source_path: Annotated[str | None, Col("File in that repository")]
    licence: Annotated[str, Col("Licence of the description")]
    note: Annotated[str | None, Col("Note on the count or the name")]
