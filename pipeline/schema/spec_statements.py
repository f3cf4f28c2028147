"""Tables of what sources state of specifications: publishers, statements, the cross-check, and the checks of units."""

from typing import Annotated

from pipeline.schema.checks import Check
from pipeline.schema.core import Col, Column, Record, Table, record
from pipeline.schema.provenance import Sourced
from pipeline.schema.specs import Gpu

IDENTITY = ("gpu_id", "gpu_model_id", "name", "vendor")
ATTRIBUTES: dict[str, Column] = {column.name: column for column in Gpu.__table__.columns if column.name not in IDENTITY}
NUMERIC = tuple(name for name, column in ATTRIBUTES.items() if column.sql_type in ("DOUBLE", "BIGINT"))
LARGEST_RATIO = 100  # a statement further from the GPU's value is in another unit
PUBLISHER_KINDS = (
    "vendor document", "vendor code", "vendor document, quoted", "device reading", "submission record", "encyclopedia",
    "database", "compilation", "code table", "paper", "press", "arithmetic", "own",
)  # fmt: skip


@record("spec_publisher", title="Publishers of specification values", group="specs", key=("publisher_id",))
class SpecPublisher(Record):
    """One row per publisher, in the words of `gpu_spec`, with the kind of document and its licence."""

    publisher_id: Annotated[str, Col("Name of the publisher in this dataset")]
    title: Annotated[str, Col("Name as pages print it")]
    kind: Annotated[
        str,
        Col("Kind of document: vendor documents rank before device readings, these before all others", values=PUBLISHER_KINDS),
    ]
    licence: Annotated[str, Col("Licence, or the basis on which single facts are cited")]


@record(
    "_spec_value", title="Specification values as outside sources state them", group="specs",
    key=("source_id", "gpu_id", "attribute", "locator"),
)
class SpecValue(Sourced):
    """One row per value of one source; gpu_spec compares them with the chosen value."""

    gpu_id: Annotated[str, Col("GPU", references="gpu.gpu_id")]
    publisher_id: Annotated[str, Col("Who states it", references="spec_publisher.publisher_id")]
    attribute: Annotated[str, Col("Column of gpu", values=tuple(ATTRIBUTES))]
    value: Annotated[float | None, Col("Value as stated, where it is a number", above=0)]
    value_text: Annotated[
        str | None, Col("Value as stated, where it is a text, a version, a day or yes/no", check="(value IS NULL) <> (value_text IS NULL)")
    ]
    unit: Annotated[str | None, Col("Unit")]
    factor: Annotated[
        float,
        Col(
            "Multiplier to this dataset's convention (0.5 = stated sparse, or with FP16 accumulation)",
            above=0,
        ),
    ]
    address: Annotated[str | None, Col("Where the statement is published")]
    citation: Annotated[str, Col("Row, key or page within the source")]
    note: Annotated[str | None, Col("Meaning of the source's figure")]


@record(
    "_spec_database_check", title="Cross-check of specification values with one database", group="specs",
    key=("gpu_id", "attribute"),
)
class SpecDatabaseCheck(Record):
    """One row per value of gpu that was compared with a database whose terms do not allow its rows to be published."""

    gpu_id: Annotated[str, Col("GPU", references="gpu.gpu_id")]
    attribute: Annotated[str, Col("Column of gpu", values=tuple(ATTRIBUTES))]
    compared_value: Annotated[str, Col("Our value that was compared; the outcome says nothing of another one")]
    agrees: Annotated[bool, Col("Whether the database is within 2 percent of it, or the same text")]


def statement_checks(table: Table) -> tuple[Check, ...]:
    """Return the checks of unit, range and scale for the table of statements; none for other tables."""
    return (_unit_check(), _range_check(), _scale_check()) if table.name == "_spec_value" else ()


def _unit_check() -> Check:
    unit = _by_attribute({name: f"'{column.col.unit}'" for name, column in ATTRIBUTES.items()})
    shown = f"attribute || ' in ' || coalesce(unit, 'no unit') || ': the unit is ' || {unit} || '; convert the value'"
    return Check("unit", "statements are in the unit of the column", f"coalesce(unit, '') <> {unit}", shown)


def _range_check() -> Check:
    limits = {name: ATTRIBUTES[name].col.between or (0, 1e9) for name in NUMERIC}
    low = _by_attribute({name: f"{limit[0]}::DOUBLE" for name, limit in limits.items()})
    high = _by_attribute({name: f"{limit[1]}::DOUBLE" for name, limit in limits.items()})
    shown = f"attribute || ' = ' || value || ' is outside ' || {low} || ' to ' || {high} || ' ' || coalesce(unit, '') || '; check the unit'"
    return Check("range", "statements are physically possible", f"value * factor NOT BETWEEN {low} AND {high}", shown)


def _scale_check() -> Check:
    own = f"SELECT gpu_id, attribute, own FROM (SELECT gpu_id, {', '.join(f'{n}::DOUBLE AS {n}' for n in NUMERIC)} FROM gpu)"
    pairs = f"({own} UNPIVOT (own FOR attribute IN ({', '.join(NUMERIC)})))"
    ratio = "greatest(s.value * s.factor / o.own, o.own / (s.value * s.factor))"
    wrong = f"""SELECT (s.source_id, s.locator, s.gpu_id, s.attribute) FROM _spec_value AS s JOIN {pairs} AS o
        ON o.gpu_id = s.gpu_id AND o.attribute = s.attribute WHERE {ratio} >= {LARGEST_RATIO}"""
    shown = f"gpu_id || ', ' || attribute || ' = ' || value || ', {LARGEST_RATIO} times gpu''s value or more, or a hundredth or less; check the unit here and in data/specs/gpus.csv'"
    return Check("scale", "statements are of the size of gpu's value", f"(source_id, locator, gpu_id, attribute) IN ({wrong})", shown)


def _by_attribute(values: dict[str, str]) -> str:
    cases = " ".join(f"WHEN '{name}' THEN {value}" for name, value in values.items())
    return f"CASE attribute {cases} END"
