"""Tables of the performance model: relative speed of GPUs from measured throughput, corrected for batch and network."""

from typing import Annotated

from pipeline.schema.core import Col, Record, record

FAMILIES = ("cnn", "transformer", "rnn", "all")
PRECISIONS = ("fp16", "fp32")
PRECISION = "fp16 = 16-bit or mixed; fp32 with TF32"
BASES = ("measured", "predicted")
SPLITS = ("leave_one_gpu_out", "leave_one_die_out", "leave_one_architecture_out", "next_larger_batch")


@record("batch_curve", title="Throughput by batch", group="performance", key=("panel", "precision", "gpu_id", "gpu_count"))
class BatchCurve(Record):
    """One row per GPU and number of GPUs in a workload: the time of a step as fixed_s + batch / items_per_s_limit. In each
    workload a GPU was measured at batches that differ twofold or more. Estimates from own points are shrunk to the other curves of the
    workload; a curve without own points is their mean.
    """

    panel: Annotated[str, Col("Conditions shared by comparable rows: source, suite, software, workload, variant, settings, unit")]
    source_id: Annotated[str | None, Col("Source; empty = runs of uploads, in uploaded_throughput", references="source.source_id")]
    workload: Annotated[str, Col("Model and task")]
    family: Annotated[str, Col("Kind of network", values=FAMILIES)]
    precision: Annotated[str, Col(PRECISION, values=PRECISIONS)]
    gpu_id: Annotated[str, Col("GPU", references="gpu.gpu_id")]
    gpu_count: Annotated[int, Col("GPUs working together", above=0)]
    batches: Annotated[str, Col("Measured batches of one GPU, smallest first")]
    n_batches: Annotated[int, Col("Number of measured batches", above=0)]
    fixed_s: Annotated[float, Col("Time of a step that does not grow with the batch", "s", least=0)]
    items_per_s_limit: Annotated[float, Col("Throughput of one GPU in very large batches", "item/s", above=0)]
    half_batch: Annotated[float, Col("Batch of one GPU that reaches half of that", "item", least=0)]
    fixed_share: Annotated[float, Col("Fixed share of the time at the geometric mean of the batches", "fraction", between=(0, 1))]
    fixed_share_error: Annotated[float, Col("Its standard error", "fraction", above=0)]
    own_share: Annotated[float | None, Col("The share from this curve's points alone; empty = batches that differ less than twofold, or points of two configurations", "fraction", between=(0, 1))]
    gain_per_doubling: Annotated[float, Col("Gain of throughput for twice the largest measured batch", "fraction", between=(0, 1))]
    guide_gain_per_doubling: Annotated[float | None, Col("The constant of the 2020 guide", "fraction", between=(0, 1))]
    basis: Annotated[str, Col("Whether own points were used", values=("own_curve", "pooled_curve"))]


@record("batch_doubling_gain", title="Gain of doubling the batch", group="performance", key=("family", "precision", "batch_from"))
class BatchGain(Record):
    """One row per kind of network, precision and starting batch: the median gain over measured pairs; intervals by a bootstrap
    over workloads.
    """

    family: Annotated[str, Col("Kind of network", values=FAMILIES)]
    precision: Annotated[str, Col(PRECISION, values=PRECISIONS)]
    batch_from: Annotated[int, Col("Least starting batch of one GPU; 0 = every batch", "item", least=0)]
    batch_to: Annotated[int | None, Col("Starting batch below which the row ends; empty = no end", "item", check="batch_to > batch_from")]
    gain: Annotated[float, Col("Median gain of throughput from b to 2 b", "fraction", between=(-1, 1))]
    ci_low: Annotated[float | None, Col("Low end of its 95% interval; empty = fewer than 3 workloads", "fraction", between=(-1, 1))]
    ci_high: Annotated[float | None, Col("High end of its 95% interval", "fraction", between=(-1, 1))]
    n_pairs: Annotated[int, Col("Pairs of rows", above=0)]
    n_workloads: Annotated[int, Col("Workloads that they come from", above=0)]
    guide_gain: Annotated[float | None, Col("The constant of the 2020 guide", "fraction", between=(0, 1))]


@record(
    "scaling_efficiency", title="Scaling over several GPUs", group="performance",
    key=("interconnect", "gpu_count", "family", "precision"),
)
class ScalingEfficiency(Record):
    """One row per link, number of GPUs, kind of network and precision: throughput of n GPUs over n times that of one at the same
    batch per GPU. It is the median over measured rows, with intervals by a bootstrap over workloads.
    """

    interconnect: Annotated[str, Col("Link between the GPUs, as in system_interconnect; unknown = not stated")]
    gpu_count: Annotated[int, Col("GPUs working together", above=1)]
    family: Annotated[str, Col("Kind of network", values=FAMILIES)]
    precision: Annotated[str, Col(PRECISION, values=PRECISIONS)]
    efficiency: Annotated[float, Col("Median efficiency", "fraction", between=(0, 2))]
    ci_low: Annotated[float | None, Col("Low end of its 95% interval; empty = fewer than 3 workloads", "fraction", between=(0, 2))]
    ci_high: Annotated[float | None, Col("High end of its 95% interval", "fraction", between=(0, 2))]
    n_rows: Annotated[int, Col("Rows", above=0)]
    n_workloads: Annotated[int, Col("Workloads", above=0)]
    n_gpus: Annotated[int, Col("GPUs", above=0)]


@record(
    "scaling_advantage", title="Network advantage of the A100 over the V100", group="performance", key=("family", "precision")
)
class NetworkAdvantage(Record):
    """One row per kind of network and precision: the scaling advantage of 8 A100 over 8 V100 (SXM modules), and the 2020 guide's
    constants.
    """

    family: Annotated[str, Col("Kind of network", values=FAMILIES)]
    precision: Annotated[str, Col(PRECISION, values=PRECISIONS)]
    advantage: Annotated[float, Col("Median over workloads and variants of the ratio of efficiencies, less 1", "fraction", between=(-1, 5))]
    ci_low: Annotated[float | None, Col("Low end of its 95% interval; empty = fewer than 3 workloads", "fraction", between=(-1, 5))]
    ci_high: Annotated[float | None, Col("High end of its 95% interval", "fraction", between=(-1, 5))]
    n_rows: Annotated[int, Col("Panels", above=0)]
    n_workloads: Annotated[int, Col("Workloads", above=0)]
    guide_advantage: Annotated[float | None, Col("The constant of the 2020 guide", "fraction", between=(0, 1))]


@record("performance_index", title="Performance index", group="performance", key=("gpu_id", "family", "precision"))
class PerformanceIndex(Record):
    """One row per GPU, kind of network and precision: training speed of one GPU at its largest measured batch, RTX 2080 Ti = 1.
    Measured where shared panels link it to that GPU, else predicted from its specifications. Intervals cover 90%; that of a
    prediction is at least as wide as the median of the measured ones. Not for language models: see llm_speed.
    """

    gpu_id: Annotated[str, Col("GPU", references="gpu.gpu_id")]
    family: Annotated[str, Col("Kind of network", values=FAMILIES)]
    precision: Annotated[str, Col(PRECISION, values=PRECISIONS)]
    index: Annotated[float, Col("Training speed, RTX 2080 Ti = 1", "ratio", above=0)]
    ci_low: Annotated[float | None, Col("Low end of the 90% interval; empty = none, see note", "ratio", check="ci_low <= index")]
    ci_high: Annotated[float | None, Col("High end of the 90% interval", "ratio", check="ci_high >= index")]
    basis: Annotated[str, Col("Measured, or predicted from specifications", values=BASES)]
    n_rows: Annotated[int, Col("Rows of training_throughput behind it; 0 = predicted", check="n_rows >= 0 AND (n_rows > 0) = (basis = 'measured')")]
    n_workloads: Annotated[int, Col("Workloads behind it", least=0)]
    model: Annotated[str, Col("panel_fit, or the prediction model")]
    model_version: Annotated[int, Col("Version of the method", above=0)]
    note: Annotated[str | None, Col("Why there is no interval, or the basis of the prediction")]


@record(
    "speedup", title="Speedup of GPU over GPU", group="performance", key=("gpu_a", "gpu_b", "panel", "precision", "gpu_count")
)
class Speedup(Record):
    """One row per workload, precision, number of GPUs and pair of GPUs (a first in the alphabet; the other way round is the
    reciprocal): naive_ratio = batch_factor * network_factor * corrected. Each GPU at its largest measured batch; corrected is for
    the smaller of the two batches.
    """

    gpu_a: Annotated[str, Col("GPU a", references="gpu.gpu_id")]
    gpu_b: Annotated[str, Col("GPU b", references="gpu.gpu_id")]
    panel: Annotated[str, Col("Conditions shared by comparable rows: source, suite, software, workload, variant, settings, unit")]
    workload: Annotated[str, Col("Model and task")]
    family: Annotated[str, Col("Kind of network", values=FAMILIES)]
    precision: Annotated[str, Col(PRECISION, values=PRECISIONS)]
    gpu_count: Annotated[int, Col("GPUs working together, as many of a as of b", above=0)]
    batch_a: Annotated[int, Col("Batch on each GPU a", "item", above=0)]
    batch_b: Annotated[int, Col("Batch on each GPU b", "item", above=0)]
    naive_ratio: Annotated[float, Col("Throughput of a over b", "ratio", above=0)]
    batch_factor: Annotated[float, Col("Part of the ratio due to the larger batch", "ratio", above=0)]
    network_factor: Annotated[float, Col("Scaling efficiency of a over b, as measured; 1 for one GPU", "ratio", above=0)]
    ratio_at_own_maximum: Annotated[float, Col("Corrected for the network alone: each GPU at its own largest batch", "ratio", above=0)]
    corrected: Annotated[float, Col("Speed of one GPU a over one GPU b at the same batch", "ratio", above=0)]
    ci_low: Annotated[float, Col("Low end of the 95% interval of corrected", "ratio", check="ci_low <= corrected")]
    ci_high: Annotated[float, Col("High end of the 95% interval of corrected", "ratio", check="ci_high >= corrected")]
    batch_basis: Annotated[str, Col("Basis of the batch factor; prior = 8% per doubling, 0 to 20%", values=("same_batch", "own_curve", "pooled_curve", "prior"))]
    guide_corrected: Annotated[float | None, Col("A100 over V100 by the 2020 guide's arithmetic and constants", "ratio", above=0)]


@record(
    "speedup_family", title="Speedup of GPU over GPU by kind of network", group="performance",
    key=("gpu_a", "gpu_b", "family", "precision"),
)
class SpeedupFamily(Record):
    """One row per pair of GPUs, kind of network and precision: geometric means of speedup over workloads, one GPU against one;
    95% intervals over workloads.
    """

    gpu_a: Annotated[str, Col("GPU a", references="gpu.gpu_id")]
    gpu_b: Annotated[str, Col("GPU b", references="gpu.gpu_id")]
    family: Annotated[str, Col("Kind of network", values=FAMILIES)]
    precision: Annotated[str, Col(PRECISION, values=PRECISIONS)]
    naive_ratio: Annotated[float, Col("Throughput of a over b", "ratio", above=0)]
    batch_factor: Annotated[float, Col("Part of the ratio due to larger batches", "ratio", above=0)]
    corrected: Annotated[float, Col("Speed of a over b at the same batch", "ratio", above=0)]
    ci_low: Annotated[float | None, Col("Low end of the 95% interval of corrected; empty = fewer than 3 workloads", "ratio", check="ci_low <= corrected")]
    ci_high: Annotated[float | None, Col("High end of the 95% interval of corrected", "ratio", check="ci_high >= corrected")]
    n_rows: Annotated[int, Col("Rows of speedup", above=0)]
    n_workloads: Annotated[int, Col("Workloads", above=0)]


@record("_training_error", title="Errors of predicted training speed", group="performance", key=("split", "model", "precision"))
class TrainingError(Record):
    """One row per split, model and precision: errors of predictions on held-out data. The model and its interval are chosen
    inside each fold. GPUs: the index over the core workloads. next_larger_batch: throughput of one GPU at a larger batch.
    """

    split: Annotated[str, Col("Held-out unit", values=SPLITS)]
    model: Annotated[str, Col("gpuledger, or a baseline")]
    precision: Annotated[str, Col(PRECISION, values=PRECISIONS)]
    n: Annotated[int, Col("Predictions; 0 = the model has none in this split", least=0)]
    median_abs_pct: Annotated[float | None, Col("Median absolute error", "%", least=0)]
    mean_abs_pct: Annotated[float | None, Col("Mean absolute error", "%", least=0)]
    coverage_90: Annotated[float | None, Col("Share of measurements inside the 90% interval; empty = the model has no interval", "%", between=(0, 100))]


@record("rule_of_thumb", title="Rules of thumb, tested", group="performance", key=("rule_id", "family", "precision"))
class RuleOfThumb(Record):
    """One row per rule, kind of network and precision: the figure that tests the rule, its 95% interval, and whether it holds."""

    rule_id: Annotated[str, Col("Name of the rule")]
    statement: Annotated[str, Col("Statement of the rule")]
    source_id: Annotated[str | None, Col("Guide that states it", references="source.source_id")]
    claim_id: Annotated[str | None, Col("Statement in guide_claim whose verdict follows from this row")]
    family: Annotated[str, Col("Kind of network", values=FAMILIES)]
    precision: Annotated[str, Col(PRECISION, values=PRECISIONS)]
    quantity: Annotated[str, Col("Kind of figure", values=("rank_correlation", "ratio", "difference"))]
    value: Annotated[float | None, Col("The figure; empty = too few GPUs", "see quantity")]
    ci_low: Annotated[float | None, Col("Low end of its 95% interval", "see quantity")]
    ci_high: Annotated[float | None, Col("High end of its 95% interval", "see quantity")]
    n: Annotated[int, Col("GPUs, rows or indicators behind it", least=0)]
    expected: Annotated[float | None, Col("Smallest value that confirms the rule; empty = no threshold", "see quantity")]
    holds: Annotated[bool | None, Col("Whether the rule holds; empty = no threshold or no value")]
