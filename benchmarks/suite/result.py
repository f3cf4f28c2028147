"""Declaration of the document that a run of the suite writes; `result_schema` derives the JSON Schema and the parser from it.

No field is personal: there is no serial number, UUID, bus address, host name or path.
"""

from dataclasses import dataclass, field
from typing import Annotated

from pipeline.schema.benchmarks import DIRECTIONS, DTYPES, METRICS, RUN_STATUSES, STATISTICS

FORMAT = "gpuledger-suite"
VERSION = 1  # of the document; increases when a field is renamed, removed or changes its meaning
SUITE = "2"  # of the workloads; increases when one of them changes, because its figures are not comparable then


@dataclass(frozen=True, slots=True)
class FieldRule:
    """Meaning of a field, and the values that it may have."""

    text: str
    values: tuple[str | int, ...] = ()
    least: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One device, as torch and the driver's management library describe it."""

    ordinal: Annotated[int, FieldRule("Number of the device in torch's order", least=0)]
    kind: Annotated[str, FieldRule("cuda, or cpu where the suite was only tried out", values=("cuda", "cpu"))]
    name: Annotated[str, FieldRule("Name, as the driver gives it")]
    compute_capability: Annotated[str | None, FieldRule("CUDA compute capability, as major.minor")] = None
    sm_count: Annotated[int | None, FieldRule("Streaming multiprocessors", least=1)] = None
    memory_total_mib: Annotated[float | None, FieldRule("Memory as the driver shows it, MiB", least=1)] = None
    l2_cache_bytes: Annotated[int | None, FieldRule("Second-level cache, bytes", least=1)] = None
    sm_clock_mhz: Annotated[float | None, FieldRule("Highest clock of the multiprocessors, MHz", least=1)] = None
    memory_clock_mhz: Annotated[float | None, FieldRule("Highest clock of the memory, MHz", least=1)] = None
    power_limit_w: Annotated[float | None, FieldRule("Power limit in force, W", least=1)] = None
    ecc: Annotated[bool | None, FieldRule("Whether ECC was on")] = None
    mig: Annotated[bool | None, FieldRule("Whether the GPU was split into MIG slices")] = None
    pcie_generation: Annotated[int | None, FieldRule("Highest PCI Express generation of GPU and slot", least=1)] = None
    pcie_width: Annotated[int | None, FieldRule("PCI Express lanes in use", least=1)] = None


# fields that BenchmarkDevice has under the same name
OF_DRIVER = (
    "compute_capability", "sm_count", "memory_total_mib", "sm_clock_mhz", "memory_clock_mhz", "power_limit_w", "ecc", "mig",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Software:
    """Software that the figures depend on."""

    suite: Annotated[str, FieldRule("Version of the workloads")]
    python: Annotated[str, FieldRule("Python, as major.minor")]
    torch: Annotated[str, FieldRule("torch, with its build")]
    transformers: Annotated[str, FieldRule("transformers, whose model classes are used")]
    cuda_runtime: Annotated[str | None, FieldRule("CUDA that torch was built with, as major.minor")] = None
    cudnn: Annotated[str | None, FieldRule("cuDNN")] = None
    driver: Annotated[str | None, FieldRule("Kernel driver")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredFigure:
    """One figure in the unit of its metric."""

    test: Annotated[str, FieldRule("What was run")]
    metric: Annotated[str, FieldRule("What was measured", values=tuple(METRICS))]
    value: Annotated[float, FieldRule("Figure in `unit`", least=0)]
    unit: Annotated[str, FieldRule("Unit of the metric")]
    statistic: Annotated[str, FieldRule("Which of the repetitions it is", values=STATISTICS)]
    n_samples: Annotated[int, FieldRule("Repetitions", least=1)]
    stddev: Annotated[float | None, FieldRule("Standard deviation over the repetitions, in `unit`", least=0)] = None
    device: Annotated[int | None, FieldRule("Device; null = all together", least=0)] = None
    peer: Annotated[int | None, FieldRule("Second device of a transfer between two", least=0)] = None
    item: Annotated[str | None, FieldRule("What is counted: images, sequences")] = None
    direction: Annotated[str | None, FieldRule("Way of a transfer", values=DIRECTIONS)] = None
    engine: Annotated[str | None, FieldRule("Copy engine or kernel", values=("ce", "sm"))] = None
    dtype: Annotated[str | None, FieldRule("Number format of the operands", values=DTYPES)] = None
    tensor_core: Annotated[str, FieldRule("Whether tensor cores did the work", values=("yes", "no", "unknown"))] = "unknown"
    size_bytes: Annotated[int | None, FieldRule("Bytes of one buffer", least=1)] = None
    batch_size: Annotated[int | None, FieldRule("Batch on each device", least=1)] = None
    n_gpus: Annotated[int | None, FieldRule("Devices working together", least=1)] = None
    settings: Annotated[dict[str, str], FieldRule("Model, shape and settings that make two figures comparable")] = field(
        default_factory=dict
    )
    correct: Annotated[bool | None, FieldRule("Whether the result was checked and right; null = not checked")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadResult:
    """One workload, with the figures that it measured before it ended, successfully or not."""

    name: Annotated[str, FieldRule("Name of the workload")]
    status: Annotated[
        str,
        FieldRule(
            "ok; oom = a stated batch or size did not fit; waived = not possible here; truncated = time was up", RUN_STATUSES
        ),
    ]
    reason: Annotated[str | None, FieldRule("Why, where the status is not ok")] = None
    seconds: Annotated[float, FieldRule("Time that it took, s", least=0)]
    figures: Annotated[list[MeasuredFigure], FieldRule("In the order measured")] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The whole document."""

    format: Annotated[str, FieldRule("Tells the document apart from others", values=(FORMAT,))] = FORMAT
    version: Annotated[int, FieldRule("Version of the document", values=(VERSION,))] = VERSION
    profile: Annotated[str, FieldRule("How much was measured: quick, full, or test for trying out")]
    started_at: Annotated[str, FieldRule("When the run began, ISO 8601 in UTC")]
    status: Annotated[str, FieldRule("ok, or truncated where time was up or the run was stopped", values=("ok", "truncated"))]
    budget_s: Annotated[float, FieldRule("Time that the run was given, s", least=0)]
    devices: Annotated[list[Device], FieldRule("Devices that the run could use")]
    software: Annotated[Software, FieldRule("Software")]
    workloads: Annotated[list[WorkloadResult], FieldRule("In the order run")]
