"""Materialization of one asset: skip it while it is up to date, record its versions, and turn errors into one line."""

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dagster as dg
import duckdb

from pipeline.errors import BuildError
from pipeline.orchestration import metadata
from pipeline.orchestration.resources import BuildResource
from pipeline.orchestration.up_to_date import asset_name, current_record, input_versions
from pipeline.warehouse import connection
from pipeline.warehouse.build_records import BuildRecord

CHECK = "as_declared"
UNCHANGED = "unchanged"  # in the metadata of an asset that was up to date


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a step: its data version, metadata as plain values, and by check one line for each row that breaks it."""

    data_version: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    violations: Mapping[str, list[str]] = field(default_factory=dict)


def materialize(build: BuildResource, spec: dg.AssetSpec, make: Callable[[], Result]) -> dg.MaterializeResult[Any]:
    """Make the asset unless it is up to date.

    Raises dg.Failure with one line if an input is not materialized or if the work fails.
    """
    name = asset_name(spec.key)
    with one_line_errors(name):
        inputs = input_versions(spec, build.workspace)
        if record := current_record(spec, inputs, build.workspace, build.connection):
            return _to_dagster(spec, Result(record.data_version, {**record.metadata, UNCHANGED: True}))
        build.records.delete(name)
        result = make()
        build.stop_if_canceled()
        if not any(result.violations.values()):
            build.records.save(name, BuildRecord(result.data_version, spec.code_version or "", inputs, result.metadata))
    return _to_dagster(spec, result)


@contextmanager
def one_line_errors(name: str, again: str = "run `gpuledger build` again") -> Iterator[None]:
    """Turn errors that a user can fix into a failure of the step without a stack trace. `again` is the next command."""
    try:
        yield
    except BuildError as error:
        message = str(error)
    except connection.SYSTEM_ERRORS as error:
        message = describe_system_error(name, error, again)
    else:
        return
    raise dg.Failure(description=message, allow_retries=False) from None


def describe_system_error(name: str, error: BaseException, again: str) -> str:
    """Describe a full disk, too little memory or a missing permission in one line, with what to do.

    The first two stop every step that runs afterwards, so their lines name no step and are reported once.
    """
    message = str(error).splitlines()[0] if str(error) else ""
    if os.strerror(errno.ENOSPC) in message:
        return f"no space left on the disk; free space, then {again}"
    if isinstance(error, (MemoryError, duckdb.OutOfMemoryException)):
        return f"not enough memory; close other programs, then {again}"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        message = f"{place}{error.strerror or error}"
    return f"{name}: {message}; free space or correct the permissions, then {again}"


def _to_dagster(spec: dg.AssetSpec, result: Result) -> dg.MaterializeResult[Any]:
    checks = [_check_result(spec.key, result)] if spec.metadata.get("checked") else []
    shown = metadata.to_dagster(result.metadata)
    return dg.MaterializeResult(
        asset_key=spec.key, data_version=dg.DataVersion(result.data_version), metadata=shown, check_results=checks
    )


def _check_result(key: dg.AssetKey, result: Result) -> dg.AssetCheckResult:
    """Describe what breaks the table, one line per row; the metadata count these rows, in all and by broken rule."""
    lines = [line for found in result.violations.values() for line in found]
    return dg.AssetCheckResult(
        asset_key=key,
        check_name=CHECK,
        passed=not lines,
        description="\n".join(lines) or None,
        metadata={"violations": len(lines)} | {rule: len(found) for rule, found in result.violations.items() if found},
        severity=dg.AssetCheckSeverity.ERROR,
    )
