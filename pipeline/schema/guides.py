"""Tables of the published guides: machines, runs, protocols, advice, statements, forecasts."""

import datetime as dt
from typing import Annotated

from pipeline.schema.benchmarks import RUN_STATUSES
from pipeline.schema.core import Col, record
from pipeline.schema.provenance import Sourced


@record("guide_machine", title="Machines and GPUs in the guides", group="guides", key=("source_id", "machine"))
class GuideMachine(Sourced):
    """One row per machine or GPU that a guide describes, with the figures it prints."""

    machine: Annotated[str, Col("Name in the guide")]
    raw_gpu_name: Annotated[str, Col("GPU, as the guide writes it")]
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    gpu_count: Annotated[int, Col("GPUs in the machine", above=0)] = 1
    generation: Annotated[str | None, Col("Chip family, as the guide writes it")] = None
    cuda_cores: Annotated[int | None, Col("FP32 lanes", above=0)] = None
    memory_gb: Annotated[float | None, Col("Memory of one GPU", "GB", above=0)] = None
    memory_bandwidth_gb_per_s: Annotated[float | None, Col("Memory bandwidth", "GB/s", above=0)] = None
    fp32_tflops: Annotated[float | None, Col("FP32 rate", "TFLOPS", above=0)] = None
    half_precision_tflops: Annotated[float | None, Col("Half precision as the guide defines it: the tensor rate of a GPU with tensor cores", "TFLOPS", above=0)] = None
    tdp_w: Annotated[float | None, Col("Board power", "W", above=0)] = None
    slot_width: Annotated[float | None, Col("Slots that the GPU covers", "slot", above=0)] = None
    min_cuda_major: Annotated[int | None, Col("Least CUDA major version", above=0)] = None
    vcpus: Annotated[int | None, Col("Processor threads", above=0)] = None
    host_memory_gb: Annotated[float | None, Col("Main memory", "GB", above=0)] = None
    storage_gb: Annotated[float | None, Col("Storage included", "GB", above=0)] = None
    usd_per_hour: Annotated[float | None, Col("Price of the machine", "USD/h", above=0)] = None
    subscription_usd_per_month: Annotated[float | None, Col("Subscription that the machine requires", "USD/month", least=0)] = None
    note: Annotated[str | None, Col("Remark of the guide, in our words")] = None


@record("guide_run", title="Timed runs in the guides", group="guides", key=("source_id", "machine", "task"))
class GuideRun(Sourced):
    """One row per machine and task that a guide timed. Out of memory is a result, not a gap."""

    machine: Annotated[str, Col("Machine in guide_machine")]
    task: Annotated[str, Col("Task in guide_protocol")]
    status: Annotated[str, Col("Result", values=RUN_STATUSES, check="(status = 'ok') = (seconds IS NOT NULL)")]
    seconds: Annotated[float | None, Col("Mean wall time of one run", "s", above=0)] = None


@record("guide_max_batch", title="Largest batches in the guides", group="guides", key=("source_id", "machine", "task"))
class GuideMaxBatch(Sourced):
    """One row per machine and task: the largest batch that ran."""

    machine: Annotated[str, Col("Machine in guide_machine")]
    task: Annotated[str, Col("Task in guide_protocol")]
    max_batch_items: Annotated[int, Col("Items in the batch, whole machine", "item", above=0)]


@record(
    "guide_epoch", title="EfficientNet epochs of the pro-versus-consumer guide", group="guides",
    key=("source_id", "machine", "model"),
)
class GuideEpoch(Sourced):
    """One row per machine and model: seconds of the first and the second epoch, batch and peak memory."""

    machine: Annotated[str, Col("Machine in guide_machine")]
    model: Annotated[str, Col("Model trained")]
    batch_total: Annotated[int | None, Col("Batch of the whole machine", "item", above=0)] = None
    first_epoch_seconds: Annotated[float | None, Col("First epoch, with loading", "s", above=0)] = None
    second_epoch_seconds: Annotated[float | None, Col("Second epoch, used for comparison", "s", above=0)] = None
    peak_gpu_memory_gb: Annotated[float | None, Col("Peak memory of one GPU", "GB", above=0)] = None


@record("guide_protocol", title="Protocols of the guides", group="guides", key=("source_id", "task", "setting"))
class GuideProtocol(Sourced):
    """One row per setting of a task that a guide measured: batch, image size, optimizer, counted runs."""

    task: Annotated[str, Col("Task")]
    setting: Annotated[str, Col("Setting")]
    value: Annotated[str, Col("Value, as the guide states it")]
    unit: Annotated[str | None, Col("Unit")] = None
    note: Annotated[str | None, Col("Remark")] = None


@record("guide_recommendation", title="Recommendations of the guides", group="guides", key=("source_id", "recommendation_id"))
class GuideRecommendation(Sourced):
    """One row per GPU that a guide recommends or advises against for a purpose."""

    recommendation_id: Annotated[str, Col("Name of the row within the guide")]
    author: Annotated[str, Col("Author of the advice (the digest repeats others)")]
    advised_on: Annotated[dt.date | None, Col("Date of the advice, if known")] = None
    purpose: Annotated[str, Col("Purpose")]
    stance: Annotated[str, Col("Advice", values=("recommended", "avoid"))]
    raw_gpu_name: Annotated[str | None, Col("GPU, as the guide writes it; empty for a class of GPUs")] = None
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    gpu_count: Annotated[int | None, Col("Number of GPUs", above=0)] = None
    gpu_class: Annotated[str | None, Col("Class of GPUs, for advice on a class")] = None
    note: Annotated[str | None, Col("Condition or share of the budget")] = None


@record("guide_rule", title="Rules of thumb in the guides", group="guides", key=("source_id", "rule_id"))
class GuideRule(Sourced):
    """One row per rule that a guide states as a number or an order: memory by purpose, cores per GPU, GPU counts."""

    rule_id: Annotated[str, Col("Name of the rule within the guide")]
    topic: Annotated[str, Col("Topic")]
    subject: Annotated[str, Col("What the rule applies to")]
    comparison: Annotated[str | None, Col("Comparison", values=("at_least", "at_most", "about", "equal"))] = None
    value: Annotated[float | None, Col("Number, where the rule is one")] = None
    unit: Annotated[str | None, Col("Unit")] = None
    statement: Annotated[str | None, Col("The rule, if not a number")] = None


@record("guide_platform", title="Platforms that the guides review", group="guides", key=("source_id", "platform", "tier"))
class GuidePlatform(Sourced):
    """One row per platform or accelerator outside the GPU tables: free tier, price, limits."""

    platform: Annotated[str, Col("Platform or accelerator")]
    tier: Annotated[str, Col("Tier or variant")]
    usd_per_month: Annotated[float | None, Col("Monthly price", "USD/month", least=0)] = None
    hardware: Annotated[str | None, Col("Hardware included")] = None
    limits: Annotated[str | None, Col("Limits")] = None


@record("_guide_statement", title="Statements of the guides", group="guides", key=("claim_id",))
class GuideStatement(Sourced):
    """One row per statement that guide_claim checks."""

    claim_id: Annotated[str, Col("Name of the statement")]
    statement: Annotated[str, Col("Statement of the guide, in our words")]
    place: Annotated[str, Col("Place in the guide")]
    quote: Annotated[str | None, Col("The guide's words, in the language of the edition at hand; empty = a table or a picture")] = None


@record("_guide_forecast", title="Forecasts of the guides", group="guides", key=("forecast_id",))
class GuideForecast(Sourced):
    """One row per forecast of a guide; table forecast adds the outcome."""

    forecast_id: Annotated[str, Col("Name of the forecast")]
    foretold_on: Annotated[dt.date, Col("Date of the forecast")]
    subject: Annotated[str, Col("Topic")]
    quantity: Annotated[str, Col("Quantity")]
    value_low: Annotated[float | None, Col("Lower bound of the forecast")] = None
    value_high: Annotated[float | None, Col("Upper bound of the forecast")] = None
    unit: Annotated[str, Col("Unit")]
    outcome_on: Annotated[dt.date | None, Col("Date of the outcome, if no table has it")] = None
    outcome_source: Annotated[str | None, Col("Address of the source of that date", check="(outcome_on IS NULL) = (outcome_source IS NULL)")] = None


@record("published_figure", title="Figures that the guides publish", group="audit", key=("figure_id",))
class PublishedFigure(Sourced):
    """One row per figure that can be recomputed or checked; audit contains the recomputation."""

    figure_id: Annotated[str, Col("Name: source/subject/quantity")]
    subject: Annotated[str, Col("Subject")]
    raw_gpu_name: Annotated[str | None, Col("GPU, as the guide writes it, where the figure is about one")] = None
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    quantity: Annotated[str, Col("Quantity, with its unit in the name where it is a column elsewhere")]
    value: Annotated[float, Col("Figure that the guide prints", "see unit")]
    value_text: Annotated[str, Col("The figure as printed")]
    unit: Annotated[str, Col("Unit, as the guide defines it")]
    decimals: Annotated[int, Col("Decimals printed, -1 for whole tens from 1,000 on: recomputed figures are rounded half up to them", between=(-1, 9))]
    approximate: Annotated[bool, Col("Whether the guide says `about`")] = False
    tolerance: Annotated[float, Col("Relative difference that still agrees: 0.1 for `about`, else 0", "fraction", between=(0, 1))] = 0.0
    role: Annotated[str, Col("Role in the guide: derived from other figures, specification of a GPU, or given", values=("derived", "spec", "given"))]
    note: Annotated[str | None, Col("Place in the guide, and remarks")] = None
