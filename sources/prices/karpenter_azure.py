"""On-demand prices of Azure machines in the table that Karpenter, the node autoscaler, generates from the vendor's price list.

The table is Go code with a map of VM sizes by region; the rows of the N series that have GPUs are read. The
history was compiled from its versions of 2023 to 2026. A dedicated host is a whole server whose GPU count is not stated.
"""

from collections.abc import Iterator

from pipeline.schema.prices import ObservedDay, Price
from sources import Accepted, Document, Download, Get, Line, Rejected, Source, part_locator
from sources.prices import go_tables, histories

SOURCE = Source(
    source_id="karpenter-azure",
    title="Azure on-demand prices (Karpenter table)",
    yields=(Price, ObservedDay),
    attribution="Azure/karpenter-provider-azure, Apache-2.0",
    url="https://raw.githubusercontent.com/Azure/karpenter-provider-azure/main/pkg/providers/pricing/zz_generated.pricing.go",
    terms_url="https://github.com/Azure/karpenter-provider-azure/blob/main/LICENSE.txt",
    licence="Apache-2.0",
    republish=True,
    automated_access="allowed",
    limit_days=100,
    own_list_of="azure",
)
PROVIDER = {"provider": "azure", "gpu_context": "Azure VM size"}
HISTORY = "azure_gpu_2023_2026.csv"
COLUMNS = (
    "instance_type", "region", "billing", "os", "usd_per_hour", "covers", "gpu_label", "gpu_memory_gb", "gpu_count", "partition",
    "usd_per_gpu_hour", "first_seen", "last_seen", "observed_days", "gap_days_max", "first_commit", "last_commit", "note",
)  # fmt: skip
ACCELERATED = r"(?:Standard_)?N[CDGV].+"
SIZE = "Standard_"
# the table has one price per size, and of this one it is now that of Linux, now that of Windows
ALTERNATING = "Standard_NCC40ads_H100_v5"
WINDOWS_USD_PER_HOUR = 1.84
TOO_LOW = "implausibly low against the same series"


def fetch(get: Get) -> Iterator[Download]:
    """Download the table."""
    yield go_tables.download(get, str(SOURCE.url))


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the prices of the history, or of the N series in the table."""
    if document.name == HISTORY:
        lines = list(document.csv(COLUMNS))
        yield from _days(lines)
        linux = {_windows_key(line, line.number("usd_per_hour") + WINDOWS_USD_PER_HOUR) for line in lines}
        for line in lines:
            yield _interval(line, is_windows=_windows_key(line, line.number("usd_per_hour")) in linux)
        return
    for locator, row in go_tables.rows(document, ACCELERATED):
        yield _listed(document, locator, row)


def _days(lines: list[Line]) -> Iterator[Accepted]:
    """Yield each day on which a version of the table was seen. It has all regions, so the day counts for all of them."""
    seen: set[str] = set()
    for line in lines:
        for day, version in (("first_seen", "first_commit"), ("last_seen", "last_commit")):
            if line.text(day) not in seen:
                seen.add(line.text(day))
                place = part_locator(histories.versions_locator(line), line.text(day))
                yield Accepted(place, ObservedDay(date=line.day(day), commit=line.text(version)))


def _windows_key(line: Line, usd: float) -> tuple[str, str, float]:
    return (line.text("region"), line.text("instance_type"), round(usd, 3))


def _interval(line: Line, *, is_windows: bool) -> Accepted | Rejected:
    if line.text("instance_type") == ALTERNATING and is_windows:
        return histories.reject(line, "WINDOWS", "1.84 USD above the other price of this machine: the Windows licence")
    if line.fields["note"] == TOO_LOW:
        return histories.reject(line, "IMPLAUSIBLE", "a sixth of the price of the same machine in other versions")
    if not line.text("instance_type").startswith(SIZE):
        return histories.reject(line, "UNKNOWN_COUNT", "a dedicated host, whose number of GPUs is not stated")
    return Accepted(histories.versions_locator(line), go_tables.history_price(line, PROVIDER))


def _listed(document: Document, locator: str, row: go_tables.TableRow) -> Accepted | Rejected:
    if row.machine == ALTERNATING:
        return Rejected(
            locator, " ".join(row), "WINDOWS", "the table has the price of Linux or of Windows here and does not say which"
        )
    if not row.machine.startswith(SIZE):
        return Rejected(locator, " ".join(row), "UNKNOWN_COUNT", "a dedicated host, whose number of GPUs is not stated")
    return Accepted(locator, go_tables.listed_price(document, row, PROVIDER))
