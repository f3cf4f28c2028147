"""The part of `recommend` for language models: GPUs ranked by the cost of tokens or of a fine-tuning job, or by their speed."""

from dataclasses import dataclass, replace

import duckdb

from pipeline.cli.llm.fits import ask_model, choose_context, set_terms
from pipeline.cli.output import Format, err, fail, write_rows
from pipeline.llm import choice, memory
from pipeline.llm.choice import Choice
from pipeline.llm.memory import Question

COLUMNS = (
    "place", "gpu_id", "gpus", "tokens_per_s", "low", "high", "basis", "usd_per_million", "usd_per_hour", "provider", "price_date",
    "needed_gb",
)  # fmt: skip


# each use with the load that its speed is of
USES = """
    SELECT use, format('{} (speed at {:.0f} request{} of {} + {} tokens at a time)', use, concurrency,
        CASE WHEN concurrency > 1 THEN 's' ELSE '' END, prompt_tokens, output_tokens)
    FROM llm_use ORDER BY use
"""
SEVERAL = 8  # users from which chat, 64 requests at a time, is nearer than one


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTerms:
    """Options of `recommend` that describe a language model and its use; empty ones have the defaults of `fits`."""

    model: str
    by_hand: dict[str, float]
    quantization: str
    context: int | None
    users: int
    use: str
    tune: str
    tokens: float

    @property
    def chosen_use(self) -> str:
        return self.use or ("single" if self.users < SEVERAL else "chat")


def recommend_model(con: duckdb.DuckDBPyConnection, terms: ModelTerms, objective: str, form: Format) -> None:
    """Print the GPUs for a model; a name or figure that is not known ends the command."""
    if objective not in choice.OBJECTIVES:
        fail(f"--objective {objective!r}: a language model is ranked by {' or '.join(choice.OBJECTIVES)}")
    uses = dict(con.execute(USES).fetchall())
    if terms.chosen_use not in uses:
        fail(f"--use {terms.use!r} is none of {', '.join(uses)}")
    if not 1e3 <= terms.tokens <= 1e15:
        fail(f"--tokens: {terms.tokens:g} is not between 1000 and 1e15")
    question = _question(con, terms)
    work = f"{question.tune}, {terms.tokens:g} tokens" if question.tune else uses[terms.chosen_use]
    choices = choice.choose(con, question, terms.chosen_use, objective, predict=True)
    _write(con, choices, question, terms, work, form)


def _question(con: duckdb.DuckDBPyConnection, terms: ModelTerms) -> Question:
    usual = "q4_k_m" if terms.chosen_use == "single" and not terms.tune else ""  # one user: the common GGUF file
    question = set_terms(con, ask_model(con, terms.model, terms.by_hand), terms.tune, terms.quantization or usual, "bf16")
    context = terms.context if terms.context is not None or terms.tune else _use_tokens(con, terms.chosen_use)
    question = replace(question, context_tokens=choose_context(question, context), users=terms.users)
    for field, problem in memory.faults(question):
        fail(f"--{field.removesuffix('_tokens')}: {problem}")
    return question


def _use_tokens(con: duckdb.DuckDBPyConnection, use: str) -> int | None:
    """Return the tokens of a request of the use, which its speed is of; None for one user, whose conversation grows."""
    rows = con.execute("SELECT prompt_tokens + output_tokens FROM llm_use WHERE use = ? AND concurrency > 1", [use]).fetchall()
    return int(rows[0][0]) if rows else None


def _write(
    con: duckdb.DuckDBPyConnection, choices: list[Choice], question: Question, terms: ModelTerms, work: str, form: Format
) -> None:
    job = ["usd_per_job", "hours"] if question.tune else []
    rows = [
        [
            *(_rounded(getattr(one, name)) for name in COLUMNS),
            *(_job(one, terms.tokens) if job else ()),
            one.reason and f"out: {one.reason}",
        ]
        for one in choices
    ]
    write_rows([*COLUMNS, *job, "reason"], rows, form)
    memory_of = f"memory for {question.context_tokens:,} tokens x {question.users}"
    asked = f"{question.llm_model_id or 'the configuration'} as {question.quantization}, {work}; {memory_of}"
    if not choices[0].place:
        err.print(f"{asked}: no GPU meets every limit; see the last column for the limit that each one fails.")
    elif choices[0].tokens_per_s is None:
        err.print(f"{asked}: {_unknown(question)}, so the GPUs that it fits are ranked by price per hour.")
    else:
        err.print(f"{asked}. {_advice(con, choices[0])} {'T' if question.tune else 'Output t'}okens at a steady load, on demand.")


def _advice(con: duckdb.DuckDBPyConnection, best: Choice) -> str:
    """Return what to rent from whom, at which cost and speed."""
    named = con.execute("SELECT name FROM provider WHERE provider_id = ? AND name IS NOT NULL", [best.provider]).fetchone()
    seller = named[0] if named else best.provider
    gpus = f"{best.gpus} x " if (best.gpus or 1) > 1 else ""
    cost = f"{best.usd_per_million:.3g} USD per million tokens at {best.tokens_per_s:.3g} tokens/s"
    return f"Rent {gpus}{best.name} from {seller}: {cost}."


def _unknown(question: Question) -> str:
    """Return why the question has no speed."""
    if question.llm_model_id is None and not memory.has_sizes(question):
        return "its speed depends on --heads, --hidden and --vocabulary"
    return f"the speed of this model as {question.quantization} in this use is not known"


def _job(one: Choice, tokens: float) -> tuple[object, object]:
    if one.usd_per_million is None or one.tokens_per_s is None:
        return None, None
    return _rounded(one.usd_per_million * tokens / 1e6), _rounded(tokens / one.tokens_per_s / 3600)


def _rounded(value: object) -> object:
    return float(f"{value:.6g}") if isinstance(value, float) else value
