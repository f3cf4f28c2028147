"""The part of `recommend` for workloads: GPUs ranked by the rules of table `scenario_rank`."""

import re
from dataclasses import replace
from pathlib import Path

import duckdb

from pipeline.cli.output import Format, err, fail, open_database, rounded, write_rows
from pipeline.cli.recommend.options import check_vendor
from pipeline.errors import suggest
from pipeline.recommend import workload as rules

RUN = "One run = the task or job once; for a kind of network or memory-bandwidth, the work of an RTX 2080 Ti in one hour."
COLUMNS = ("rank", "gpu_id", "name", "memory_gb", "basis", "seconds", "seconds_low", "seconds_high")
# reasons of scenario_rank that an option lifts
OLD_PURCHASE, OTHER_TERMS = "no purchase price of the past year", "no offer on these terms is for this GPU"


def recommend_workload(question: rules.Question, form: Format, db: Path | None) -> None:
    """Print the GPUs for a workload; a name or figure that is not known ends the command."""
    _check_options(question)
    with open_database(db) as con:
        question = replace(question, workload=_find_workload(con, question.workload))
        check_vendor(con, question.vendor)
        if question.provider:
            question = replace(question, provider=_find_provider(con, question.provider, question.acquisition))
        choices = rules.answer(con, question)
        if question.acquisition == "buy":
            err.print(_price_dates(con, question))
        sellers = dict(con.execute("SELECT provider_id, coalesce(name, provider_id) FROM provider").fetchall())
    _write_choices(choices, question, form)
    err.print(_advice(choices, question, sellers))


def _price_dates(con: duckdb.DuckDBPyConnection, question: rules.Question) -> str:
    """Return the dates of the purchase prices that are compared."""
    if not question.older_prices:
        return "Compared are purchase prices of the past year."
    dates = con.execute("SELECT first_date, last_date FROM purchase_range").fetchall()
    return f"Compared are purchase prices of {dates[0][0]} to {dates[0][1]}." if dates else "No purchase price is known."


def _check_options(question: rules.Question) -> None:
    if question.gpus > rules.MOST_GPUS:
        fail(f"--gpus {question.gpus}: scaling is measured for up to {rules.MOST_GPUS} GPUs; ask for {rules.MOST_GPUS} or fewer")
    if question.min_cuda and not re.fullmatch(r"\d{1,4}(\.\d{1,4})*", question.min_cuda):
        fail(f"--min-cuda {question.min_cuda!r} is not a version; write it like 11.8")


def _find_workload(con: duckdb.DuckDBPyConnection, name: str) -> str:
    """Return the workload of this name, also as the site writes it in addresses; another name ends the command."""
    if name == "llm-decode":
        fail(
            "the workload llm-decode was removed: it compared memory bandwidth alone. Ask with --model, or --workload memory-bandwidth"
        )
    workloads = {_as_address(one): one for one in rules.workloads(con)}
    if found := workloads.get(_as_address(name)):
        return found
    return fail(f"no workload {name!r}; {suggest(name, workloads.values())}")


def _as_address(workload: str) -> str:
    return workload.lower().replace("_", "-")


def _find_provider(con: duckdb.DuckDBPyConnection, name: str, acquisition: str) -> str:
    """Return the provider of this name, which the tables write in small letters; one without such offers ends the command."""
    names = rules.providers(con, acquisition)
    if name.lower() in names:
        return name.lower()
    if name.lower() in rules.providers(con):
        other = "--rent" if acquisition == "buy" else "--buy"
        fail(f"provider {name!r} has no GPU to {acquisition}; choose another, or add {other}")
    query = f"`gpuledger query \"SELECT DISTINCT provider FROM offer_current WHERE acquisition = '{acquisition}'\"`"
    return fail(f"no provider {name!r}; {suggest(name, names, query)}")


def _write_choices(choices: list[rules.RankedGpu], question: rules.Question, form: Format) -> None:
    cost = "usd_for_the_gpus" if question.acquisition == "buy" else "usd_per_run"
    rows = [
        [
            *(rounded(getattr(one, name)) for name in COLUMNS),
            rounded(one.cost_usd) if one.rank or one.unranked else None,
            one.provider,
            one.price_date,
            _reason(one),
        ]
        for one in choices
    ]
    write_rows([*COLUMNS, cost, "priced_by", "price_of", "reason"], rows, form)


def _advice(choices: list[rules.RankedGpu], question: rules.Question, sellers: dict[str, str]) -> str:
    """Return the advice in a sentence, or how to find the limit that no GPU meets."""
    if not choices or not choices[0].rank:
        if outdated := [one for one in choices if one.reason.startswith("no current offer: ")]:
            return _last_known(min(outdated, key=lambda one: (one.cost_usd or 0, one.gpu_id)), sellers)
        reasons = {one.reason.partition(":")[0] for one in choices}
        older = " Add --older-prices to use purchase prices older than 12 months." if OLD_PURCHASE in reasons else ""
        others = f" Only {question.billing} offers count; add other terms with --billing." if OTHER_TERMS in reasons else ""
        return f"No GPU meets every limit; see the last column for the limit that each one fails.{older}{others}"
    best = choices[0]
    bought = question.acquisition == "buy"
    verb, unit = ("Buy", " each" if question.gpus > 1 else "") if bought else ("Rent", " an hour each")
    seller = sellers.get(best.provider or "", best.provider)
    gpus = f"{question.gpus} x " if question.gpus > 1 else ""
    return f"{verb} {gpus}{best.name} from {seller} at {best.price_usd:g} USD{unit}: {best.reason}. {_machine(best)}{RUN}"


def _last_known(one: rules.RankedGpu, sellers: dict[str, str]) -> str:
    """Return the outdated offer; others can have a current one without a rank, by another limit, an uncertain speed or other terms."""
    seller = sellers.get(one.provider or "", one.provider)
    offer = f"{one.name} from {seller} at {one.price_usd:g} USD an hour each, of {one.price_date}"
    return (
        f"No GPU that can be ranked has a current offer on these terms; the last known is {offer}. "
        "Add --older-prices to use prices that are not current."
    )


def _machine(best: rules.RankedGpu) -> str:
    """Return what a bought machine costs without its GPUs, which its rank counts."""
    if best.system_usd is None or best.cost_usd is None:
        return ""
    return f"The rest of the machine counts as {best.system_usd - best.cost_usd:g} USD. "


def _reason(choice: rules.RankedGpu) -> str:
    prefix = "" if choice.rank else "unranked: " if choice.unranked else "out: "
    return f"{prefix}{choice.reason}"
