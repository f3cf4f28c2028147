"""Ctrl-C and the programs that a command starts: a terminal sends it to all of them."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def hold_interrupts() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back from this thread, the main one, in this block or until the function that it yields is called.

    Processes that start meanwhile never get it, and so leave it to this one. If this process has other threads, one of them may
    take it, and then it ends the block at once.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})

    def release() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    try:
        yield release
    finally:
        release()
