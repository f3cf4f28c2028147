"""Guide of the Paperspace Blog to its own 12 machines (2022): prices, timed runs, largest batches, costs."""

from collections.abc import Iterator

from pipeline.schema.guides import GuideMachine, GuideMaxBatch, GuidePlatform, GuideProtocol, GuideRecommendation, GuideRun
from pipeline.schema.prices import Price
from sources import Accepted, Document, Line, Source, by_file_name, rows_of
from sources.guides.figures import SHARED_RECORDS, figure, shared_parsers, subscription

SOURCE = Source(
    source_id="paperspace-2022",
    title="Paperspace Blog: benchmarks of the GPU machines on Paperspace (2022)",
    kind="guide",
    yields=(GuideMachine, GuideMaxBatch, GuidePlatform, GuideProtocol, GuideRecommendation, GuideRun, *SHARED_RECORDS, Price),
    attribution="Paperspace Blog, guide to the GPU machines on Paperspace, spring of 2022 (the day is not stated)",
    url="https://blog.paperspace.com/best-gpu-paperspace-2022/",
)

SPEC_UNITS = {"cuda_cores": "core", "memory_gb": "GB", "fp32_tflops": "TFLOPS", "memory_bandwidth_gb_per_s": "GB/s"}
COST_UNITS = {
    "usage_usd_per_month": "USD/month",
    "total_usd_per_month": "USD/month",
    "usd_per_gb_per_min": "USD per GB/min",
    "usd_per_100_cuda_cores": "USD/h",
    "usd_per_gb": "USD/(GB·h)",
    "usd_per_tflop": "USD/(TFLOPS·h)",
}
MACHINE_COLUMNS = (
    "machine", "generation", *SPEC_UNITS, "vcpus", "host_memory_gb", "storage_gb", "usd_per_hour",
    "subscription_usd_per_month", *COST_UNITS, "note",
)  # fmt: skip


def _machines(document: Document) -> Iterator[Accepted]:
    for line in document.csv(MACHINE_COLUMNS):
        yield Accepted(line.locator, line.record(GuideMachine, raw_gpu_name=line.text("machine")))
        yield Accepted(f"{line.locator}, usd_per_hour", _rental(line, document))
        for field, unit in SPEC_UNITS.items():
            yield _machine_figure(line, field, unit, "spec")
        for field, unit in COST_UNITS.items():
            yield _machine_figure(line, field, unit, "derived")


def _rental(line: Line, document: Document) -> Price:
    return Price(
        observed_at=document.observed_on,
        provider="Paperspace",
        instance_type=line.text("machine"),
        raw_gpu_name=line.text("machine"),
        gpu_count=1,
        kind="cloud_rental",
        billing="on_demand",
        vcpus=line.number("vcpus"),
        host_memory_gb=line.number("host_memory_gb"),
        storage_gb=line.number("storage_gb"),
        price_raw=f"${line.text('usd_per_hour')}",
        amount=line.number("usd_per_hour"),
        currency="USD",
        price_unit="hour",
        price_basis="per_instance",
        includes_host=True,
    )


def _machine_figure(line: Line, field: str, unit: str, role: str) -> Accepted:
    machine = line.text("machine")
    facts = {"source_id": SOURCE.source_id, "subject": machine, "raw_gpu_name": machine}
    return figure(line, field, quantity=field, unit=unit, role=role, prefix="$" if role == "derived" else "", **facts)


def _runs(document: Document) -> Iterator[Accepted]:
    for line in document.csv(("machine", "task", "status", "seconds", "usd_per_run")):
        yield Accepted(line.locator, line.record(GuideRun))
        if line.text_or_none("usd_per_run"):
            yield _task_figure(line, "usd_per_run", "USD", "$")


def _max_batch(document: Document) -> Iterator[Accepted]:
    for line in document.csv(("machine", "task", "max_batch_items", "usd_per_batch_item")):
        yield Accepted(line.locator, line.record(GuideMaxBatch))
        yield _task_figure(line, "usd_per_batch_item", "USD/(item·h)", "")


def _task_figure(line: Line, field: str, unit: str, prefix: str) -> Accepted:
    machine = line.text("machine")
    facts = {"source_id": SOURCE.source_id, "subject": f"{machine}/{line.text('task')}", "raw_gpu_name": machine}
    return figure(line, field, quantity=field, unit=unit, role="derived", prefix=prefix, **facts)


def _subscriptions(document: Document) -> Iterator[Accepted]:
    for line in document.csv(("tier", "usd_per_month", "hardware", "limits")):
        yield Accepted(line.locator, line.record(GuidePlatform, platform="Paperspace"))
        if line.number("usd_per_month") > 0:
            yield subscription(line, document, "Paperspace", f"${line.text('usd_per_month')}")


parse = by_file_name(
    {
        "machines.csv": _machines,
        "runs.csv": _runs,
        "max_batch.csv": _max_batch,
        "subscriptions.csv": _subscriptions,
        "protocol.csv": rows_of(GuideProtocol),
        "recommendations.csv": rows_of(GuideRecommendation),
        **shared_parsers(SOURCE.source_id),
    }
)
