"""The command `recommend`: GPUs ranked for a workload or a language model."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import typer

from pipeline.cli.llm import by_hand as sizes
from pipeline.cli.llm.by_hand import FIELDS, collect_sizes
from pipeline.cli.output import DatabaseOption, Format, FormatOption, err, fail, open_database
from pipeline.cli.recommend import options
from pipeline.cli.recommend.language_model import ModelTerms, recommend_model
from pipeline.cli.recommend.workload import recommend_workload
from pipeline.recommend import workload as rules
from pipeline.recommend.language_model import Limits

OF_MODELS = set(FIELDS) | {"model", "quantization", "context", "users", "use", "tune", "tokens"}
OF_BOTH = {"objective", "vendor", "gpus", "data_centre", "buy", "budget", "form", "db"}
FIRST_MODEL = "llama-3.1-8b"  # that of the home page
KINDS = f"""Say what to run, for example:
  a language model            gpuledger recommend --model {FIRST_MODEL} --users 16
  a fine-tune                 gpuledger recommend --model {FIRST_MODEL} --tune qlora --tokens 10e6
  training of a network       gpuledger recommend --workload bert-large-squad-2-epochs
  measured image work         gpuledger recommend --workload stylegan_xl_training
  comparison by specification gpuledger recommend --workload memory-bandwidth"""


def recommend(
    ctx: typer.Context,
    workload: options.Workload = "",
    buy: options.Buy = False,
    objective: options.Objective = "cheapest",
    min_memory: options.MinMemory = None,
    budget: options.Budget = None,
    hours: options.Hours = None,
    electricity: options.Electricity = None,
    gpus: options.Gpus = None,
    data_centre: options.DataCentre = False,
    provider: options.Provider = None,
    vendor: options.Vendor = None,
    billing: options.Billing = None,
    min_cuda: options.MinCuda = None,
    max_slots: options.MaxSlots = None,
    max_watts: options.MaxWatts = None,
    older_prices: options.OlderPrices = False,
    model: options.Model = "",
    quantization: options.Quantization = "",
    context: options.Context = None,
    users: options.Users = None,
    use: options.Use = "",
    tune: options.Tune = None,
    tokens: options.Tokens = 1e7,
    params: sizes.Params = None,
    layers: sizes.Layers = None,
    kv_heads: sizes.KvHeads = None,
    head_dim: sizes.HeadDim = None,
    heads: sizes.Heads = None,
    hidden: sizes.Hidden = None,
    vocabulary: sizes.Vocabulary = None,
    form: FormatOption = "table",
    db: DatabaseOption = None,
) -> None:
    """Rank GPUs for a workload or a language model.

    The best comes first, unranked GPUs last, with the reason for each rank and each exclusion.

    Example: gpuledger recommend --workload transformer --rent --min-memory 24
    Example: gpuledger recommend --model llama-3.1-8b --users 16
    Example: gpuledger recommend --model llama-3.1-8b --tune qlora --tokens 10e6
    """
    by_hand = collect_sizes(ctx)
    named = model or ("" if by_hand else FIRST_MODEL)
    terms = ModelTerms(
        model=named, by_hand=by_hand, quantization=quantization, context=context, users=users, use=use, tune=tune, tokens=tokens,
        limits=Limits(vendor=vendor or None, gpus=gpus, data_centre=data_centre), buy=buy, budget=budget,
    )  # fmt: skip
    _answer(_options_of(ctx), terms, _question(**ctx.params), form, db)


def _question(**given: Any) -> rules.Question:
    """Return the question about a workload that the options ask."""
    same = {field.name for field in fields(rules.Question)} & given.keys()
    named = {"min_memory_gb": given["min_memory"], "budget_usd": given["budget"], "usd_per_kwh": given["electricity"]}
    named["gpus"] = given["gpus"] or 1
    answer = {"acquisition": "buy" if given["buy"] else "rent", "billing": ",".join(given["billing"] or ["on_demand"])}
    return rules.Question(**{name: given[name] for name in same} | named | answer)


def _answer(given: dict[str, str], terms: ModelTerms, question: rules.Question, form: Format, db: Path | None) -> None:
    """Answer the question about a language model, if an option asks for one, or about a workload."""
    if OF_MODELS & set(given):
        _refuse_others(given)
        with open_database(db) as con:
            recommend_model(con, terms, question.objective, form)
    elif "workload" in given:
        _refuse_without_effect(given, question)
        recommend_workload(question, form, db)
    else:
        with open_database(db) as con:
            err.print(KINDS)
            fail(f"every --workload: {', '.join(rules.workloads(con))}")


def _options_of(ctx: typer.Context) -> dict[str, str]:
    """Return the options of the command line by parameter; a flag that is off and an empty text count as left out."""
    named = {option.name or "": option.opts[0] for option in ctx.command.params}
    sources = {name: ctx.get_parameter_source(name) for name in named}
    given = [name for name, source in sources.items() if source and source.name == "COMMANDLINE"]
    return {name: named[name] for name in given if ctx.params[name] is not False and ctx.params[name] != ""}


def _refuse_without_effect(given: dict[str, str], question: rules.Question) -> None:
    """End the command if it has an option that the choice for a workload does not read beside the others."""
    renting, buying = question.acquisition == "rent", question.acquisition == "buy"
    for name, missing, is_unread in (
        ("electricity", "--buy", renting),
        ("hours", "--budget", renting and "budget" not in given),
        ("hours", "--electricity", buying and "electricity" not in given),
    ):
        if name in given and is_unread:
            fail(f"{given[name]} has no effect without {missing}; add {missing}, or leave it out")
    if "billing" in given and buying:
        fail("--billing has no effect with --buy; leave one of the two out")


def _refuse_others(given: dict[str, str]) -> None:
    """End the command if it has an option that the choice for a language model does not read."""
    by_hand = set(FIELDS) & set(given)
    asking = "--model" if by_hand or "model" in given else next(given[name] for name in given if name in OF_MODELS)
    for name, option in given.items():
        if name == "workload":
            fail(f"{asking} asks for a language model, {option} for other work; leave one of the two out")
        if name not in OF_MODELS | OF_BOTH:
            fail(f"{option} has no effect with {asking}; leave one of the two out")
    if "budget" in given and "buy" not in given:
        fail(f"--budget has no effect with {asking} without --buy; add --buy, or leave it out")
    if "objective" in given and "buy" in given:
        fail(
            f"--objective has no effect with {asking} and --buy, which orders by price per token a second; leave one of them out"
        )
    if "use" in given and "tune" in given:
        fail("--use has no effect with --tune, whose work is --tokens; leave one of the two out")
    if "tokens" in given and "tune" not in given:
        fail("--tokens has no effect without --tune; add --tune, or leave it out")
