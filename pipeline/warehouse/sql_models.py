"""SQL files with a comment header: metrics, which compute tables, and macros, which define functions.

A metric is one file `metrics/<subject>/<table>.sql`, a macro one file `macros/<name>.sql`: header and one statement.
The tables that a metric depends on are read from its SQL. Running the SQL belongs in `load`.
"""

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import duckdb

from pipeline.errors import BuildError
from pipeline.paths import MACROS, METRICS, ROOT
from pipeline.schema import RECORDS, Col, Column, Table

_HEADER_LINE = re.compile(r"--\s*(?P<key>[\w-]+):\s*(?P<value>.*)")
_METRIC_KEYS = {"title", "description", "group", "as-in", "column", "unique", "check"}
_MACRO_KEYS = {"title", "description", "parameter", "returns"}


class SqlFileError(BuildError):
    """A SQL file that breaks the format; the message names file, line and what to do."""


@dataclass(frozen=True, slots=True)
class SqlFile:
    """A SQL file: the values of each header key with their line numbers, and the statement."""

    path: Path
    header: dict[str, list[tuple[int, str]]]
    body: str

    def error(self, line: int, problem: str) -> SqlFileError:
        """Return the error for a problem at a line of this file."""
        name = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        return SqlFileError(f"{name} line {line}: {problem}")

    def one(self, key: str) -> str:
        """Return the text of a required key; repeated lines are joined."""
        if key not in self.header:
            raise self.error(1, f"no `-- {key}:` line; add one")
        return " ".join(value for _, value in self.header[key])

    def columns(self, key: str) -> dict[str, tuple[int, Col]]:
        """Return the `name | unit | text` lines of a key by name, with their line numbers."""
        columns: dict[str, tuple[int, Col]] = {}
        for line, value in self.header.get(key, []):
            parts = [part.strip() for part in value.split("|")]
            if len(parts) != 3 or not parts[0] or not parts[2]:
                raise self.error(line, f"`{key}` needs `name | unit | text`")
            if parts[0] in columns:
                raise self.error(line, f"{key} {parts[0]} is described twice; drop one")
            columns[parts[0]] = (line, Col(parts[2], unit=parts[1]))
        return columns

    def described(self, read: Mapping[str, Mapping[str, Col]]) -> dict[str, tuple[int, Col]]:
        """Return every `column`, and those that `as-in` lines, `table | names`, describe as a table does that the SQL reads."""
        columns = self.columns("column")
        for line, value in self.header.get("as-in", []):
            table, _, names = map(str.strip, value.partition("|"))
            for name in map(str.strip, names.split(",")):
                if name in columns or name not in read.get(table, ()):
                    raise self.error(line, f"as-in {table}: {name!r} is described twice, or the SQL reads no such column")
                columns[name] = (line, Col(read[table][name].text, unit=read[table][name].unit))
        return columns


@dataclass(frozen=True, slots=True)
class Metric:
    """A table that SQL computes. `reads` names the tables that the SQL reads, `columns` has line number and meaning by column."""

    name: str
    file: SqlFile
    reads: tuple[str, ...]
    columns: Mapping[str, tuple[int, Col]]

    @property
    def group(self) -> str:
        return self.file.one("group")

    @property
    def conditions(self) -> tuple[str, ...]:
        return tuple(value for _, value in self.file.header.get("check", []))

    def table(self, result: list[tuple[str, str]]) -> Table:
        """Return the declaration of the table, from the header and the names and types of the SELECT's columns.

        Raises SqlFileError if header and result differ.
        """
        types = dict(result)
        for name, (line, _) in self.columns.items():
            if name not in types:
                raise self.file.error(line, f"column {name} is described, but the SELECT does not return it")
        for name in types:
            if name not in self.columns:
                raise self.file.error(1, f"the SELECT returns {name}, but no `-- column: {name} | unit | text` describes it")
        key = tuple(part.strip() for part in self.file.one("unique").split(","))
        if unknown := set(key) - set(types):
            raise self.file.error(self.file.header["unique"][0][0], f"unique names {sorted(unknown)}, which are not columns")
        columns = tuple(Column(n, t, n not in key, self.columns[n][1]) for n, t in types.items())
        return Table(self.name, self.file.one("title"), self.file.one("description"), self.group, key, columns)


@dataclass(frozen=True, slots=True)
class Macro:
    """A function of the database: metrics, the command line and analysts call it."""

    name: str
    file: SqlFile

    @property
    def kind(self) -> str:
        return "MACRO TABLE" if self.file.body.lstrip().upper().startswith(("SELECT", "WITH", "FROM")) else "MACRO"

    def ddl(self) -> str:
        parameters = ", ".join(self.file.columns("parameter"))
        table = " TABLE" if self.kind == "MACRO TABLE" else ""
        return f"CREATE OR REPLACE MACRO {self.name}({parameters}) AS{table} ({self.file.body})"

    @property
    def parameters(self) -> dict[str, Col]:
        """Meaning and unit of each parameter, in the order of a call."""
        return {name: col for name, (_, col) in self.file.columns("parameter").items()}

    @property
    def returns(self) -> tuple[str, str]:
        """Unit and meaning of the result."""
        unit, _, text = self.file.one("returns").rpartition("|")
        return unit.strip(), text.strip()

    def comment(self) -> str:
        """Return its documentation in the database: meaning, each parameter with its unit, and the result."""
        parameters = "; ".join(f"{name} = {col.full_text}" for name, col in self.parameters.items())
        title, description, returns = (self.file.one(key) for key in ("title", "description", "returns"))
        return f"{title}. {description} Parameters: {parameters}. Returns: {returns}"


def read_sql_file(path: Path, keys: set[str]) -> SqlFile:
    """Split a file into header and statement. Raises SqlFileError on a header key that is not in `keys`."""
    header: dict[str, list[tuple[int, str]]] = {}
    lines = path.read_text(encoding="utf-8").splitlines()
    start = next((n for n, line in enumerate(lines) if line.strip() and not line.startswith("--")), len(lines))
    file = SqlFile(path, header, "\n".join(lines[start:]).strip().rstrip(";"))
    for number, line in enumerate(lines[:start], start=1):
        match = _HEADER_LINE.fullmatch(line.strip())
        if match and match["key"] not in keys:
            raise file.error(number, f"unknown header key {match['key']!r}; known are {', '.join(sorted(keys))}")
        if match:
            header.setdefault(match["key"], []).append((number, match["value"].strip()))
        elif line.strip():
            raise file.error(number, "the header has `-- key: value` lines only; put remarks below the first line of SQL")
    if not file.body:
        raise file.error(len(lines), "no SQL below the header; add one SELECT")
    return file


@functools.cache
def metrics(folder: Path = METRICS) -> dict[str, Metric]:
    """Return every metric by table name, in the order in which they can be computed. Files are read once."""
    file_of = {path.stem: _metric_file(path) for path in sorted(folder.rglob("*.sql"))}
    reads_of = dict(zip(file_of, tables_read(list(file_of.values())), strict=True))
    for name, reads in reads_of.items():
        if unknown := [read for read in reads if read not in file_of.keys() | RECORDS.keys()]:
            raise file_of[name].error(1, f"reads {unknown[0]}, which neither pipeline/schema nor pipeline/metrics declares")
    order = TopologicalSorter({name: [read for read in reads if read in file_of] for name, reads in reads_of.items()})
    try:
        names = list(order.static_order())
    except CycleError as error:
        *_, name = circle = error.args[1]
        raise file_of[name].error(1, f"tables read each other ({' -> '.join(circle)}); leave out one reading") from None
    cols = {name: {column.name: column.col for column in kind.__table__.columns} for name, kind in RECORDS.items()}
    metric_of: dict[str, Metric] = {}
    for name in names:
        described = file_of[name].described({read: cols[read] for read in reads_of[name]})
        cols[name] = {column: col for column, (_, col) in described.items()}
        metric_of[name] = Metric(name, file_of[name], reads_of[name], described)
    return metric_of


@functools.cache
def metric_sql(name: str) -> str:
    """Return the statement of one metric, for those who ask it anew. It reads one file, where `metrics` reads all."""
    (path,) = METRICS.rglob(f"{name}.sql")
    return read_sql_file(path, _METRIC_KEYS).body


@functools.cache
def macros() -> dict[str, Macro]:
    """Return every function by name, each after those that it calls. Files are read once."""
    macro_of = {path.stem: Macro(path.stem, read_sql_file(path, _MACRO_KEYS)) for path in sorted(MACROS.glob("*.sql"))}
    calls = {
        name: [other for other in macro_of if other != name and re.search(rf"\b{other}\s*\(", macro.file.body)]
        for name, macro in macro_of.items()
    }
    return {name: macro_of[name] for name in TopologicalSorter(calls).static_order()}


def _metric_file(path: Path) -> SqlFile:
    file = read_sql_file(path, _METRIC_KEYS)
    if path.stem in RECORDS:
        raise file.error(1, f"table {path.stem} is declared in pipeline/schema already; rename the file")
    return file


def tables_read(files: list[SqlFile]) -> Iterator[tuple[str, ...]]:
    """Yield the tables that the statement of each file reads. Raises SqlFileError."""
    for file, tree in zip(files, _parse([file.body for file in files]), strict=True):
        if tree["error"]:
            raise file.error(1, f"the SQL does not parse: {tree['error_message']}")
        if len(tree["statements"]) != 1:
            raise file.error(1, f"{len(tree['statements'])} statements; keep one SELECT")
        yield _tables_in(tree)


def tables_of(*statements: str) -> tuple[str, ...]:
    """Return the tables that any of the statements reads. Raises BuildError if one does not parse."""
    trees = list(_parse(statements))
    if wrong := [tree["error_message"] for tree in trees if tree["error"]]:
        raise BuildError(f"the SQL does not parse: {wrong[0]}")
    return _tables_in(trees)


def _parse(statements: Sequence[str]) -> Iterator[dict[str, Any]]:
    with duckdb.connect() as con:
        con.execute("SET enable_progress_bar = false")  # which worker processes print on a busy machine
        texts = con.execute("SELECT json_serialize_sql(unnest(?))", [statements]).fetchall()
    return (json.loads(text) for (text,) in texts)


def _tables_in(tree: object) -> tuple[str, ...]:
    """Return the tables that parsed statements read, without those that they define themselves."""
    tables, ctes = set[str](), set[str]()
    _collect_names(tree, tables, ctes)
    return tuple(sorted(tables - ctes))


def _collect_names(node: object, tables: set[str], ctes: set[str]) -> None:
    """Add the table names and CTE names of a parsed statement, as DuckDB's json_serialize_sql returns it."""
    if isinstance(node, list):
        for item in node:
            _collect_names(item, tables, ctes)
    if not isinstance(node, dict):
        return
    if node.get("type") == "BASE_TABLE":
        tables.add(node["table_name"])
    if "cte_map" in node:
        ctes.update(entry["key"] for entry in node["cte_map"]["map"])
    for value in node.values():
        _collect_names(value, tables, ctes)
