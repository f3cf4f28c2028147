"""Page of uploaded benchmarks: every accepted run by GPU, with the flags of its figures."""

import re

from pipeline.website.i18n.language import N_, gettext, gettext_figures
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import plural, short_gpu, words
from pipeline.website.writing.page_writer import PageWriter

_RUNS = """
    SELECT u.gpu_id, g.name, u.name_raw, u.n_devices, r.run_id, r.tool, r.tool_version, r.started_at, r.status,
        r.driver, r.cuda_runtime, r.framework, u.n_figures, u.n_flagged, u.flags, u.unresolved,
        f.measured_by, f.provider, f.instance_type, f.licence, f.url
    FROM uploaded_run u
    JOIN benchmark_run r USING (run_id)
    JOIN upload f USING (upload_sha256)
    LEFT JOIN gpu g ON g.gpu_id = u.gpu_id
    WHERE u.n_figures > 0
    ORDER BY u.gpu_id NULLS LAST, f.provider, f.instance_type, r.started_at DESC NULLS LAST, r.run_id
"""
_SHARES = {"a vGPU share of": N_("a vGPU share of the {gpu}"), "a MIG slice of": N_("a MIG slice of the {gpu}")}
_FLAGS = {
    "exceeds_peak": N_("more than the GPU's specification allows"),
    "cached_in_l2": N_("buffers fit into the second-level cache"),
    "incorrect_result": N_("the tool's own check failed"),
    "truncated": N_("the output breaks off"),
    "unit_assumed": N_("the unit was not printed"),
    "device_unresolved": N_("the GPU is not known for certain"),
    "gpu_count_unknown": N_("number of GPUs not stated"),
    "no_result": N_("no request ended in time"),
    "edited": N_("the output was changed by hand"),
    "non_cuda": N_("another maker's GPU, or work on the processor"),
    "partial_offload": N_("part of the model was on the CPU"),
    "offload_unknown": N_("part of the model may have been on the CPU"),
}
_DIRECTIONS = {
    "h2d": N_("host to GPU"),
    "d2h": N_("GPU to host"),
    "d2d_local": N_("within the GPU"),
    "uni": N_("one direction"),
    "bidir_sum": N_("sum of both directions"),
    "bidir_onedir": N_("one direction, while the other is busy too"),
}
_SETTINGS = {
    "model": "{value}",
    "input": N_("input {value}"),
    "optimiser": "{value}",
    "layout": "{value}",
    "found_within": N_("found within {value}"),
    "host_memory": N_("{value} host memory"),
    "parallel": N_("{value} parallel"),
    **{name: f"{name} {{value}}" for name in "mnk"},
    "prompt": N_("{value} prompt tokens"),
    "generated": N_("{value} output tokens"),
    "prompt_tokens": N_("{value} prompt tokens"),
    "output_tokens": N_("{value} output tokens"),
    "max_model_len": N_("at most {value} tokens"),
    "strategy": N_("{value} load"),
    "concurrency": N_("{value} requests at once"),
    "backend": "{value}",
    "ngl": N_("{value} layers on the GPU"),
    "fa": N_("flash attention: {value}"),
    "tensor_parallel": N_("tensor parallel {value}"),
    "pipeline_parallel": N_("pipeline parallel {value}"),
    "data_parallel": N_("data parallel {value}"),
}  # of the tools
_VALUES = {
    "True": N_("yes"),
    "False": N_("no"),
    "sgd": "SGD",
    "adamw": "AdamW",
    "channels_last": "channels-last",
    "contiguous": N_("contiguous"),
    "pageable": N_("pageable"),
    "pinned": N_("pinned"),
}
_REPEATED = ("task", "dtype", "precision", "model_file", "model_size", "parameters")  # other settings or columns contain these
_ALONE = {"products": "1"}  # what goes without saying
_ALL_LAYERS = 99  # as llama.cpp users ask for all of them


def write(writer: PageWriter) -> None:
    """Write the page."""
    runs = writer.data.rows(_RUNS)
    names = {row["gpu_id"]: short_gpu(row["name"], row["gpu_id"]) for row in writer.data.rows("SELECT gpu_id, name FROM gpu")}
    rows = [_run_row(row, names) for row in runs]
    writer.write_page(
        "runs",
        "Uploaded benchmarks",
        "Uploaded benchmark runs by GPU, with the reasons for flagged figures.",
        runs=runs,
        rows=rows,
        finding=_finding(rows),
    )


def flag_text(flags: str | None) -> str:
    """Return the flags of a figure in words, each once; empty if it has none."""
    codes = dict.fromkeys(code for code in (flags or "").split(",") if code)
    return gettext("; ").join(gettext(_FLAGS[code]) if code in _FLAGS else words(code) for code in codes)


def figure_terms(row: Row) -> dict[str, str]:
    """Return the conditions of an uploaded figure in words, and the file of its model."""
    settings = dict(pair.split("=", 1) for pair in (row["workload"] or "").split("; ") if "=" in pair)
    shown = [
        _setting_text(name, value) for name, value in settings.items() if name not in _REPEATED and _ALONE.get(name) != value
    ]
    parts = [gettext(row["statistic"]), row["dtype"], gettext(_DIRECTIONS.get(row["direction"])), *shown]
    return {"terms": gettext(", ").join(part for part in parts if part), "file": settings.get("model_file", "")}


def _setting_text(name: str, value: str) -> str:
    if name == "ngl" and re.fullmatch(r"\d{1,9}", value, re.ASCII) and int(value) >= _ALL_LAYERS:
        return gettext("all layers on the GPU")
    value = gettext(_VALUES[value]) if value in _VALUES else value
    return gettext(_SETTINGS[name], value=value) if name in _SETTINGS else f"{words(name)} {value}"


def _run_row(row: Row, names: dict[str, str]) -> Row:
    gpu = short_gpu(row["name"], row["gpu_id"] or row["name_raw"] or gettext("not known"))
    reasons = [reason_text(reason, names) for reason in (row["unresolved"] or "").split("; ")]
    return row | {"gpu": gpu, "remarks": flag_text(row["flags"]), "unresolved": gettext("; ").join(reasons)}


def reason_text(reason: str, names: dict[str, str]) -> str:
    """Return why the GPU of a run is not known, with the name of a GPU for its id and without the code of the reason."""
    part, _, gpu_id = reason.rpartition(" ")
    if part in _SHARES:
        return gettext(_SHARES[part], gpu=names.get(gpu_id, gpu_id))
    return gettext_figures(re.sub(r"^[A-Z]+(_[A-Z]+)+: ", "", reason))


def _finding(rows: list[Row]) -> str:
    runs, models = len({row["run_id"] for row in rows}), len({row["gpu"] for row in rows if row["gpu_id"]})
    doubtful = sum(bool(row["n_flagged"]) for row in rows)
    marked = gettext("{doubtful} with flagged figures", doubtful=doubtful) if doubtful else gettext("no figure flagged")
    return gettext("{run} on {gpu}, {marked}.", run=plural(runs, "run"), gpu=plural(models, "GPU model"), marked=marked)
