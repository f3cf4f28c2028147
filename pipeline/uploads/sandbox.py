"""A few long-lived child processes that parse uploads; a crash or a time-out of one becomes the refusal of its file.

The next file gets a new child.
"""

import json
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection, Pipe
from queue import SimpleQueue
from subprocess import DEVNULL
from types import TracebackType
from typing import Any, Self, TypeVar

from pipeline import paths
from pipeline.readers import RefusedError
from pipeline.uploads import serialization
from pipeline.uploads.serialization import ParsedUpload
from pipeline.uploads.worker import CPU_S

CHILDREN = 2
WALL_S = 20.0  # wall time for one file; the child's own limit on CPU time is shorter
START_S = 120.0  # wall time to start Python; on a busy machine that takes longer than parsing a file
END_S = 2.0
MAX_ANSWER_BYTES = 64 * 2**20
COMMAND = (sys.executable, "-m", "pipeline.uploads.worker")
K = TypeVar("K")
Result = ParsedUpload | RefusedError


class Sandbox:
    """Child processes for the duration of a `with` block; each starts when it gets its first file."""

    def __init__(self, children: int = CHILDREN) -> None:
        self._idle: SimpleQueue[_Child] = SimpleQueue()
        self._children = [_Child() for _ in range(children)]
        self._threads = ThreadPoolExecutor(children)

    def __enter__(self) -> Self:
        for child in self._children:
            self._idle.put(child)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._threads.shutdown(cancel_futures=True)
        for child in self._children:
            child.end()

    def parse_all(self, files: Iterable[tuple[K, bytes | Result]]) -> Iterator[tuple[K, Result]]:
        """Yield each key with the parse result of its bytes, in order; a result in place of bytes is passed through.

        Only a few files are parsed at a time, so memory does not grow with their number.
        """
        waiting: deque[tuple[K, Future[Result]]] = deque()
        for key, raw in files:
            waiting.append((key, self._submit(raw)))
            while len(waiting) > len(self._children):
                yield _finished(*waiting.popleft())
        while waiting:
            yield _finished(*waiting.popleft())

    def _submit(self, raw: bytes | Result) -> Future[Result]:
        if isinstance(raw, bytes):
            return self._threads.submit(self.parse, raw)
        done: Future[Result] = Future()
        done.set_result(raw)
        return done

    def parse(self, raw: bytes) -> Result:
        """Parse one upload's bytes in a child process."""
        child = self._idle.get()
        try:
            return child.parse(raw)
        finally:
            self._idle.put(child)


def _finished(key: K, future: "Future[Result]") -> tuple[K, Result]:
    return key, future.result()


class _Child:
    """One child process, started for its first file and again after it ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Connection | None = None
        self._late = False

    def parse(self, raw: bytes) -> Result:
        self._late, watch = False, threading.Timer(WALL_S, self._expire)
        try:
            channel = self._started()
            watch.start()
            channel.send_bytes(raw)
            return _decode_answer(json.loads(channel.recv_bytes(MAX_ANSWER_BYTES)))
        except (OSError, EOFError):
            return self._died()
        finally:
            watch.cancel()

    def end(self) -> int:
        """Stop the process and return its exit code."""
        process, channel = self._process, self._channel
        self._process = self._channel = None
        if process is None or channel is None:
            return 0
        channel.close()
        try:
            return process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def _started(self) -> Connection:
        if self._channel is None:
            self._channel, theirs = Pipe()
            command = [*COMMAND, str(theirs.fileno())]
            environment = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
            quiet: dict[str, Any] = {"stdin": DEVNULL, "stdout": DEVNULL, "stderr": DEVNULL}
            self._process = subprocess.Popen(  # noqa: S603 - a module of this project, by its name
                command, cwd=paths.ROOT, env=environment, pass_fds=[theirs.fileno()], **quiet
            )
            theirs.close()
            if not self._channel.poll(START_S):
                raise EOFError
            self._channel.recv_bytes()
        return self._channel

    def _expire(self) -> None:
        self._late = True
        if self._process:
            self._process.kill()

    def _died(self) -> RefusedError:
        code = self.end()
        if self._late or code == -signal.SIGXCPU:
            return RefusedError("TIMEOUT", f"reading it takes more than {CPU_S} seconds; upload less")
        end = signal.Signals(-code).name if code < 0 else f"exit {code}"
        return RefusedError("CRASH", f"its reader ended ({end}); please report it with the file")


def _decode_answer(answer: dict[str, Any]) -> Result:
    if "code" in answer:
        return RefusedError(answer["code"], answer["reason"], answer["line"])
    return serialization.decode(answer)
