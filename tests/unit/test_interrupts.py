"""Holding Ctrl-C back: it comes when the block ends or is released, and programs that start in the block never get it."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from pipeline.interrupts import hold_interrupts

MASK = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


@pytest.fixture(autouse=True)
def _as_in_a_terminal() -> Iterator[None]:
    """A test runner in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    """Send Ctrl-C to this thread: of a process with several, the system would choose one."""
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)


def is_held() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def press_in_a_block(done: list[str]) -> None:
    with hold_interrupts():
        press()
        done.append("the block")


def test_it_comes_when_the_block_ends() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        press_in_a_block(done)
    assert done == ["the block"]
    assert not is_held()


def test_it_comes_when_the_block_is_released() -> None:
    with hold_interrupts() as release:
        press()
        with pytest.raises(KeyboardInterrupt):
            release()
        assert not is_held()


def test_a_nested_block_still_holds_interrupts_back() -> None:
    with hold_interrupts():
        with hold_interrupts():
            pass
        assert is_held()
    assert not is_held()


def test_a_program_that_starts_in_the_block_never_gets_it() -> None:
    with hold_interrupts():
        inside = subprocess.run([sys.executable, "-c", MASK], capture_output=True, text=True, check=True)
    outside = subprocess.run([sys.executable, "-c", MASK], capture_output=True, text=True, check=True)
    assert (inside.stdout, outside.stdout) == ("True\n", "False\n")
