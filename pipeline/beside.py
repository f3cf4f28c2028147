"""Processes that work beside the build: one reads the sources ahead of it and computes the performance model,
one draws charts, two write pages.

Each is forked when it is first wanted from one server, which has imported what they need and holds no thread or connection of
the build. What ends one of them does not end the build unseen.
"""

import gc
import multiprocessing
import os
import threading
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import connection, forkserver
from typing import Any, ClassVar, TypeVar

from pipeline.errors import BuildError

T = TypeVar("T")
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["pipeline.preloaded"])
_ENDED = "a process beside the build ended, perhaps for want of memory; run `gpuledger build` again"


class EndedError(BuildError):
    """A process ended before its task did."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Processes that take the same tasks: how many, and how far they stand back for others (as `nice` counts)."""

    name: str
    size: int
    niceness: int


AHEAD = Crew("ahead", 1, 0)  # others wait for what it does
PAGES = Crew("pages", 2, 10)  # what these prepare may wait while the tables are computed
PICTURES = Crew("pictures", 1, 11)  # when the pages are done the last of these are drawn beside their packing


class _Kept:
    stack: ClassVar[ExitStack | None] = None
    processes: ClassVar[dict[Crew, ProcessPoolExecutor]] = {}
    begun: ClassVar[dict[Hashable, Future[Any]]] = {}


def get_ready() -> None:
    """Start the server: it imports while the build does."""
    forkserver.ensure_running()


@contextmanager
def kept() -> Iterator[None]:
    """Let all who ask for a process of a crew within this block share one."""
    if _Kept.stack is not None:
        yield
        return
    with ExitStack() as stack:
        _Kept.stack, _Kept.processes, _Kept.begun = stack, {}, {}
        try:
            yield
        finally:
            _Kept.stack, _Kept.processes, _Kept.begun = None, {}, {}


def begin(crew: Crew, task: Callable[..., Any], *arguments: Hashable) -> None:
    """Let the kept crew do the task, ahead of whoever asks for it; once, and only within `kept`."""
    if _Kept.stack is not None and (task, *arguments) not in _Kept.begun:
        _Kept.begun[task, *arguments] = promise(crew, task, *arguments)


def begun(task: Callable[..., T], *arguments: Hashable) -> "Future[T] | None":
    """A task that was begun; None where it was not."""
    return _Kept.begun.get((task, *arguments))


def promise(crew: Crew, task: Callable[..., T], *arguments: object) -> "Future[T]":
    """What a task gives, done by the kept crew; where none is kept, it is done here and now."""
    if _Kept.stack is not None:
        with workers(crew) as pool:
            return submit(pool, task, *arguments)
    done = Future[T]()
    done.set_result(task(*arguments))
    return done


def submit(pool: ProcessPoolExecutor, task: Callable[..., T], *arguments: object) -> "Future[T]":
    """Hand a task to processes. Raises EndedError where one of them was ended."""
    try:
        return pool.submit(task, *arguments)
    except BrokenProcessPool:
        raise EndedError(_ENDED) from None


def result(task: "Future[T]") -> T:
    """What a task gave. Raises EndedError where its process was ended."""
    try:
        return task.result()
    except BrokenProcessPool:
        raise EndedError(_ENDED) from None


@contextmanager
def workers(crew: Crew) -> Iterator[ProcessPoolExecutor]:
    """Processes that take tasks: the kept ones of this crew, or some for the block alone."""
    if _Kept.stack is None:
        with _new(crew) as pool:
            yield pool
        return
    if crew not in _Kept.processes:
        _Kept.processes[crew] = pool = _new(crew)
        _Kept.stack.callback(pool.shutdown, cancel_futures=True)  # what is not asked for by then is not wanted
    yield _Kept.processes[crew]


def dismiss(crew: Crew) -> None:
    """End the kept crew, whose memory others can use."""
    if crew in _Kept.processes:
        _Kept.processes.pop(crew).shutdown(wait=False)


def _new(crew: Crew) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(crew.size, mp_context=_PROCESSES, initializer=started, initargs=(crew.niceness,))


def started(niceness: int) -> None:
    """What a process does first: it stands back, and sees to it that it ends with whoever started it."""
    os.nice(niceness)
    rarely_collect_garbage()
    threading.Thread(target=_end_with_the_build, daemon=True).start()


def _end_with_the_build() -> None:
    """A build that is killed tells nobody: whoever waits for its next task would wait for ever."""
    if build := multiprocessing.parent_process():
        connection.wait([build.sentinel])
        os._exit(1)


def rarely_collect_garbage() -> None:
    """A build's many small objects live to its end: looking for garbage among them took a tenth of it."""
    gc.set_threshold(200_000, 50, 100)
