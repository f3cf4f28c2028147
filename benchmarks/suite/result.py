"""The document that a run of the suite writes: declared here once; `schema` makes the JSON Schema and reads it back.

Nothing personal has a place in it: no serial number, UUID, bus address, host name or path.
"""

from dataclasses import dataclass, field
from typing import Annotated

from pipeline.schema.benchmarks import DIRECTIONS, DTYPES, METRICS, RUN_STATUSES, STATISTICS

FORMAT = "gpuledger-suite"
VERSION = 1  # of the document; rises when a field is renamed, removed or changes its meaning
SUITE = "2"  # of the workloads; rises when one of them does other work, so that figures of two numbers are not compared


@dataclass(frozen=True, slots=True)
class Rule:
    """What a field means, and what its values are held to."""

    text: str
    values: tuple[str | int, ...] = ()
    least: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One device, as torch and the driver's management library describe it."""

    ordinal: Annotated[int, Rule("Number of the device in torch's order", least=0)]
    kind: Annotated[str, Rule("cuda, or cpu where the suite was only tried out", values=("cuda", "cpu"))]
    name: Annotated[str, Rule("Name, as the driver gives it")]
    compute_capability: Annotated[str | None, Rule("CUDA compute capability, as major.minor")] = None
    sm_count: Annotated[int | None, Rule("Streaming multiprocessors", least=1)] = None
    memory_total_mib: Annotated[float | None, Rule("Memory as the driver shows it, MiB", least=1)] = None
    l2_cache_bytes: Annotated[int | None, Rule("Second-level cache, bytes", least=1)] = None
    sm_clock_mhz: Annotated[float | None, Rule("Highest clock of the multiprocessors, MHz", least=1)] = None
    memory_clock_mhz: Annotated[float | None, Rule("Highest clock of the memory, MHz", least=1)] = None
    power_limit_w: Annotated[float | None, Rule("Power limit in force, W", least=1)] = None
    ecc: Annotated[bool | None, Rule("Whether ECC was on")] = None
    mig: Annotated[bool | None, Rule("Whether the card was split into MIG slices")] = None
    pcie_generation: Annotated[int | None, Rule("Highest PCI Express generation of card and slot", least=1)] = None
    pcie_width: Annotated[int | None, Rule("PCI Express lanes in use", least=1)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Software:
    """What the figures depend on beside the device."""

    suite: Annotated[str, Rule("Version of the workloads")]
    python: Annotated[str, Rule("Python, as major.minor")]
    torch: Annotated[str, Rule("torch, with its build")]
    transformers: Annotated[str, Rule("transformers, whose model classes are used")]
    cuda_runtime: Annotated[str | None, Rule("CUDA that torch was built with, as major.minor")] = None
    cudnn: Annotated[str | None, Rule("cuDNN")] = None
    driver: Annotated[str | None, Rule("Kernel driver")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure in the unit of its metric."""

    test: Annotated[str, Rule("What was run")]
    metric: Annotated[str, Rule("What was measured", values=tuple(METRICS))]
    value: Annotated[float, Rule("Figure in `unit`", least=0)]
    unit: Annotated[str, Rule("Unit of the metric")]
    statistic: Annotated[str, Rule("Which of the repetitions it is", values=STATISTICS)]
    n_samples: Annotated[int, Rule("Repetitions", least=1)]
    stddev: Annotated[float | None, Rule("Standard deviation over the repetitions, in `unit`", least=0)] = None
    device: Annotated[int | None, Rule("Device; null = all together", least=0)] = None
    peer: Annotated[int | None, Rule("Second device of a transfer between two", least=0)] = None
    item: Annotated[str | None, Rule("What is counted: images, sequences")] = None
    direction: Annotated[str | None, Rule("Way of a transfer", values=DIRECTIONS)] = None
    engine: Annotated[str | None, Rule("Copy engine or kernel", values=("ce", "sm"))] = None
    dtype: Annotated[str | None, Rule("Number format of the operands", values=DTYPES)] = None
    tensor_core: Annotated[str, Rule("Whether tensor cores did the work", values=("yes", "no", "unknown"))] = "unknown"
    size_bytes: Annotated[int | None, Rule("Bytes of one buffer", least=1)] = None
    batch_size: Annotated[int | None, Rule("Batch on each device", least=1)] = None
    n_gpus: Annotated[int | None, Rule("Devices working together", least=1)] = None
    settings: Annotated[dict[str, str], Rule("Model, shape and settings that make two figures comparable")] = field(
        default_factory=dict
    )
    correct: Annotated[bool | None, Rule("Whether the result was checked and right; null = not checked")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadResult:
    """One workload, with the figures that it gave before it ended, however it ended."""

    name: Annotated[str, Rule("Name of the workload")]
    status: Annotated[
        str,
        Rule("ok; oom = a stated batch or size did not fit; waived = not possible here; truncated = time was up", RUN_STATUSES),
    ]
    reason: Annotated[str | None, Rule("Why, where the status is not ok")] = None
    seconds: Annotated[float, Rule("Time that it took, s", least=0)]
    figures: Annotated[list[Figure], Rule("In the order measured")] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The whole document."""

    format: Annotated[str, Rule("Tells the document apart from others", values=(FORMAT,))] = FORMAT
    version: Annotated[int, Rule("Version of the document", values=(VERSION,))] = VERSION
    profile: Annotated[str, Rule("How much was measured: quick, full, or test for trying out")]
    started_at: Annotated[str, Rule("When the run began, ISO 8601 in UTC")]
    status: Annotated[str, Rule("ok, or truncated where time was up or the run was stopped", values=("ok", "truncated"))]
    budget_s: Annotated[float, Rule("Time that the run was given, s", least=0)]
    devices: Annotated[list[Device], Rule("Devices that the run could use")]
    software: Annotated[Software, Rule("Software")]
    workloads: Annotated[list[WorkloadResult], Rule("In the order run")]
