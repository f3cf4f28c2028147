"""Processes that work beside the build: one reads the sources ahead of it, one draws charts, two write pages.

Each is forked when it is first wanted from one server, which has imported what they need and holds no thread or connection of
the build. What ends one of them does not end the build unseen.
"""

import gc
import multiprocessing
import os
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from multiprocessing import forkserver
from typing import Any, ClassVar

_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["__main__", "pipeline.website", "mkdocs.commands.build"])


class _Kept:
    stack: ClassVar[ExitStack | None] = None
    processes: ClassVar[dict[str, ProcessPoolExecutor]] = {}
    begun: ClassVar[dict[Hashable, Future[Any]]] = {}


def get_ready() -> None:
    """Start the server: it imports while the build does."""
    forkserver.ensure_running()


@contextmanager
def kept() -> Iterator[None]:
    """Let all who ask for a process of a name within this block share one."""
    if _Kept.stack is not None:
        yield
        return
    with ExitStack() as stack:
        _Kept.stack, _Kept.processes, _Kept.begun = stack, {}, {}
        try:
            yield
        finally:
            _Kept.stack, _Kept.processes, _Kept.begun = None, {}, {}


def begin(name: str, task: Callable[..., object], *arguments: Hashable, processes: int = 1) -> None:
    """Let the kept processes of this name do the task, ahead of whoever waits for it; once, and only within `kept`."""
    if _Kept.stack is not None and (task, *arguments) not in _Kept.begun:
        with worker(name, processes) as process:
            _Kept.begun[task, *arguments] = process.submit(task, *arguments)


def wait_for(task: Callable[..., object], *arguments: Hashable) -> None:
    """Wait for the end of a task, well or not, where it was begun."""
    wait([_Kept.begun[key] for key in [(task, *arguments)] if key in _Kept.begun])


@contextmanager
def worker(name: str, processes: int = 1) -> Iterator[ProcessPoolExecutor]:
    """Processes that take tasks: the kept ones of this name, or some for the block alone."""
    if _Kept.stack is None:
        with _new(processes) as process:
            yield process
        return
    if name not in _Kept.processes:
        _Kept.processes[name] = _Kept.stack.enter_context(_new(processes))
    yield _Kept.processes[name]


def _new(processes: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(processes, mp_context=_PROCESSES, initializer=_stand_back)


def _stand_back() -> None:
    os.nice(5)  # the build itself goes first where cores are few
    rarely_collect_garbage()


def rarely_collect_garbage() -> None:
    """A build's many small objects live to its end: looking for garbage among them took a tenth of it."""
    gc.set_threshold(200_000, 50, 100)
