"""Tables of GPUs: models, specifications with their sources, and names."""

import datetime as dt
from typing import Annotated

from pipeline.schema.core import Col, Record, record
from pipeline.schema.provenance import Sourced

SEGMENTS = ("datacenter", "workstation", "consumer", "accelerator", "laptop")


@record("gpu_model", title="GPU models", group="specs", key=("gpu_model_id",))
class GpuModel(Record):
    """One row per product as it is sold: H100, A100, RTX 3060. Its variants in `gpu` differ in form factor, memory size or
    edition. Desktop and laptop GPUs are separate models, as are superchips and the GPUs on them.
    """

    gpu_model_id: Annotated[
        str, Col("Name of the model in this dataset", check="regexp_full_match(gpu_model_id, '[a-z0-9]+(-[a-z0-9]+)*')")
    ]
    name: Annotated[str, Col("Display name")]
    vendor: Annotated[str, Col("Maker of the chip")]
    memory_gb: Annotated[
        float | None, Col("Memory, where all variants have the same", "GB", between=(0.5, 1000))
    ]
    rule: Annotated[str, Col("Reason why these variants are one product")]


@record("gpu", title="GPUs and accelerators", group="specs", key=("gpu_id",))
class Gpu(Record):
    """One row per GPU as it is rented or as a driver sees it; memory size and form factor are part of its identity. Tensor
    figures are dense, with FP32 accumulation unless the name says otherwise. A value is empty where it is not known, or where the
    GPU has no such unit. gpu_spec contains the source of each value.
    """

    gpu_id: Annotated[str, Col("Name of the GPU in this dataset", check="regexp_full_match(gpu_id, '[a-z0-9]+(-[a-z0-9]+)*')")]
    gpu_model_id: Annotated[str, Col("Model, the product as it is sold", references="gpu_model.gpu_model_id")]
    name: Annotated[str, Col("Display name")]
    vendor: Annotated[str, Col("Maker of the chip")]
    architecture: Annotated[str, Col("Chip family")]
    segment: Annotated[str, Col("Market it is sold to", values=SEGMENTS)]
    form_factor: Annotated[str, Col("How it is mounted: PCIe card, SXM module, and so on")]
    release_date: Annotated[
        dt.date | None, Col("Day of release: first sale of consumer GPUs, announcement or first sale of others", check="release_date BETWEEN DATE '2006-01-01' AND DATE '2030-01-01'")
    ]
    memory_gb: Annotated[float, Col("Memory, as the vendor states it", "GB", between=(0.5, 1000))]
    driver_memory_gb: Annotated[
        float | None,
        Col("Memory, as the driver reports it", "GB", check="driver_memory_gb / memory_gb BETWEEN 0.9 AND 1.1"),
    ]
    memory_type: Annotated[str, Col("Kind of memory")]
    memory_bandwidth_gb_per_s: Annotated[float | None, Col("Peak memory bandwidth", "GB/s", between=(10, 50000))]
    sm_count: Annotated[
        int | None, Col("Streaming multiprocessors (NVIDIA), compute units (AMD), Xe cores (Intel)", between=(1, 2000))
    ]
    cuda_cores: Annotated[int | None, Col("FP32 lanes", between=(32, 100000))]
    tensor_cores: Annotated[int | None, Col("Matrix units", between=(1, 10000))]
    boost_clock_mhz: Annotated[float | None, Col("Boost clock", "MHz", between=(200, 5000))]
    fp64_tflops: Annotated[float | None, Col("FP64 vector rate", "TFLOPS", between=(0.001, 1000))]
    fp32_tflops: Annotated[float | None, Col("FP32 vector rate", "TFLOPS", between=(0.1, 1000))]
    fp16_tflops: Annotated[float | None, Col("FP16 vector rate, without matrix units", "TFLOPS", between=(0.01, 2000))]
    tf32_tensor_tflops: Annotated[float | None, Col("TF32 matrix rate, dense", "TFLOPS", between=(0.1, 10000))]
    fp16_tensor_tflops: Annotated[float | None, Col("FP16 matrix rate, dense, FP32 accumulation", "TFLOPS", between=(0.1, 20000))]
    bf16_tensor_tflops: Annotated[float | None, Col("BF16 matrix rate, dense, FP32 accumulation", "TFLOPS", between=(0.1, 20000))]
    fp16_tensor_fp16_accumulate_tflops: Annotated[
        float | None, Col("FP16 matrix rate, dense, FP16 accumulation", "TFLOPS", between=(0.1, 20000))
    ]
    fp8_tensor_tflops: Annotated[float | None, Col("FP8 matrix rate, dense", "TFLOPS", between=(0.1, 40000))]
    int8_tops: Annotated[
        float | None, Col("INT8 rate without matrix units: dot products of four values (DP4A)", "TOPS", between=(0.1, 1000))
    ]
    int8_tensor_tops: Annotated[float | None, Col("INT8 matrix rate, dense", "TOPS", between=(0.1, 40000))]
    fp4_tensor_tflops: Annotated[float | None, Col("FP4 matrix rate, dense", "TFLOPS", between=(0.1, 80000))]
    l2_cache_mb: Annotated[float | None, Col("Second-level cache", "MB", between=(0.1, 2000))]
    shared_memory_per_sm_kb: Annotated[float | None, Col("Largest shared memory of one multiprocessor", "KB", between=(8, 2000))]
    compute_capability: Annotated[
        str | None, Col("CUDA compute capability", check="regexp_full_match(compute_capability, '[0-9]+\\.[0-9]')")
    ]
    min_cuda_version: Annotated[
        str | None,
        Col("First CUDA version that supports the GPU", check="regexp_full_match(min_cuda_version, '[0-9]+\\.[0-9]+')"),
    ]
    max_cuda_version: Annotated[
        str | None,
        Col(
            "Last CUDA version that supports the GPU; empty where none has ended its support",
            check="regexp_full_match(max_cuda_version, '[0-9]+\\.[0-9]+')",
        ),
    ]
    nvlink_gb_per_s: Annotated[float | None, Col("GPU-to-GPU link, both directions together", "GB/s", between=(10, 10000))]
    pcie_generation: Annotated[int | None, Col("PCI Express generation", between=(1, 8))]
    tdp_w: Annotated[float | None, Col("Board power limit as sold", "W", between=(10, 5000))]
    slot_width: Annotated[float | None, Col("Expansion slots that the GPU covers", "slot", between=(1, 5))]
    launch_msrp_usd: Annotated[
        float | None, Col("Price at launch; press price for data-center GPUs", "USD", between=(20, 200000))
    ]
    sparsity_2_4: Annotated[bool | None, Col("Whether the matrix units skip 2:4 structured zeros")]
    announced_on: Annotated[dt.date | None, Col("Day of the announcement, where a source gives it apart from the sale")]
    launched_on: Annotated[dt.date | None, Col("First day of sale", check="launched_on >= announced_on")]
    shipped_on: Annotated[dt.date | None, Col("Day on which a source says that it is being delivered; for most GPUs none does", check="shipped_on >= announced_on")]


@record("_spec_note", title="Notes of the maintainers on specification values", group="specs", key=("gpu_id", "attribute"))
class SpecNote(Record):
    """One row per remark: why a value was preferred, or why it is doubtful."""

    gpu_id: Annotated[str, Col("GPU", references="gpu.gpu_id")]
    attribute: Annotated[str, Col("Column of gpu")]
    note: Annotated[str, Col("The remark")]


@record("gpu_left_out", title="GPUs that are left out", group="specs", key=("name",))
class LeftOutGpu(Sourced):
    """One row per GPU or accelerator that sources describe and that has no row in gpu, with the reason."""

    name: Annotated[str, Col("Name of the GPU")]
    vendor: Annotated[str, Col("Maker")]
    reason: Annotated[str, Col("Why it has no row")]


@record("gpu_label", title="Labels found in prices", group="specs", key=("label_id",))
class GpuLabel(Record):
    """One row per label that a price source uses for a GPU, with the GPU or model that it was resolved to, or the reason why not.
    """

    label_id: Annotated[str, Col("Hash of source, label, context and reported memory")]
    source_id: Annotated[str, Col("Source that uses the label", references="source.source_id", filled=True)] = ""
    raw_gpu_name: Annotated[str, Col("Label, as the source writes it")]
    gpu_context: Annotated[str | None, Col("Further facts from the source")] = None
    reported_memory_gb: Annotated[float | None, Col("Memory of one GPU as the source reports it", "GB")] = None
    gpu_id: Annotated[str | None, Col("GPU that the label means", references="gpu.gpu_id")] = None
    gpu_model_id: Annotated[str | None, Col("Model that the label means", references="gpu_model.gpu_model_id")] = None
    unstated: Annotated[
        str | None, Col("Attributes of the model that the label leaves open, comma-separated: form factor, memory, edition")
    ] = None
    candidates: Annotated[
        str | None,
        Col(
            "GPUs that a label of a model can mean, comma-separated",
            check="(candidates IS NOT NULL) = (gpu_id IS NULL AND gpu_model_id IS NOT NULL) AND (candidates IS NULL) = (unstated IS NULL)",
        ),
    ] = None
    gpu_count: Annotated[int | None, Col("Number of GPUs that the label states", between=(1, 1000))] = None
    gpu_fraction: Annotated[float | None, Col("Share of one GPU that the label states", "fraction", between=(0.001, 1))] = None
    partition: Annotated[str | None, Col("Whether the label means a whole GPU")] = None
    rule: Annotated[str | None, Col("Rule that decided")] = None
    reason_code: Annotated[
        str | None, Col("Reason without a GPU, as a code", values=("UNKNOWN_GPU", "AMBIGUOUS_GPU", "NOT_A_GPU"))
    ] = None
    reason: Annotated[str | None, Col("Reason without a GPU, or with a model alone, in words")] = None


@record("gpu_alias", title="Names of GPUs", group="specs", key=("alias", "scope", "gpu_id"))
class GpuAlias(Record):
    """One row per name or rule by which labels are resolved, and its GPU; gpu_label lists the labels found."""

    alias: Annotated[str, Col("Name as the source writes it")]
    scope: Annotated[str, Col("Source in which the name has this meaning")]
    gpu_id: Annotated[str, Col("GPU", references="gpu.gpu_id")]
    rule: Annotated[str, Col("Reason for this GPU")]
