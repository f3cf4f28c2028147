"""Table declarations: a typed record whose fields carry meaning, unit and check.

One class is both the row that a parser yields and the declaration from which DDL, comments, data dictionary,
datapackage, Croissant and blocking checks are derived. The declarations belong in the other modules of this package,
the checks in `checks`, DDL in `pipeline.tables.load`.
"""

import dataclasses
import datetime as dt
import types
import typing
from collections.abc import Callable, Iterator
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
    """Annotation of a field: the description and the constraints of its column.

    `between` is the physical range, bounds included.
    `above` and `least` are bounds of a number that has no other, the first excluded.
    `check` is any further SQL condition over one row that must not be false (an unknown value passes).
    `values` is the closed vocabulary, `references` the `table.column` that contains every value.
    `filled` marks a column that the loader sets instead of the parser; the field then has a default.
    """

    text: str
    unit: str = ""
    between: tuple[float, float] | None = None
    above: float | None = None
    least: float | None = None
    check: str = ""
    values: tuple[str, ...] = ()
    references: str = ""
    filled: bool = False

    def conditions(self, name: str) -> Iterator[str]:
        """Yield the SQL conditions over one row for a column of this name; `between` and `values` are checks of their own."""
        if self.above is not None:
            yield f"{name} > {self.above:g}"
        if self.least is not None:
            yield f"{name} >= {self.least:g}"
        if self.check:
            yield self.check

    @property
    def values_text(self) -> str:
        """The closed vocabulary, comma-separated; empty without one."""
        return ", ".join(self.values)

    @property
    def full_text(self) -> str:
        """The description, the values of a closed vocabulary, and the unit in brackets."""
        values = f"; one of {self.values_text}" if self.values else ""
        unit = f" [{self.unit}]" if self.unit else ""
        return f"{self.text}{values}{unit}"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table, with its SQL type."""

    name: str
    sql_type: str
    nullable: bool
    col: Col


@dataclass(frozen=True, slots=True)
class Table:
    """One table: name, title, description of a row, group, key and columns. A leading underscore = not published."""

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


@typing.dataclass_transform(kw_only_default=True)
def row(cls: type[R]) -> type[R]:
    """Make the class a keyword-only dataclass. It is not frozen: creating a frozen one takes six times as long."""
    return dataclass(slots=True, kw_only=True)(cls)


@typing.dataclass_transform(kw_only_default=True)
def record(name: str, *, title: str, group: str, key: tuple[str, ...]) -> Callable[[type[R]], type[R]]:
    """Declare the class as the table `name`, which its docstring describes: make it a `row` and set its `__table__`."""

    def declare(cls: type[R]) -> type[R]:
        if not cls.__doc__:
            raise TypeError(f"{cls.__name__} has no docstring; it becomes the description of table {name}")
        declared = row(cls)
        declared.__table__ = Table(name, title, " ".join(cls.__doc__.split()), group, key, _columns(declared))
        return declared

    return declare


def _columns(cls: type) -> tuple[Column, ...]:
    """Return the class's own fields in order, then the inherited ones, so that provenance comes last."""
    hints = typing.get_type_hints(cls, include_extras=True)
    own = vars(cls).get("__annotations__", {})
    fields = sorted(dataclasses.fields(cls), key=lambda field: field.name not in own)
    return tuple(_column(field.name, hints[field.name]) for field in fields)


def _column(name: str, hint: typing.Any) -> Column:
    kind, col = typing.get_args(hint)
    options = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    (python_type,) = (option for option in options if option is not types.NoneType)
    return Column(name, SQL_TYPES[python_type], types.NoneType in options, col)


def sql_types(cls: type) -> dict[str, str]:
    """Return the SQL type of each field of a class that is no table, such as a question."""
    return {name: SQL_TYPES[(typing.get_args(hint) or (hint,))[0]] for name, hint in typing.get_type_hints(cls).items()}


def tables_in(*modules: types.ModuleType) -> dict[str, type[Record]]:
    """Return every record class that the modules declare, by table name, in order of declaration."""
    records: dict[str, type[Record]] = {}
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Record) and "__table__" in vars(value):
                records[value.__table__.name] = value
    return records
