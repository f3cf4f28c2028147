"""Recommendation form of the home page: the default question, its answers and the choices of the form.

The answers come from `pipeline.recommend.workload`. `site/docs/assets/recommend-form.js` writes the same GPUs and rows in the
browser when the reader changes the question.
"""

from dataclasses import asdict, replace
from itertools import groupby
from typing import Any

from pipeline.recommend import workload as rules
from pipeline.recommend.workload import Question, RankedGpu
from pipeline.website.components.purchases import purchase_note, purchase_range
from pipeline.website.components.recommend import job_advice
from pipeline.website.components.recommend.buying import buying
from pipeline.website.components.recommend.left_out import left_out
from pipeline.website.components.recommend.wording import span
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.labels import short_gpu, words
from pipeline.website.writing.links import provider_name
from pipeline.website.writing.numbers import duration, number
from pipeline.website.writing.page_writer import PageWriter

FIRST = "resnet50-imagenet-90-epochs"
SHOWN = 8
OTHER_TERMS = "spot,marketplace"  # cheaper than on demand, with fewer promises
OWNED_HOURS = 1200.0  # 100 hours a month for a year, as the form's inputs have at first
ASKED = ("job", "task")  # kinds of workloads that the form offers
_KINDS = ("job", "family", "specification", "task")
_GROUPS = {
    "job": N_("Training jobs"),
    "family": N_("Training, by kind of network"),
    "specification": N_("By specification"),
    "task": N_("Tasks that a guide timed"),
}
_JOBS = {
    "resnet50-imagenet-90-epochs": N_("ResNet-50 on ImageNet, 90 epochs"),
    "bert-large-squad-2-epochs": N_("BERT-Large on SQuAD 1.1, 2 epochs"),
}
_FAMILIES = {
    "all": N_("Deep learning of all kinds"),
    "cnn": N_("Convolutional networks"),
    "transformer": N_("Transformers"),
    "rnn": N_("Recurrent networks"),
}
_WORKLOADS = """
    SELECT DISTINCT workload, kind, family, precision, ran_memory_gb, oom_memory_gb
    FROM workload_time JOIN workload_memory USING (workload)
    ORDER BY list_position(?, kind), precision, workload
"""
_BILLINGS = "SELECT DISTINCT billing FROM offer_current WHERE acquisition = 'rent' ORDER BY billing <> 'on_demand', billing"
_KWH = "SELECT value FROM assumption WHERE assumption_id = 'usd_per_kwh'"


def context(writer: PageWriter) -> dict[str, Any]:
    """Return the context of the form's template."""
    data, con = writer.data, writer.data.connection
    groups = workloads(data)
    every = [one for group in groups for one in group["workloads"]]
    first = next((one for one in every if one["workload"] == FIRST), every[0])
    question = Question(workload=first["workload"], hours=None)
    cheapest, fastest = (_choices(data, replace(question, objective=name)) for name in ("cheapest", "fastest"))
    placed, quick = ([one for one in found if one.rank] for found in (cheapest, fastest))
    left = [one for one in cheapest if one.rank is None]
    other = next((one for one in _choices(data, replace(question, billing=OTHER_TERMS)) if one.rank), None)
    is_cheaper = bool(placed) and other is not None and (other.cost_usd or 0) < (placed[0].cost_usd or 0)
    kwh = data.rows(_KWH)[0]["value"]
    # the GPU whose work costs least if it is bought at its last known price; the first to rent if none can be ranked
    owned = replace(question, acquisition="buy", hours=OWNED_HOURS, usd_per_kwh=kwh, older_prices=True)
    bought = next((one for one in _choices(data, owned) if one.rank), next(iter(placed), None))
    return {
        "groups": [group for group in groups if group["kind"] in ASKED],
        "asked": first,
        "lead": job_advice.advice(placed, quick, left, data.sellers),
        "rent": job_advice.tile(placed[0]) if placed else None,
        "cheaper": job_advice.cheaper_tile(other) if other and is_cheaper else None,
        "fast": job_advice.tile(quick[0]) if quick else None,
        "bought": {"gpu_id": bought.gpu_id, "gpu": short_gpu(bought.name, bought.gpu_id)} if bought else None,
        "buy": buying(data, bought.gpu_id, 1, _rent(placed, bought), hours=(bought.seconds or 0) / 3600) if bought else None,
        "choices": [asdict(one) | {"gpu": short_gpu(one.name, one.gpu_id), "interval": _interval(one)} for one in placed],
        "shown": SHOWN,
        "most_gpus": rules.MOST_GPUS,
        "out": left_out(left),
        "billings": [row["billing"] for row in data.rows(_BILLINGS)],
        "providers": [(name, provider_name(name, data.sellers), ways) for name, ways in rules.ways_by_provider(con).items()],
        "vendors": [(name, name, ()) for name in rules.vendors(con)],
        "usd_per_kwh": kwh,
        "purchase_note": purchase_note(data),
        "purchase_range": purchase_range(data),
    }


def _rent(placed: list[RankedGpu], bought: RankedGpu) -> float | None:
    return next((one.price_usd for one in placed if one.gpu_id == bought.gpu_id), None)


def _choices(data: Database, question: Question) -> list[RankedGpu]:
    return data.once(question, lambda: rules.answer(data.connection, question))


def workloads(data: Database) -> list[dict[str, Any]]:
    """Return the workloads in groups, each with its label and the meaning of one run."""
    rows = [row | {"label": _label(row), "run": _run(row), "memory": _memory(row)} for row in data.rows(_WORKLOADS, list(_KINDS))]
    return [
        {"kind": kind, "label": gettext(_GROUPS[kind]), "workloads": list(found)}
        for kind, found in groupby(rows, key=lambda row: row["kind"])
    ]


def _label(row: Row) -> str:
    if row["kind"] == "specification":
        return gettext("Memory bandwidth")
    if row["kind"] == "job" and row["workload"] in _JOBS:
        return gettext(_JOBS[row["workload"]])
    if row["kind"] in ("job", "task"):
        return words(row["workload"])
    return gettext(
        "{family}, {bits}-bit",
        family=gettext(_FAMILIES[row["family"]]) if row["family"] in _FAMILIES else words(row["family"]),
        bits="16" if row["precision"] == "fp16" else "32",
    )


def _run(row: Row) -> str:
    if row["kind"] == "job":
        return gettext(
            "Times are for 16-bit training on one GPU at the speed that Lambda measured. Data loading is not included."
        )
    if row["kind"] == "task":
        return gettext("The job is the task that the guide measured.")
    return gettext("One job is the work that an RTX 2080 Ti does in an hour.")


def _memory(row: Row) -> str:
    """Return the memory of the GPUs on which a job or task was measured, which is all that is known of its need."""
    if row["kind"] not in ASKED:
        return ""
    text = gettext("Memory: the smallest GPU on which it was measured has {gb} GB.", gb=number(row["ran_memory_gb"]))
    if row["oom_memory_gb"] is None:
        return text
    return text + " " + gettext("One with {gb} GB ran out of memory.", gb=number(row["oom_memory_gb"]))


def _interval(choice: RankedGpu) -> str:
    return span(str(duration(choice.seconds_low)), str(duration(choice.seconds_high)))
