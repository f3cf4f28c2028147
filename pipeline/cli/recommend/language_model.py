"""The part of `recommend` for language models: GPUs ranked by the cost of tokens or of a fine-tuning job, or by their speed."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import duckdb

from pipeline.cli.llm.fits import ask_model, complete, set_terms
from pipeline.cli.output import Format, err, fail, rounded, write_rows
from pipeline.cli.recommend.options import check_vendor
from pipeline.llm import memory
from pipeline.llm.memory import Question, speed_type
from pipeline.llm.request_load import Load, change_load, read_loads
from pipeline.recommend import language_model
from pipeline.recommend.language_model import Limits, RankedGpu
from pipeline.recommend.other_billing import find_cheaper
from pipeline.recommend.to_buy import LAST_KNOWN, MACHINES, ToBuy, to_buy
from pipeline.warehouse.connection import dictionaries

COLUMNS = (
    "rank", "gpu_id", "gpus", "copies", "quantization", "tokens_per_s", "low", "high", "basis", "usd_per_million", "usd_per_hour", "provider", "price_date",
    "variant_stated", "needed_gb", "at_once",
)  # fmt: skip

# the table has room for these; CSV and JSON have all
IN_TABLE = (
    "rank", "gpu_id", "gpus", "quantization", "tokens_per_s", "usd_per_million", "usd_per_hour", "provider", "price_date", "variant_stated",
)  # fmt: skip

PURCHASE_COLUMNS = (
    "gpu_id", "gpus", "quantization", "usd_per_token_s", "usd", "machine_usd", "kind", "price_date", "tokens_per_s", "low", "high", "basis", "needed_gb", "at_once", "reason",
)  # fmt: skip

_WITHOUT_RANK = "Cheaper by a prediction that spans more than a factor of 2, so without a rank"
_KINDS = {"purchase_new": "new", "purchase_used": "used", "msrp": "launch price"}
_TERMS = {
    "marketplace": "Cheaper on a marketplace of independent hosts",
    "spot": "Cheaper as a spot rental, which may end at any time",
}
Answer = tuple[list[Question], str, list[RankedGpu]]  # one question per type, the work in words, the GPUs


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTerms:
    """Options of `recommend` that describe a language model and its use. Empty ones have defaults, except `model` by hand."""

    model: str
    by_hand: dict[str, float]
    quantization: str
    context: int | None
    users: int | None
    use: str
    tune: memory.Tune | None
    tokens: float
    limits: Limits
    buy: bool
    budget: float | None


def recommend_model(con: duckdb.DuckDBPyConnection, terms: ModelTerms, objective: str, form: Format) -> None:
    """Print the GPUs for a model; a name or figure that is not known ends the command."""
    if objective not in language_model.OBJECTIVES:
        fail(f"--objective {objective!r}: a language model is ranked by {' or '.join(language_model.OBJECTIVES)}")
    if not 1e3 <= terms.tokens <= 1e15:
        fail(f"--tokens: {terms.tokens:g} is not between 1000 and 1e15")
    check_vendor(con, terms.limits.vendor)
    if terms.limits.gpus not in (None, *memory.COUNTS):
        fail(
            f"--gpus {terms.limits.gpus}: a language model is compared on {_one_of(map(str, memory.COUNTS))} GPUs; ask for one of these"
        )
    questions, work, choices = (_tuned if terms.tune else _served)(con, terms, objective)
    if terms.buy:
        _print_purchases(con, terms, questions[0], choices, form)
        return
    in_table = (*IN_TABLE, "at_once") if questions[0].may_wait else IN_TABLE
    write_rows(*_table(choices, terms, in_table if form == "table" else COLUMNS), form)
    types = _one_of(one.quantization for one in questions)
    asked = f"{questions[0].llm_model_id or 'the configuration'} as {types}, {work}"
    err.print(_answer(con, choices, asked, questions[0]) + _older_speeds(con, choices))
    cheaper = find_cheaper(con, choices) if objective == "cheapest" else None
    if cheaper:
        price = f"{cheaper.usd_per_hour:.3g} USD an hour on {cheaper.price_date}"
        err.print(f"{_TERMS[cheaper.billing]}, {price}: {_cost(con, cheaper)}")


def _one_of(names: Iterable[str]) -> str:
    *others, last = names
    return " or ".join([", ".join(others), last] if others else [last])


def _print_purchases(
    con: duckdb.DuckDBPyConnection, terms: ModelTerms, question: Question, choices: list[RankedGpu], form: Format
) -> None:
    """Print the GPUs to buy within the budget, cheapest per token a second first."""
    found = to_buy(dictionaries(con.execute(LAST_KNOWN)), dictionaries(con.execute(MACHINES)), choices)
    if not found:
        fail("no GPU has both a known speed with this model and a known price; try fewer --users, or another --quantization")
    within = [one for one in found if terms.budget is None or one.usd <= terms.budget]
    rows = [[rounded(value) for value in _purchase(one)] for one in within]
    write_rows(list(PURCHASE_COLUMNS), rows, form)
    if not within:
        fail(f"the cheapest GPU with a known speed and price costs {min(one.usd for one in found):,.0f} USD; raise --budget")
    err.print(_purchase_advice(con, within[0], terms) + _waiting(within[0].choice, question) + _cheaper_purchase(within))


def _purchase_advice(con: duckdb.DuckDBPyConnection, best: ToBuy, terms: ModelTerms) -> str:
    gpu = best.choice
    gpus = f"{gpu.gpus} x " if (gpu.gpus or 1) > 1 else ""
    price = f"{best.usd:,.0f} USD, the last known price ({_KINDS[best.price['kind']]}, {best.price['price_date']})"
    assumed = ", an assumption" if best.machine["assumed"] else ""
    machine = f"with the rest of the machine, which counts as {best.machine['usd']:,.0f} USD{assumed}"
    text = f"{gpus}{gpu.name}: {price}. {best.usd_per_token_s:.3g} USD per token a second, {machine}."
    text += _half_precision(con, gpu, terms.tune)
    if gpu.unranked:
        return f"No GPU has a rank, because every predicted speed spans more than a factor of 2. First by prediction: {text}"
    return f"Buy {text}"


def _cheaper_purchase(found: list[ToBuy]) -> str:
    """Return the cheapest purchase without a rank, if the first one has a rank and costs more; else nothing."""
    wide = [one for one in found if one.choice.unranked and not one.price["is_old"]]
    if not wide or found[0].choice.unranked or wide[0].usd_per_token_s >= found[0].usd_per_token_s:
        return ""
    gpu = wide[0].choice
    gpus = f"{gpu.gpus} x " if (gpu.gpus or 1) > 1 else ""
    low, high = (f"{float(f'{end or gpu.tokens_per_s:.3g}'):,g}" for end in (gpu.low, gpu.high))
    return f" {_WITHOUT_RANK}: {gpus}{gpu.name}, {wide[0].usd:,.0f} USD, {wide[0].usd_per_token_s:.3g} USD per token a second, {low} to {high} tokens/s."


def _purchase(one: ToBuy) -> tuple[object, ...]:
    gpu = one.choice
    price = (one.usd_per_token_s, one.usd, one.machine["usd"], one.price["kind"], one.price["price_date"])
    return (
        gpu.gpu_id,
        gpu.gpus,
        gpu.quantization,
        *price,
        gpu.tokens_per_s,
        gpu.low,
        gpu.high,
        gpu.basis,
        gpu.needed_gb,
        gpu.at_once,
        _unsure(one),
    )


def _unsure(one: ToBuy) -> str:
    """Return why a purchase has no rank; nothing for a ranked one."""
    old = "its price is older than 12 months" if one.price["is_old"] else ""
    wide = "its predicted speed spans more than a factor of 2" if one.choice.unranked else ""
    return "unranked: " + ", and ".join(filter(None, (old, wide))) if old or wide else ""


def _tuned(con: duckdb.DuckDBPyConnection, terms: ModelTerms, objective: str) -> Answer:
    question = _ask(con, terms, terms.quantization, terms.context, 1 if terms.users is None else terms.users)
    work = (
        f"{question.tune}, {terms.tokens:,.0f} tokens; sequences of {question.context_tokens:,} tokens, {question.users} per GPU"
    )
    return [question], work, language_model.answer(con, question, terms.tune or "", objective, terms.limits)


def _served(con: duckdb.DuckDBPyConnection, terms: ModelTerms, objective: str) -> Answer:
    load = _load(con, terms)
    questions = _questions(con, terms, load)
    split = f"; they share --context as in {load.use}" if load.tokens == terms.context and not load.is_stored else ""
    return (
        questions,
        _work(load, questions[0]) + split,
        language_model.answer_for_load(con, questions, load, objective, terms.limits),
    )


def _load(con: duckdb.DuckDBPyConnection, terms: ModelTerms) -> Load:
    """Return the load of the use, with the reader's number of users and tokens where given."""
    loads = read_loads(con)
    use = terms.use or ("chat" if (terms.users or 1) > 1 else "single")
    load = loads.get(use) or fail(
        f"--use {terms.use!r} is not one of {', '.join(f'{one.use} ({one})' for one in loads.values())}"
    )
    users = load.concurrency if terms.users is None else terms.users
    if load.concurrency == 1 and users > 1:
        fail(f"--users {users}: --use {load.use} is one user; leave one of the two out")
    if terms.context is None or (load.concurrency == 1 and terms.context == memory.DEFAULT_CONTEXT):
        return change_load(load, load.tokens, int(users))
    return change_load(load, terms.context, int(users))


def _questions(con: duckdb.DuckDBPyConnection, terms: ModelTerms, load: Load) -> list[Question]:
    """Return the question in each type to compare: the one asked for, else the usual file of one user, else those that vLLM serves.

    Memory has room for every request of the load, unless they may wait; for one user, whose conversation grows, for the default context.
    """
    grows = load.concurrency == 1 and load.is_stored
    context = load.tokens if terms.context is None and not grows else terms.context
    asked = replace(_ask(con, terms, terms.quantization, context, int(load.concurrency)), may_wait=load.may_wait)
    if terms.quantization:
        return [asked]
    single = load.use == "single"
    types = [memory.local_type(con, asked.llm_model_id)] if single else memory.served_types(con, asked.llm_model_id)
    return [memory.with_quantization(con, asked, one) for one in types]


def _ask(con: duckdb.DuckDBPyConnection, terms: ModelTerms, quantization: str, context: int | None, users: int) -> Question:
    question = set_terms(con, ask_model(con, terms.model, terms.by_hand), terms.tune, quantization, "bf16")
    return complete(question, context, users)


def _work(load: Load, question: Question) -> str:
    """Return the load in words; memory has room for the same tokens, or for the conversation of one user."""
    room = f" in a conversation of up to {question.context_tokens:,} tokens" if question.context_tokens != load.tokens else ""
    return f"{load.use}: {load}{room}"


def _table(choices: list[RankedGpu], terms: ModelTerms, columns: tuple[str, ...]) -> tuple[list[str], list[list[object]]]:
    """Return the names of the columns and the rows."""
    job = ["usd_per_job", "hours"] if terms.tune else []
    rows = [
        [*(rounded(getattr(one, name)) for name in columns), *(_job(one, terms.tokens) if job else ()), _reason(one)]
        for one in choices
    ]
    return [*columns, *job, "reason"], rows


def _reason(one: RankedGpu) -> str:
    """Return why the GPU has no rank; nothing for a ranked one."""
    unranked = "unranked: its predicted speed spans more than a factor of 2" if one.unranked else ""
    return f"out: {one.reason}" if one.reason else unranked


def _answer(con: duckdb.DuckDBPyConnection, choices: list[RankedGpu], asked: str, question: Question) -> str:
    if choices[0].unranked and not choices[0].reason:
        text = f"{asked}: no GPU has a rank, because every predicted speed spans more than a factor of 2."
        return f"{text} First by prediction: {_cost(con, choices[0])}{_waiting(choices[0], question)}"
    if not choices[0].rank:
        return f"{asked}: no GPU meets every limit; see the last column for the limit that each one fails."
    if choices[0].tokens_per_s is None:
        return f"{asked}: {_unknown(question)}, so the GPUs that it fits are ranked by price per hour."
    half = _half_precision(con, choices[0], question.tune)
    what = "T" if question.tune else "Output t"
    return f"{asked}. Rent {_cost(con, choices[0])} {what}okens at a steady load, on demand.{_waiting(choices[0], question)}{half}{_cheaper_rental(con, choices)}"


def _waiting(best: RankedGpu, question: Question) -> str:
    """Return how many requests of an offline batch are in memory at a time, if it has no room for all; else nothing."""
    if not best.at_once or best.at_once >= question.users:
        return ""
    copies = " of each copy" if best.copies > 1 else ""
    return f" {best.at_once} of {question.users} requests{copies} at once, the rest wait."


def _cheaper_rental(con: duckdb.DuckDBPyConnection, choices: list[RankedGpu]) -> str:
    """Return the cheapest GPU without a rank, if it costs less than the first; else nothing."""
    wide = [one for one in choices if one.unranked and not one.reason and one.usd_per_million]
    best = min(wide, key=lambda one: (one.usd_per_million or 0, one.gpu_id), default=None)
    if best is None or (best.usd_per_million or 0) >= (choices[0].usd_per_million or 0):
        return ""
    return f" {_WITHOUT_RANK}: {_cost(con, best)}"


def _older_speeds(con: duckdb.DuckDBPyConnection, choices: list[RankedGpu]) -> str:
    """Return which version of vLLM measured AMD GPUs; empty where none is compared."""
    compared = [one.gpu_id for one in choices if one.tokens_per_s and speed_type(one.quantization) in memory.SERVED]
    has_amd = con.execute("SELECT 1 FROM gpu WHERE vendor = 'AMD' AND list_contains(?::VARCHAR[], gpu_id)", [compared]).fetchone()
    text = " In vLLM, AMD GPUs were measured in the version of 2024 alone, with 16-bit weights: newer ones may be faster."
    return text if has_amd else ""


def _half_precision(con: duckdb.DuckDBPyConnection, one: RankedGpu, tune: str | None) -> str:
    """Return what a fine-tune on a GPU without BF16 needs; empty for other work and GPUs."""
    sql = "SELECT 1 FROM gpu WHERE gpu_id = ? AND vendor = 'NVIDIA' AND TRY_CAST(compute_capability AS DOUBLE) < 8"
    lacks_bf16 = tune and con.execute(sql, [one.gpu_id]).fetchone()
    return " It has no BF16, so it trains in FP16 with loss scaling." if lacks_bf16 else ""


def _cost(con: duckdb.DuckDBPyConnection, best: RankedGpu) -> str:
    """Return the GPUs with their seller, cost and speed."""
    named = con.execute("SELECT name FROM provider WHERE provider_id = ? AND name IS NOT NULL", [best.provider]).fetchone()
    seller = named[0] if named else best.provider
    gpus = f"{best.gpus} x " if (best.gpus or 1) > 1 else ""
    cost = f"{best.usd_per_million:.3g} USD per million tokens at {float(f'{best.tokens_per_s:.3g}'):,g} tokens/s"
    cost += f" in {best.copies} copies of the model, each with its own requests" if best.copies > 1 else ""
    return f"{gpus}{best.name} from {seller}, weights as {best.quantization}: {cost}."


def _unknown(question: Question) -> str:
    """Return why the question has no speed."""
    if question.llm_model_id is None and not memory.has_sizes(question):
        return "its speed depends on --heads, --hidden and --vocabulary"
    return f"the speed of this model as {question.quantization} in this use is not known"


def _job(one: RankedGpu, tokens: float) -> tuple[object, object]:
    """Return what the job costs, which a GPU without a price lacks, and its hours."""
    usd = None if one.usd_per_million is None else rounded(one.usd_per_million * tokens / 1e6)
    return usd, rounded(tokens / one.tokens_per_s / 3600) if one.tokens_per_s else None
