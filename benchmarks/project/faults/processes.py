"""Processes that are run, timed and killed, and the tally of what was there afterwards."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.project.builds import session_of
from pipeline import paths

MAIN = (sys.executable, "-m", "pipeline")
COMPLETE = (0, 2)  # 2 = `gpuledger ingest` rejected an upload, as it should
GRACE_S = 60.0  # for the processes beside a killed one to notice it


@dataclass(slots=True)
class Tally:
    """Number of times that a fault was provoked, what went wrong afterwards, and the complete runs that followed."""

    fault: str
    times: int = 0
    complete_runs: int = 0
    problems: list[str] = field(default_factory=list)

    def expect(self, holds: bool, problem: str) -> None:
        """Note the problem unless the condition holds."""
        if not holds:
            self.problems.append(problem)
            print(f"PROBLEM after {self.times} x {self.fault}: {problem}", file=sys.stderr)

    def __str__(self) -> str:
        return f"| {self.fault} | {self.times} | {self.complete_runs} | {'; '.join(self.problems) or 'none'} |"


def run(command: tuple[str, ...], environment: dict[str, str] | None = None) -> tuple[int, str]:
    done = subprocess.run(  # noqa: S603
        command, cwd=paths.ROOT, check=False, capture_output=True, text=True, env=os.environ | (environment or {})
    )
    return done.returncode, done.stderr


def timed(command: tuple[str, ...], environment: dict[str, str] | None = None) -> float:
    start = time.monotonic()
    code, output = run(command, environment)
    if code not in COMPLETE:
        raise RuntimeError(f"an undisturbed run failed: {output}")
    return time.monotonic() - start


def start(command: tuple[str, ...], environment: dict[str, str] | None = None) -> "subprocess.Popen[str]":
    return subprocess.Popen(  # noqa: S603
        command,
        cwd=paths.ROOT,
        env=os.environ | (environment or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kills(
    tally: Tally, times: int, command: tuple[str, ...], moment: Callable[[], float], environment: dict[str, str] | None = None
) -> Iterator[bool]:
    """Run the command until it was killed so often, and once more to its end. Yields whether the run was killed."""
    while tally.times < times:
        yield _killed(tally, command, moment(), environment)
    yield _killed(tally, command, None, environment)


def _killed(tally: Tally, command: tuple[str, ...], after_s: float | None, environment: dict[str, str] | None = None) -> bool:
    """Kill the command after some time, or never; return False if it ended by itself, which must be with success."""
    victim = start(command, environment)
    try:
        _, output = victim.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        victim.kill()
        victim.communicate()
        tally.times += 1
        tally.expect(_ends(victim.pid), "a process beside it did not end")
        return True
    tally.complete_runs += 1
    tally.expect(victim.returncode in COMPLETE, output)
    return False


def _ends(session: int) -> bool:
    """Tell whether every process of the session ends soon."""
    deadline = time.monotonic() + GRACE_S
    while left := [path for path in Path("/proc").glob("[0-9]*") if session_of(path) == session]:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return not left
