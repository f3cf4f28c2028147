"""Shared by the commands: tables, CSV and JSON on stdout, one-line errors on stderr, the published database."""

import csv
import datetime as dt
import functools
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NoReturn

import duckdb
import typer
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from pipeline import paths
from pipeline.build_lock import BuildLockedError
from pipeline.errors import BuildError, OptionError
from pipeline.release.publish import DATABASE
from pipeline.spreadsheets import defused
from pipeline.warehouse import connection
from pipeline.warehouse.connection import QUERY_INTERRUPTED

PIPE_WIDTH = 1000  # a pipe has no edge to wrap at
err = Console(stderr=True, highlight=False, soft_wrap=True)


Format = Literal["table", "csv", "json"]
DatabaseOption = Annotated[Path | None, typer.Option("--db", help="Database to use; default: that of the last build.")]
FormatOption = Annotated[Format, typer.Option("--format", help="Output format.")]


def fail(message: str, code: int = 2) -> NoReturn:
    """Print one line to stderr and end with the exit code."""
    err.print(Text(message, style="red"))
    raise typer.Exit(code)


def progress(*, disable: bool = False, **options: Any) -> Progress:
    """Return a progress bar on stderr, which disappears at the end. Where there is no terminal, it would leave an empty line."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=err, transient=True, disable=disable or not err.is_terminal, **options)


def _parse_date(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a date like 2026-11-20") from None


DateOption = functools.partial(typer.Option, parser=_parse_date, metavar="DATE")


class _PlainHelp:
    """The options of a command, where the help shows no type of value for those that take none."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options and arguments."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of the class beside this one
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class Command(_PlainHelp, TyperCommand):
    """A command whose wrong options, failures of the file system and other errors that a user can fix are one line each."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the options; a wrong one ends the command."""
        given = list(args)
        ctx = _parse(super().make_context, info_name, args, parent, **extra)
        for option in self.params:
            value = ctx.params.get(option.name or "")
            if isinstance(value, float) and not math.isfinite(value):
                fail(f"{option.opts[0]} {value} is not a finite number")
            paths_given = value if isinstance(value, list) else [value]
            if Path() in paths_given and ("" in given or f"{option.opts[0]}=" in given):  # else it is the working folder
                _fail_with_help(f"{option.opts[0]}: the path is empty", ctx.command_path)
        return ctx

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what a user can fix ends it, and so does a folder that another process has locked."""
        if "GPULEDGER_DATA" in os.environ and not paths.DATA.is_dir():
            fail(f"GPULEDGER_DATA: no folder {paths.DATA}; set it to a copy of data/, or unset it")
        try:
            return super().invoke(ctx)
        except BuildLockedError as error:
            fail(str(error), code=3)
        except BuildError as error:
            fail(str(error), code=2 if isinstance(error, OptionError) else 1)
        except BrokenPipeError:  # the reader of stdout has ended; Typer handles it
            raise
        except RuntimeError as error:
            if str(error) != QUERY_INTERRUPTED:
                raise
            raise KeyboardInterrupt from None
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            fail(f"{place}{error.strerror or error}; check the path, its permissions and free disk space, then try again", 1)


class Group(_PlainHelp, TyperGroup):
    """Commands under one name; a name that is none of them is one line, with the next step."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the options before the name of a command; a wrong one ends the program. Without arguments there is the help."""
        make = super().make_context
        return _parse(make, info_name, args, parent, **extra) if args else make(info_name, args, parent, **extra)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command of the first argument; an unknown one ends the program."""
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            _fail_with_help(_describe(error), ctx.command_path)


def _parse(make_context: Callable[..., Any], info_name: str | None, args: list[str], parent: Any, **extra: Any) -> Any:
    """Return the context of a command; a wrong option ends the program."""
    ctx, problem = None, ""
    try:
        ctx = make_context(info_name, args, parent, **extra)
    except typer.TyperException as error:
        problem = _describe(error)
    if problem:  # not in `except`: as the context of the exit, pydantic's error would be in a cycle that is never collected
        _fail_with_help(problem, f"{parent.command_path} {info_name}" if parent else info_name)
    return ctx


def _fail_with_help(problem: str, command: str | None) -> NoReturn:
    fail(f"{problem}{' Otherwise' if problem.endswith('?') else ';'} see `{command} --help`")


def _describe(error: typer.TyperException) -> str:
    """Return what is wrong on the command line, without the words of the library that found it."""
    if isinstance(error, typer.BadParameter) and isinstance(error.__cause__, ValidationError):
        option = getattr(error.param, "opts", None) or [""]
        return f"{option[0]} {_describe_value(error.__cause__)}"
    return error.format_message().rstrip(".")


def _describe_value(error: ValidationError) -> str:
    """Return what is wrong with the value of an option."""
    fault = error.errors()[0]
    kind, value, facts = fault["type"], fault["input"], fault.get("ctx", {})
    if isinstance(problem := facts.get("error"), ValidationError):  # of an option that may be repeated
        return _describe_value(problem)
    if problem:
        return str(problem).rstrip(".")
    if kind.startswith("int") or str(value).strip().lower().lstrip("+-") == "nan":
        return f"{value!r} is not a {'whole ' if kind.startswith('int') else ''}number"
    if "ge" in facts or "le" in facts:
        return f"{value} is below {facts['ge']:g}" if "ge" in facts else f"{value} is above {facts['le']:g}"
    return f"{value!r} is not a number" if kind.startswith("float") else f"{value!r}: {fault['msg']}"


def published(path: Path | None) -> Path:
    """Return the path of the published file, or the one given; a missing one ends the command."""
    if path and not (path.is_file() and path.stat().st_size):
        problem = "is a folder" if path.is_dir() else "is empty" if path.is_file() else "does not exist"
        fail(f"--db {display_path(path)} {problem}; name a file like {DATABASE}, or leave --db out to use the last build")
    if not path and not (paths.BUILD / DATABASE).exists():
        fail(f"no database at {display_path(paths.BUILD / DATABASE)}: run `make site` (or `gpuledger build`) first")
    return path or paths.BUILD / DATABASE


@contextmanager
def open_database(path: Path | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the published file read-only, without access to other files or the network; a missing one ends the command."""
    with open_database_and_files(path) as con:
        con.execute("SET enable_external_access = false")
        con.execute("SET lock_configuration = true")
        yield con


@contextmanager
def open_database_and_files(path: Path | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the published file read-only, with access to other files; a missing one ends the command."""
    is_named, path = path is not None, published(path)
    with ExitStack() as stack:
        try:
            con = stack.enter_context(connection.connect(path, read_only=True))
        except duckdb.Error as error:
            next_step = "name another file, or leave --db out to use the last build" if is_named else "run `gpuledger build`"
            fail(f"{'--db ' * is_named}{display_path(path)} cannot be opened ({str(error).splitlines()[0]}): {next_step}")
        try:
            yield con
        except (duckdb.CatalogException, duckdb.BinderException) as error:
            problem = str(error).splitlines()[0]
            fail(f"{display_path(path)} is of another version of gpuledger ({problem}): run `gpuledger build`")


def display_path(path: Path) -> str:
    """Format a path, relative to the working folder where it is below it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def write_rows(names: Sequence[str], rows: Sequence[Sequence[Any]], form: Format) -> None:
    """Print rows to stdout as a table, CSV or JSON."""
    if form == "json":
        finite = ([None if isinstance(v, float) and not math.isfinite(v) else v for v in row] for row in rows)
        records = [dict(zip(names, row, strict=True)) for row in finite]
        print(json.dumps(records, indent=1, ensure_ascii=False, default=str))
    elif form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows(
            [names, *(["" if v is None else defused(v) for v in row] for row in rows)]
        )
    else:
        _write_table(names, rows)


def _write_table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    table = Table(header_style="bold", box=None, pad_edge=False)
    for position, name in enumerate(names):
        numeric = bool(rows) and all(type(row[position]) in (int, float, NoneType) for row in rows)
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    Console(width=None if sys.stdout.isatty() else PIPE_WIDTH).print(table)


def rounded(value: object) -> object:
    """Return a number with six digits, and any other value as it is."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
