"""Processes that work beside the build: one draws charts, one writes the pages of further languages.

Each is started when it is first wanted, or ahead of its work. What ends one of them does not end the build unseen.
"""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import ClassVar


class _Kept:
    stack: ClassVar[ExitStack | None] = None
    processes: ClassVar[dict[str, ProcessPoolExecutor]] = {}


@contextmanager
def kept() -> Iterator[None]:
    """Let all who ask for a process of a name within this block share one."""
    with ExitStack() as stack:
        _Kept.stack, _Kept.processes = stack, {}
        try:
            yield
        finally:
            _Kept.stack, _Kept.processes = None, {}


@contextmanager
def worker(name: str) -> Iterator[ProcessPoolExecutor]:
    """A process: the kept one of this name, or one for the block alone."""
    if _Kept.stack is None:
        with _new() as process:
            yield process
        return
    if name not in _Kept.processes:
        _Kept.processes[name] = _Kept.stack.enter_context(_new())
    yield _Kept.processes[name]


def _new() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
