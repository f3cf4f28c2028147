"""How a table is declared: a typed record whose fields carry meaning, unit and check.

One class is at once the row that a parser yields and the declaration that DDL, comments, dictionary,
datapackage, Croissant and blocking checks are derived from. The declarations themselves stand in the
sibling modules; what is derived from them in `ddl` and `checks`.
"""

import dataclasses
import datetime as dt
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass

SQL_TYPES: dict[type, str] = {
    str: "VARCHAR",
    int: "BIGINT",
    float: "DOUBLE",
    bool: "BOOLEAN",
    dt.date: "DATE",
    dt.datetime: "TIMESTAMP",
}


@dataclass(frozen=True, slots=True)
class Col:
    """What a field's annotation says about its column.

    `between` is the physical range, ends included; `check` is any further SQL condition over one row that
    must not be false (an unknown value passes); `values` is the closed vocabulary; `references` is the `table.column` whose values it takes;
    `filled` marks a column that the loader sets, not the parser (the field then has a default).
    """

    text: str
    unit: str = ""
    between: tuple[float, float] | None = None
    check: str = ""
    values: tuple[str, ...] = ()
    references: str = ""
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table, ready to be written as SQL or as documentation."""

    name: str
    sql_type: str
    nullable: bool
    col: Col


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its name, what a row is, its key and its columns. A leading underscore = not published."""

    name: str
    title: str
    description: str
    group: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def published(self) -> bool:
        return not self.name.startswith("_")

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


class Record:
    """Base of every declared row."""

    __slots__ = ()
    __table__: typing.ClassVar[Table]


R = typing.TypeVar("R", bound=Record)


@typing.dataclass_transform(kw_only_default=True, frozen_default=True)
def row(cls: type[R]) -> type[R]:
    """Make the class a dataclass of keywords, which type checkers keep frozen.

    At run time a frozen one would take six times as long to make, and there are millions.
    """
    return dataclass(slots=True, kw_only=True, unsafe_hash=True)(cls)


@typing.dataclass_transform(kw_only_default=True, frozen_default=True)
def record(
    name: str, *, title: str, text: str, group: str, key: tuple[str, ...]
) -> Callable[[type[R]], type[R]]:
    """Declare the class as the table `name`: makes it a `row` and hangs a `Table` on it."""

    def declare(cls: type[R]) -> type[R]:
        made = row(cls)
        made.__table__ = Table(name, title, text, group, key, _columns(made))
        return made

    return declare


def _columns(cls: type) -> tuple[Column, ...]:
    """The class's own fields in order, then the inherited ones (provenance reads best at the end)."""
    hints = typing.get_type_hints(cls, include_extras=True)
    own = vars(cls).get("__annotations__", {})
    fields = sorted(dataclasses.fields(cls), key=lambda field: field.name not in own)
    return tuple(_column(field.name, hints[field.name]) for field in fields)


def _column(name: str, hint: typing.Any) -> Column:
    kind, col = typing.get_args(hint)
    options = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    (python_type,) = (option for option in options if option is not types.NoneType)
    return Column(name, SQL_TYPES[python_type], types.NoneType in options, col)


def tables_in(*modules: types.ModuleType) -> dict[str, type[Record]]:
    """Every record class that the modules declare, by table name, in order of declaration."""
    found: dict[str, type[Record]] = {}
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Record) and "__table__" in vars(value):
                found[value.__table__.name] = value
    return found
