"""The DuckDB engine of a build: one for all its steps, or a new one for whoever works alone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import duckdb


class _Engine:
    """One thread, so that sums of floating-point numbers come out the same in every build."""

    config: ClassVar[dict[str, str | bool | int | float | list[str]]] = {
        "threads": 1, "autoinstall_known_extensions": False, "autoload_known_extensions": False,
    }  # fmt: skip
    name: ClassVar[str] = ":memory:"


@contextmanager
def kept() -> Iterator[None]:
    """Let every `connect` in this block, one after the other, use one engine: starting one takes longer than most steps."""
    with duckdb.connect(name := f":memory:{os.getpid()}", config=_Engine.config) as con:
        con.execute("PRAGMA disable_checkpoint_on_shutdown")  # else a file that is let go is written anew from its log
        _Engine.name = name
        try:
            yield
        finally:
            _Engine.name = ":memory:"


@contextmanager
def connect() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with nothing attached; what is made in it as TEMP ends with it."""
    with duckdb.connect(_Engine.name, config=_Engine.config) as con:
        yield con
