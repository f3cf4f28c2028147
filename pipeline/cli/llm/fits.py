"""The command `fits`: whether a language model fits the memory of a GPU, with the arithmetic."""

from dataclasses import replace
from typing import Annotated, Any, NoReturn

import duckdb
import typer

from pipeline.cli.gpu_option import find_gpu
from pipeline.cli.llm import by_hand as sizes
from pipeline.cli.output import DatabaseOption, Format, FormatOption, err, fail, open_database, write_rows
from pipeline.llm import memory
from pipeline.llm.alternatives import find_options
from pipeline.llm.arithmetic import explain, percent_less_than_sold
from pipeline.llm.memory import Fit, Question

BY_HAND = "--params 8e9 --layers 32 --kv-heads 8 --head-dim 128"
# option of each field, for errors
OPTIONS = {field: f"--{name.replace('_', '-')}" for name, field in sizes.FIELDS.items()}
OPTIONS |= {"context_tokens": "--context", "users": "--users", "gpus": "--gpus"}


def fits(
    ctx: typer.Context,
    gpu: Annotated[str, typer.Option(metavar="G", help="GPU, by gpu_id, name or label.")],
    model: Annotated[str, typer.Option(metavar="M", help="Language model, by any of its names.")] = "",
    gpus: Annotated[int, typer.Option(metavar="N", help="Number of GPUs that work together.")] = 1,
    quantization: Annotated[
        str,
        typer.Option(
            "--quantization",
            "--quantisation",
            metavar="Q",
            help="Stored type of the weights, like bf16, fp8 or q4_k_m; default: as published, or 16 bits if that type is not known.",
        ),
    ] = "",
    context: Annotated[
        int | None, typer.Option(metavar="N", help="Tokens per user, prompt and output; default 8192, or 2048 for tuning.")
    ] = None,
    users: Annotated[int, typer.Option(metavar="N", help="Users at a time; with --tune, sequences per GPU.")] = 1,
    tune: Annotated[memory.Tune | None, typer.Option(help="Fine-tune the model.")] = None,
    kv_type: Annotated[memory.KvType, typer.Option(help="Type of the KV cache.")] = "bf16",
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
    """Check whether a language model fits a GPU.

    Prints the arithmetic and the nearest options. Exit code 0: it fits, 1: it does not.

    Example: gpuledger fits --model llama-3.1-8b --gpu "RTX 4090" --quantization q4_k_m --context 16384
    """
    with open_database(db) as con:
        gpu_id = find_gpu(con, gpu)
        asked = ask_model(con, model, sizes.collect_sizes(ctx))
        if not (tune or quantization):
            _note_assumed_type(con, asked)
        question = set_terms(con, asked, tune, quantization, kv_type)
        question = complete(question, context, users, gpus)
        answers = memory.answer(con, [question], gpu_id)
        if not answers:
            _refuse_board(con, gpu_id)
        _report(con, question, answers[0], form)


def _refuse_board(con: duckdb.DuckDBPyConnection, gpu_id: str) -> NoReturn:
    """End the command for several GPUs on one board, with the name of one of them."""
    sql = """SELECT one.gpu_id FROM gpu JOIN gpu AS one ON one.gpu_model_id = gpu.gpu_model_id AND is_one_device(one.name)
        WHERE gpu.gpu_id = ?"""
    one = con.execute(sql, [gpu_id]).fetchone()
    hint = f"ask for one of them: --gpu {one[0]}" if one else "the data have no row of one of them"
    fail(f"{gpu_id} is several GPUs on one board, and none of them has the memory of the board; {hint}")


def _note_assumed_type(con: duckdb.DuckDBPyConnection, asked: Question) -> None:
    """Print that 16 bits are assumed, if the type in which a known model was published is not known."""
    if asked.llm_model_id and memory.native_quantization(con, asked.llm_model_id) is None:
        err.print(
            f"The type in which {asked.llm_model_id} is published is not known here. 16 bits are assumed: "
            "--quantization chooses another."
        )


def ask_model(con: duckdb.DuckDBPyConnection, model: str, by_hand: dict[str, Any]) -> Question:
    """Return the question of a known model, or of a configuration by hand; an unknown model ends the command with the nearest names."""
    if not model:
        return _by_hand(by_hand)
    if by_hand:
        fail(f"{OPTIONS[next(iter(by_hand))]} describes a model by hand; leave out --model, or leave out the configuration")
    llm_model_id, near = memory.find_model(con, model)
    if llm_model_id is None:
        hint = f"did you mean {', '.join(near)}?" if near else 'see: gpuledger query "SELECT name FROM llm_model".'
        fail(f"no model {model!r}; {hint} Or give its configuration: {BY_HAND}")
    if model.lower() != llm_model_id:
        err.print(f"Model: {llm_model_id}")
    question = memory.model_question(con, llm_model_id)
    return question or fail(f"the configuration of {llm_model_id} is incomplete in the data; give it by hand: {BY_HAND}")


def _by_hand(given: dict[str, Any]) -> Question:
    if not given:
        fail(f"--model is missing: name a language model, such as llama-3.1-8b, or give its sizes, like {BY_HAND}")
    for field in ("n_parameters", "n_layers", "n_kv_heads", "head_dim"):
        if field not in given:
            fail(f"{OPTIONS[field]} is missing: give --model, or a configuration like {BY_HAND}")
    return Question(**given, n_full_layers=given["n_layers"])


def set_terms(
    con: duckdb.DuckDBPyConnection, question: Question, tune: memory.Tune | None, quantization: str, kv_type: str
) -> Question:
    """Return the question with stored types and tuning method; an unknown type of the weights ends the command."""
    stored = memory.STORED.get(tune or "") or memory.native_quantization(con, question.llm_model_id) or memory.ASSUMED
    name, known = memory.find_quantization(con, quantization or stored)
    if name is None:
        fail(f"--quantization {quantization!r} is not one of {', '.join(known)}")
    stored_types = memory.stored_types(con, question.llm_model_id)
    if question.llm_model_id and not tune and name not in stored_types:
        offered = ", ".join(one for one in stored_types if one not in ("fp16", "fp32"))
        fail(
            f"--quantization {quantization}: {question.llm_model_id} has no such weights; it is published as {stored}, and has {offered}"
        )
    if tune and name != stored and quantization:
        fail(f"--quantization {quantization}: --tune {tune} stores the weights as {stored}; leave one of the two out")
    (value,) = con.execute("SELECT bytes_per_weight FROM llm_quantization WHERE quantization = ?", [kv_type]).fetchall()
    stored_question = memory.with_quantization(con, question, name)
    return replace(stored_question, kv_bytes_per_value=value[0], tune=tune)


def complete(question: Question, context: int | None, users: int, gpus: int = 1) -> Question:
    """Return the question for these tokens, users and GPUs; a value that no model can have ends the command."""
    question = replace(question, context_tokens=_choose_context(question, context), users=users, gpus=gpus)
    for field, problem in memory.faults(question):
        fail(f"{OPTIONS.get(field, field)}: {problem}")
    return question


def _choose_context(question: Question, asked: int | None) -> int:
    if asked is not None:
        return asked
    default = memory.TUNING_CONTEXT if question.tune else memory.DEFAULT_CONTEXT
    return min(default, question.model_context_tokens or default)


def _report(con: duckdb.DuckDBPyConnection, question: Question, fit: Fit, form: Format) -> None:
    """Print the arithmetic and, if it does not fit, the options; end the command with the code of the verdict."""
    rows = explain(con, question, fit)
    stored = f"with weights as {question.quantization}"
    options = [] if fit.fits and fit.runs is not False else find_options(con, question, fit)
    rows += [("option", one.gpu_gb, f"with {one.change}: {one.note}") for one in options]
    write_rows(
        ["item", "gb", "arithmetic"], [[name, None if gb is None else round(gb, 2), text] for name, gb, text in rows], form
    )
    if fit.fits and fit.runs is not False:
        less = percent_less_than_sold(con, fit)
        sold = f" by the size as sold. No reading of its driver is known, and on other GPUs programs see up to {less}% less"
        unsure = (
            f" Whether {fit.engine} runs on this GPU {stored} is not known." if fit.runs is None and not question.tune else ""
        )
        err.print(f"Fits{sold if less else ''}.{unsure}")
        return
    verdict = f"The memory suffices, but {fit.engine} does not run on this GPU {stored}." if fit.fits else "Does not fit."
    err.print(verdict + (" The options above fit." if options else " No option fits."))
    raise typer.Exit(1)
