"""The page of the AutoDL help on choosing a GPU (2022): GPU table, processor and GPU counts, accelerators."""

from collections.abc import Iterator

from pipeline.schema.guides import GuideMachine, GuidePlatform, GuideRecommendation
from sources import Accepted, Document, Line, Source, by_file_name, rows_of
from sources.guides.figures import SHARED_RECORDS, figure, shared_parsers

SOURCE = Source(
    source_id="autodl-2022",
    title="AutoDL help: choosing a GPU (2022)",
    kind="guide",
    yields=(GuideMachine, GuidePlatform, GuideRecommendation, *SHARED_RECORDS),
    attribution="AutoDL help documentation, page on choosing a GPU, as of 4 March 2022",
    url="https://www.autodl.com/docs/gpu/",
)

GPU_COLUMNS = (
    "card", "generation", "memory_gb", "fp32_tflops", "half_precision_tflops", "half_precision_approximate",
    "min_cuda_major", "note",
)  # fmt: skip


def _gpus(document: Document) -> Iterator[Accepted]:
    for line in document.csv(GPU_COLUMNS):
        yield Accepted(line.locator, line.record(GuideMachine, machine=line.text("card"), raw_gpu_name=line.text("card")))
        yield _gpu_figure(line, "memory_gb", quantity="memory_gb", unit="GB", role="spec")
        yield _gpu_figure(line, "fp32_tflops", quantity="fp32_tflops", unit="TFLOPS", role="spec")
        yield _half_precision(line)
        if line.text_or_none("min_cuda_major"):
            yield _gpu_figure(line, "min_cuda_major", quantity="min_cuda_major", unit="CUDA major version", role="given")


def _half_precision(line: Line) -> Accepted:
    """Return the half-precision figure: the tensor rate, or the vector rate on Pascal, which has no tensor cores."""
    quantity = "fp16_tflops" if line.text("generation") == "Pascal" else "fp16_tensor_tflops"
    about = line.yes_no("half_precision_approximate")
    return _gpu_figure(line, "half_precision_tflops", quantity=quantity, unit="TFLOPS", role="spec", approximate=about)


def _gpu_figure(line: Line, field: str, **facts: str | bool | None) -> Accepted:
    gpu = line.text("card")
    return figure(line, field, source_id=SOURCE.source_id, subject=gpu, raw_gpu_name=gpu, **facts)


parse = by_file_name(
    {
        "machines.csv": _gpus,
        "platforms.csv": rows_of(GuidePlatform),
        "recommendations.csv": rows_of(GuideRecommendation),
        **shared_parsers(SOURCE.source_id),
    }
)
