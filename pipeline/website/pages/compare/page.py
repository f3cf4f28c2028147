"""Comparison of GPUs side by side for a language model: memory, speed, rent, prices to own and power."""

from pipeline.website.components.llm import llm_form
from pipeline.website.pages.compare.verdict import verdict
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.page_writer import PageWriter

HOME = ("nvidia-geforce-rtx-3090-24gb", "nvidia-geforce-rtx-4090-24gb", "nvidia-geforce-rtx-5090-32gb")
_SERVERS = ("nvidia-h100-sxm5-80gb", "nvidia-h200-sxm-141gb", "amd-instinct-mi300x-192gb", "nvidia-b200-sxm-180gb")
LARGE = "llama-3.3-70b"
_GPUS = "SELECT gpu_id, name FROM gpu ORDER BY vendor <> 'NVIDIA', vendor, name, gpu_id"


def write(writer: PageWriter) -> None:
    """Write the page with its first verdict; a script fills its table from the data of the home page's form."""
    gpus = [row | {"label": short_gpu(row["name"], row["gpu_id"])} for row in writer.data.rows(_GPUS)]
    known = {row["gpu_id"] for row in gpus}
    _, answers = llm_form.first_answer(writer.data)
    writer.write_page(
        "compare",
        "pages/compare/page.md.j2",
        "Compare GPUs",
        "GPUs side by side for your language model: memory, tokens per second, rent, purchase price, power and verdict.",
        gpus=gpus,
        first=",".join(name for name in HOME if name in known),
        servers=",".join(name for name in _SERVERS if name in known),
        large=LARGE,
        llm=llm_form.context(writer),
        lead=verdict(writer.data, [one for one in answers if one.gpu_id in HOME]),
    )
