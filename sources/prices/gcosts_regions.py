"""Regions in which Google sells its machines with A100 and H100 GPUs.

The list of gcosts adds up the prices of GPUs, vCPUs and memory, which Google states for more regions. Prices of other regions
than these count in no statistic. The regions are those of the zones in SkyPilot's catalog, whose repository states no licence
(skypilot-catalog, catalogs/v8/gcp/vms.csv, commit 006059e0f18a): facts, of which no row is copied.
"""

_A3_HIGH = (
    "asia-east1 asia-northeast1 asia-south1 asia-south2 asia-southeast1 australia-southeast1 europe-north1 europe-west1 "
    "europe-west3 europe-west4 europe-west8 europe-west9 us-central1 us-east4 us-east5 us-west1 us-west4"
)
_A3_MEGA = (
    "asia-east1 asia-northeast1 asia-southeast1 australia-southeast1 europe-north1 europe-west1 europe-west3 europe-west4 "
    "us-central1 us-east4 us-east5 us-west1 us-west4"
)
_A2_HIGH = "asia-northeast1 asia-northeast3 asia-southeast1 europe-west4 me-west1 us-central1 us-east1 us-west1 us-west3 us-west4"
_REGIONS = {
    "a2-highgpu": set(_A2_HIGH.split()),
    "a2-megagpu": {"asia-southeast1", "europe-west4", "us-central1"},
    "a2-ultragpu": {"asia-southeast1", "europe-west4", "us-central1", "us-east4", "us-east5"},
    "a3-highgpu": set(_A3_HIGH.split()),
    "a3-megagpu": set(_A3_MEGA.split()),
}


def region_remark(machine: str, region: str) -> str | None:
    """Return the remark on a price of a region without such machines; None elsewhere, and for other families of machines."""
    regions = _REGIONS.get(machine.rpartition("-")[0])
    return "SOURCE_ERROR" if regions is not None and region not in regions else None
