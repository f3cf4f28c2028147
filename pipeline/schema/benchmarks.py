"""Tables of uploaded benchmarks: runs of a tool, their devices, and the figures that they printed."""

import datetime as dt
from typing import Annotated

from pipeline.schema.core import Col, Record, record

RUN_STATUSES = ("ok", "oom", "failed", "waived", "truncated", "invalid")
STATISTICS = ("best", "worst", "mean", "median", "p90", "p95", "p99", "last", "sum", "single", "avg_all_sizes")
DIRECTIONS = ("h2d", "d2h", "d2d_local", "uni", "bidir_sum", "bidir_onedir")
DTYPES = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int64", "int32", "int16", "int8", "cfp32", "cfp64", "mixed")
NAMED_BY = ("driver", "opencl", "label")
METRICS: dict[str, str] = {
    # of memory and links
    "memory_bandwidth": "GB/s",  # a kernel reading and writing the GPU's own memory; `test` names the kernel
    "copy_bandwidth": "GB/s",  # a copy engine or kernel copying within a GPU or between host and GPU: see `direction`
    "peer_bandwidth": "GB/s",  # between two GPUs: see `direction` for what is summed
    "collective_bus_bandwidth": "GB/s",
    "collective_algorithm_bandwidth": "GB/s",
    "collective_time": "us",
    "latency": "us",
    # of arithmetic
    "matrix_throughput": "TFLOP/s",  # matrix products: see `dtype`, `tensor_core`, `sparsity`
    "vector_throughput": "TFLOP/s",  # arithmetic outside the tensor cores
    "linpack_throughput": "TFLOP/s",
    "integer_throughput": "TOP/s",
    "kernel_time": "ms",
    # of language models
    "prompt_throughput": "tokens/s",
    "generation_throughput": "tokens/s",
    "prompt_generation_throughput": "tokens/s",  # both in turn, all tokens over the whole time
    "serving_total_throughput": "tokens/s",
    "serving_request_throughput": "requests/s",
    "time_to_first_token": "ms",
    "time_per_output_token": "ms",
    "inter_token_latency": "ms",
    "end_to_end_latency": "ms",
    # of training and of making pictures
    "training_throughput": "items/s",  # `item` says images, sequences, tokens, samples
    "inference_throughput": "items/s",
    "training_time": "s",
    "inference_time": "s",
    "epoch_time": "s",
    "load_overhead": "s",
    "max_batch": "items",
    "gain_per_doubling": "%",
    "loss": "1",
    "score": "points",
    # of the GPU while it worked
    "peak_memory": "MiB",
    "power": "W",
    "energy": "J",
    "temperature": "°C",
    "sm_clock": "MHz",
    "utilisation": "%",
}


@record("upload", title="Uploads", group="benchmarks", key=("upload_sha256",))
class UploadRow(Record):
    """One row per accepted file in data/uploads/accepted."""

    upload_sha256: Annotated[str, Col("SHA-256 of the uploaded bytes", check="length(upload_sha256) = 64")]
    file: Annotated[str, Col("Stored file")]
    name: Annotated[str | None, Col("Uploaded name")] = None
    bytes: Annotated[int, Col("Size", "byte", above=0)]
    licence: Annotated[str, Col("Licence")]
    measured_by: Annotated[str | None, Col("Who measured")] = None
    attribution: Annotated[str | None, Col("Credit")] = None
    url: Annotated[str | None, Col("Address")] = None
    provider: Annotated[str | None, Col("Provider")] = None
    instance_type: Annotated[str | None, Col("Machine type")] = None


@record("benchmark_run", title="Benchmark runs", group="benchmarks", key=("run_id",))
class BenchmarkRun(Record):
    """One row per run of a benchmark tool in an uploaded file."""

    run_id: Annotated[str, Col("SHA-256 of the upload's hash and the block index", filled=True)] = ""
    upload_sha256: Annotated[str, Col("Uploaded file", references="upload.upload_sha256", check="length(upload_sha256) = 64", filled=True)] = ""
    block_index: Annotated[int, Col("Number of the run in the file, from 0", least=0, filled=True)] = 0
    tool: Annotated[str, Col("Benchmark tool", filled=True)] = ""
    tool_version: Annotated[str | None, Col("Its version, as printed")] = None
    layout_version: Annotated[str, Col("Layout of its output that was recognized")]
    started_at: Annotated[dt.datetime | None, Col("Start of the run, as printed", "UTC where the file says so")] = None
    status: Annotated[str, Col("Result of the run", values=RUN_STATUSES)] = "ok"
    driver: Annotated[str | None, Col("Version of the kernel driver")] = None
    cuda_runtime: Annotated[str | None, Col("Version of the CUDA runtime, as major.minor")] = None
    framework: Annotated[str | None, Col("Framework and version")] = None
    args: Annotated[str | None, Col("Arguments and settings that the output states, as name=value; separated")] = None
    parser_version: Annotated[int, Col("Version of the format's parser", above=0, filled=True)] = 0


@record("benchmark_device", title="Devices of benchmark runs", group="benchmarks", key=("run_id", "ordinal"))
class BenchmarkDevice(Record):
    """One row per device of a run."""

    run_id: Annotated[str, Col("Run", references="benchmark_run.run_id", filled=True)] = ""
    ordinal: Annotated[int, Col("Number of the device in the tool's own order", least=0)]
    name_raw: Annotated[str | None, Col("Name, as printed")]
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    compute_capability: Annotated[str | None, Col("CUDA compute capability, as major.minor")] = None
    sm_count: Annotated[int | None, Col("Streaming multiprocessors", above=0)] = None
    memory_total_mib: Annotated[float | None, Col("Memory as the driver shows it", "MiB", above=0)] = None
    sm_clock_mhz: Annotated[float | None, Col("Highest clock of the multiprocessors", "MHz", above=0)] = None
    memory_clock_mhz: Annotated[float | None, Col("Highest clock of the memory", "MHz", above=0)] = None
    power_limit_w: Annotated[float | None, Col("Power limit in force", "W", above=0)] = None
    ecc: Annotated[bool | None, Col("Whether ECC was on")] = None
    mig: Annotated[bool | None, Col("Whether the device was a MIG slice")] = None
    identity_source: Annotated[
        str, Col("Where the name was found", values=("output", "sibling", "user"), filled=True)
    ] = "output"
    named_by: Annotated[str, Col("Origin of the name: driver, OpenCL, or a typed label", values=NAMED_BY)] = "driver"
    unresolved: Annotated[str | None, Col("Why gpu_id is empty")] = None


@record("measurement", title="Measurements", group="benchmarks", key=("run_id", "ordinal"))
class Measurement(Record):
    """One row per figure of a run: normalized value and unit, and those that were printed. Flagged rows are excluded from
    aggregates.
    """

    run_id: Annotated[str, Col("Run", references="benchmark_run.run_id", filled=True)] = ""
    ordinal: Annotated[int, Col("Number of the figure in the run, from 0", least=0, filled=True)] = 0
    device_ordinal: Annotated[int | None, Col("Device; empty = all devices of the run together", least=0)] = None
    peer_ordinal: Annotated[int | None, Col("Second device of a transfer between two", least=0)] = None
    test: Annotated[str, Col("Test, as the tool calls it")]
    metric: Annotated[str, Col("What was measured", values=tuple(METRICS))]
    value: Annotated[float, Col("Figure", "see unit", least=0)]
    unit: Annotated[str, Col("The unit of this metric, the same for every tool")]
    value_raw: Annotated[str, Col("Figure, as printed")]
    unit_raw: Annotated[str, Col("Unit, as printed or as the tool's source defines it")]
    item: Annotated[str | None, Col("What is counted: images, sequences, tokens, samples")] = None
    statistic: Annotated[str, Col("Statistic over the repetitions", values=STATISTICS)]
    n_samples: Annotated[int | None, Col("Repetitions", above=0)] = None
    stddev: Annotated[float | None, Col("Standard deviation over the repetitions", "see unit", least=0)] = None
    direction: Annotated[str | None, Col("Direction of a transfer", values=DIRECTIONS)] = None
    engine: Annotated[str | None, Col("Copy engine or kernel", values=("ce", "sm"))] = None
    dtype: Annotated[str | None, Col("Number format of the operands", values=DTYPES)] = None
    sparsity: Annotated[str, Col("Whether operands were 2:4 sparse", values=("dense", "sparse", "unknown"))] = "unknown"
    tensor_core: Annotated[str, Col("Whether tensor cores did the work", values=("yes", "no", "unknown"))] = "unknown"
    size_bytes: Annotated[int | None, Col("Bytes of the buffer or message", "byte", least=0)] = None
    batch_size: Annotated[int | None, Col("Batch on each GPU", above=0)] = None
    n_gpus: Annotated[int | None, Col("GPUs working together", above=0)] = None
    n_nodes: Annotated[int | None, Col("Machines working together", above=0)] = None
    line: Annotated[int | None, Col("Line in the stored file, from 1", above=0)] = None
    workload: Annotated[str | None, Col("Model, shape and settings that make two figures comparable, as name=value; separated")] = None
    status: Annotated[str, Col("Result of this test", values=RUN_STATUSES)] = "ok"
    flags: Annotated[str | None, Col("Flags that exclude it from aggregates, comma-separated")] = None
