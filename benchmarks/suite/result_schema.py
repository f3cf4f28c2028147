"""JSON Schema of the result document and a strict parser for it, both derived from the declaration in `result`.

`python -m benchmarks.suite.result_schema` writes result.schema.json again. Free of torch.
"""

import dataclasses
import json
import math
import types
import typing
from pathlib import Path
from typing import Any, TypeVar, cast

from benchmarks.suite.result import FieldRule, Result
from pipeline.files import write_atomically
from pipeline.readers import RefusedError

PUBLISHED = Path(__file__).with_name("result.schema.json")
MAX_CHARACTERS = 300
MAX_ENTRIES = 10_000
_NAMES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
T = TypeVar("T")


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a result document."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Result of the gpuledger suite"}
    return head | _object_schema(Result)


def _object_schema(cls: type) -> dict[str, Any]:
    fields = {name: _value_schema(hint) for name, hint in typing.get_type_hints(cls, include_extras=True).items()}
    required = [f.name for f in dataclasses.fields(cls) if _is_required(f)]
    text = (cls.__doc__ or "").strip()
    return {"description": text, "type": "object", "additionalProperties": False, "required": required, "properties": fields}


def _value_schema(hint: Any) -> dict[str, Any]:
    kind, rule, optional = _parts(hint)
    if dataclasses.is_dataclass(kind):
        return _object_schema(cast(type, kind))
    if typing.get_origin(kind) is list:
        return {"description": rule.text, "type": "array", "items": _object_schema(typing.get_args(kind)[0])}
    if typing.get_origin(kind) is dict:
        return {"description": rule.text, "type": "object", "additionalProperties": {"type": "string"}}
    schema: dict[str, Any] = {"description": rule.text, "type": [_NAMES[kind], "null"] if optional else _NAMES[kind]}
    if rule.values:
        schema["enum"] = [*rule.values, *([None] if optional else [])]
    return schema if rule.least is None else schema | {"minimum": rule.least}


def _parts(hint: Any) -> tuple[Any, FieldRule, bool]:
    """The plain type of an annotation, its rule, and whether it may be null."""
    kind, rule = typing.get_args(hint)
    optional = isinstance(kind, types.UnionType)
    return (typing.get_args(kind)[0] if optional else kind), rule, optional


def _is_required(field: "dataclasses.Field[Any]") -> bool:
    by_default = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    return by_default or field.name in ("format", "version")


def decode(cls: type[T], value: Any, path: str = "document") -> T:
    """Convert decoded JSON to the typed document. Raises RefusedError SCHEMA, RANGE, NOT_FINITE, CONTROL_CHAR or TOO_WIDE."""
    if not isinstance(value, dict):
        raise RefusedError("SCHEMA", f"{path} is not a JSON object")
    record = cast(Any, cls)
    hints = typing.get_type_hints(cls, include_extras=True)
    missing = [f.name for f in dataclasses.fields(record) if _is_required(f) and f.name not in value]
    unknown = [name for name in value if name not in hints]
    if missing or unknown:
        name = missing[0] if missing else unknown[0][:40]
        raise RefusedError("SCHEMA", f"{path}: field {name!r} is {'missing' if missing else 'not one of version 1'}")
    return cast(T, record(**{name: _value(hints[name], entry, f"{path}.{name}") for name, entry in value.items()}))


def _value(hint: Any, value: Any, path: str) -> Any:
    kind, rule, optional = _parts(hint)
    if value is None and optional:
        return None
    if dataclasses.is_dataclass(kind):
        return decode(cast(type, kind), value, path)
    if typing.get_origin(kind) is list:
        entries = _sized(value, list, path)
        return [decode(typing.get_args(kind)[0], entry, f"{path}[{n}]") for n, entry in enumerate(entries)]
    if typing.get_origin(kind) is dict:
        return {_text(k, path): _text(v, f"{path}.{k}") for k, v in _sized(value, dict, path).items()}
    return _scalar(kind, rule, value, path)


def _sized(value: Any, kind: type, path: str) -> Any:
    if not isinstance(value, kind):
        raise RefusedError("SCHEMA", f"{path} is not a JSON {'array' if kind is list else 'object'}")
    entries: Any = value
    if len(entries) > MAX_ENTRIES:
        raise RefusedError("TOO_WIDE", f"{path} has {len(entries)} entries; {MAX_ENTRIES} are the limit")
    return entries


def _scalar(kind: type, rule: FieldRule, raw: Any, path: str) -> Any:
    fits = isinstance(raw, (int, float) if kind is float else kind) and isinstance(raw, bool) == (kind is bool)
    if not fits:
        raise RefusedError("SCHEMA", f"{path} is not of type {_NAMES[kind]}")
    value: Any = _text(raw, path) if kind is str else _number(raw, path)
    if rule.values and value not in rule.values:
        raise RefusedError("SCHEMA", f"{path} = {str(value)[:40]!r} is none of {', '.join(map(str, rule.values))}")
    if rule.least is not None and value < rule.least:
        raise RefusedError("RANGE", f"{path} = {value} is below {rule.least:g}")
    return value


def _number(value: float, path: str) -> float:
    if not math.isfinite(value):
        raise RefusedError("NOT_FINITE", f"{path} is not a finite number")
    if isinstance(value, int) and abs(value) >= 2**63:
        raise RefusedError("RANGE", f"{path} does not fit into 64 bits")
    return value


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise RefusedError("SCHEMA", f"{path} is not a string")
    if len(value) > MAX_CHARACTERS:
        raise RefusedError("LINE_TOO_LONG", f"{path} has {len(value)} characters; {MAX_CHARACTERS} are the limit")
    if not value.isprintable():
        raise RefusedError("CONTROL_CHAR", f"{path} holds a character that does not print")
    return value


if __name__ == "__main__":
    write_atomically(PUBLISHED, (json.dumps(json_schema(), indent=1) + "\n").encode())
