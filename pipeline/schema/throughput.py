"""Tables of published training throughput, and of the facts needed to compare it."""

from typing import Annotated

from pipeline.schema.core import Col, record
from pipeline.schema.provenance import Sourced

FAMILIES = ("cnn", "transformer", "rnn", "other")
UNITS = ("images/s", "sequences/s", "tokens/s", "samples/s", "mels/s", "molecules/s")
INTERCONNECTS = ("nvlink", "nvlink_bridge_pairs", "pcie_p2p", "pcie_no_p2p", "multi_node", "unknown")
FLAGS = ("suspect", "repeated", "batch_unknown")


@record("workload_family", title="Workloads of the throughput tables", group="throughput", key=("source_id", "workload"))
class WorkloadFamily(Sourced):
    """One row per workload of a source: its kind of network, and whether it is part of the performance index."""

    workload: Annotated[str, Col("Model and task, as in training_throughput")]
    family: Annotated[str, Col("Kind of network", values=FAMILIES)]
    core: Annotated[bool | None, Col("Whether it is part of the index; empty = too few GPUs")]
    note: Annotated[str | None, Col("Why it is not part of the index")]


@record(
    "system_interconnect", title="Links between the GPUs of a machine", group="throughput",
    key=("source_id", "raw_gpu_name", "system"),
)
class SystemInterconnect(Sourced):
    """One row per machine of a throughput source with several GPUs: their link, and how it is known."""

    raw_gpu_name: Annotated[str, Col("GPU, as the source writes it")]
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    system: Annotated[str, Col("Machine, as in training_throughput")]
    interconnect: Annotated[str, Col("Link; pcie_no_p2p = transfers pass through host memory", values=INTERCONNECTS)]
    basis: Annotated[str, Col("How the link is known, or that it is assumed")]


@record("gpu_die", title="Chips of the measured GPUs", group="throughput", key=("gpu_id",))
class GpuDie(Sourced):
    """One row per GPU of Lambda's throughput tables: the chip that it is cut from. GPUs of one chip are left out together in a test.
    """

    gpu_id: Annotated[str, Col("GPU", references="gpu.gpu_id")]
    die: Annotated[str, Col("Chip")]
    note: Annotated[str, Col("How it is known")]


@record("base_system_cost", title="Price of a machine without its GPUs", group="throughput", key=("gpu_count",))
class BaseSystemCost(Sourced):
    """One row per number of GPUs: what the rest of the machine costs. Only the machine for two GPUs has a source."""

    gpu_count: Annotated[int, Col("GPUs that the machine holds", above=0)]
    base_cost_usd: Annotated[float, Col("Price without GPUs", "USD", between=(100, 100000))]
    assumed: Annotated[bool, Col("Whether it is an assumption of this project")]
    basis: Annotated[str, Col("Source of the price, or what is assumed")]


@record(
    "system_price", title="Prices and power of the machines in the throughput tables", group="throughput",
    key=("source_id", "suite", "system"),
)
class SystemPrice(Sourced):
    """One row per suite and machine of a throughput source that prints a price and a power: those of its GPUs, without a date of
    their own.
    """

    suite: Annotated[str, Col("Benchmark suite, as in training_throughput")]
    system: Annotated[str, Col("Machine, as in training_throughput")]
    raw_gpu_name: Annotated[str, Col("GPU, as training_throughput names it")]
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    gpu_count: Annotated[int, Col("GPUs in the machine", above=0)]
    watts: Annotated[float, Col("Power that the source prints", "W", between=(10, 20000))]
    price_usd: Annotated[float, Col("Price that the source prints; it grows with the number of GPUs", "USD", between=(50, 1000000))]
    cited_from: Annotated[str, Col("Place of the figure in the source")]


@record("training_throughput", title="Measured training throughput", group="throughput", key=("row_id",))
class TrainingThroughput(Sourced):
    """One row per GPU, workload, batch and number of GPUs whose throughput was published. A flagged row is excluded from every
    fit. Rows are compared within one source, suite, workload and variant only.
    """

    row_id: Annotated[str, Col("SHA-256 of snapshot_id and locator", filled=True)] = ""
    suite: Annotated[str, Col("Benchmark suite: one state of the software")]
    software: Annotated[str | None, Col("Framework and version, where known")] = None
    workload: Annotated[str, Col("Model and task", references="workload_family.workload")]
    variant: Annotated[str | None, Col("Variant of the workload")] = None
    settings: Annotated[str | None, Col("How the run was set up beyond its batch; the work is the same")] = None
    family: Annotated[str, Col("Kind of network, from workload_family", values=FAMILIES, filled=True)] = ""
    precision: Annotated[
        str,
        Col(
            "Number format as the source names it: amp = mixed FP16; fp32 of a source that names no tf32 is TF32 on Ampere and later "
            "GPUs, by the default of its software",
            values=("fp32", "tf32", "amp", "fp16", "bf16"),
        ),
    ]
    raw_gpu_name: Annotated[str, Col("GPU, as the source writes it")]
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    gpu_count: Annotated[int, Col("GPUs working together, of all machines", above=0)]
    batch_per_gpu: Annotated[
        int | None,
        Col("Batch per GPU; items of the workload, tokens where stated so", above=0),
    ]
    throughput: Annotated[float, Col("Items per second of all GPUs together", "item/s", above=0)]
    unit: Annotated[str, Col("Items per second of what; samples where the source does not say", values=UNITS)]
    unit_cited: Annotated[str | None, Col("Unit in the source's words, where they differ")] = None
    system: Annotated[str | None, Col("Machine, where known")] = None
    interconnect: Annotated[
        str | None,
        Col("Link between several GPUs, from system_interconnect", references="system_interconnect.interconnect", filled=True),
    ] = None
    flag: Annotated[
        str | None,
        Col(
            "Why the row is excluded from fits: suspect = its throughput or batch contradicts neighboring rows; repeated = the figure of another "
            "row printed again; batch_unknown = the source states no batch, or one that its GPUs cannot share",
            values=FLAGS,
        ),
    ] = None
    cited_from: Annotated[str, Col("Place of the figure in the source")]


@record("mlperf_training", title="Times to train of MLPerf Training", group="throughput", key=("row_id",))
class MlperfTraining(Sourced):
    """One row per round, benchmark, GPU and number of GPUs: minutes until the model reaches its target quality. Submitters choose
    batch, number format and software. No fit uses these rows: external_check compares them with the index.
    """

    row_id: Annotated[str, Col("SHA-256 of snapshot_id and locator", filled=True)] = ""
    round: Annotated[str, Col("Round of MLPerf Training")]
    benchmark: Annotated[str, Col("Benchmark of the round")]
    gpu_count: Annotated[int, Col("GPUs working together", above=0)]
    raw_gpu_name: Annotated[str, Col("GPU, as the submitter writes it")]
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    submitter: Annotated[str, Col("Organization that submitted the result")]
    system: Annotated[str, Col("Machine, as the submitter names it")]
    minutes_to_train: Annotated[float, Col("Time to train, compiled from the result logs", "min", between=(0.1, 100000))]
    runs: Annotated[int, Col("Runs counted", above=0)]
    cited_from: Annotated[str, Col("Repository and folder of the result")]


@record("llm_training_run", title="Measured training of language models", group="throughput", key=("row_id",))
class LlmTrainingRun(Sourced):
    """One row per run of the source's tables: tokens per second of training a language model from scratch, sharded over the GPUs."""

    row_id: Annotated[str, Col("SHA-256 of snapshot_id and locator", filled=True)] = ""
    model: Annotated[str, Col("Model, as the source names its size")]
    n_parameters: Annotated[int, Col("Parameters", above=0)]
    sequence_tokens: Annotated[int, Col("Length of a sequence", "token", above=0)]
    gpu_count: Annotated[int, Col("GPUs working together", above=0)]
    raw_gpu_name: Annotated[str, Col("GPU, as the source writes it")]
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    precision: Annotated[str, Col("Number format of the matrix products", values=("bf16", "amp_bf16", "amp_fp8"))]
    recomputes_activations: Annotated[bool, Col("Whether the backward pass computes the activations again (gradient checkpointing)")]
    tokens_per_s: Annotated[float, Col("Tokens of all GPUs together", "tokens/s", above=0)]
    cited_from: Annotated[str, Col("Place of the figure in the source")]


@record("llm_tuning_run", title="Measured fine-tuning of language models", group="throughput", key=("row_id",))
class LlmTuningRun(Sourced):
    """One row per run of the source's tables: tokens per second of each GPU. Runs of mixtures of experts have ideal routing: tokens
    spread evenly over the experts. No fit uses these rows: llm_tuning_check compares them with the prediction.
    """

    row_id: Annotated[str, Col("SHA-256 of snapshot_id and locator", filled=True)] = ""
    model: Annotated[str, Col("Model, as the source names it")]
    llm_model_id: Annotated[str, Col("Model of the recipe", references="llm_model.llm_model_id")]
    tune: Annotated[str, Col("What is trained", values=("full", "lora", "qlora"))]
    sequence_tokens: Annotated[int, Col("Length of a sequence", "token", above=0)]
    gpu_count: Annotated[int, Col("GPUs working together", above=0)]
    raw_gpu_name: Annotated[str, Col("GPU or machine, as the source writes it")]
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    precision: Annotated[str, Col("Number format of the matrix products", values=("bf16",))]
    recomputes_activations: Annotated[bool, Col("Whether the backward pass computes the activations again (gradient checkpointing)")]
    tokens_per_s_per_gpu: Annotated[float, Col("Tokens of one GPU", "tokens/s", above=0)]
    cited_from: Annotated[str, Col("Place of the figure in the source")]
