"""One run: workload after workload until the time is up; after each figure the document is saved atomically."""

import dataclasses
import datetime as dt
import json
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.suite.context import Context
from benchmarks.suite.machine import identity
from benchmarks.suite.machine.memory_limits import is_out_of_memory, release_memory
from benchmarks.suite.machine.nvml import Board
from benchmarks.suite.machine.precision import UnavailableError
from benchmarks.suite.profiles import Profile
from benchmarks.suite.result import MeasuredFigure, Result, WorkloadResult
from benchmarks.suite.timing import build_figure, check_time, synchronise
from benchmarks.suite.workloads import WORKLOADS, Workload
from pipeline.files import write_atomically

CUT_OFF = "the run was ended from outside before this workload was"
INTERRUPTED = "interrupted from the keyboard"
NOT_REACHED = "the time was up before it began; run it alone, or with a larger --budget"
TIME_UP = "the time was up"
DEVICE_LOST = "an error of an earlier workload left the device unusable; run it alone"
MAX_REASON_CHARACTERS = 200
Ending = tuple[str, str | None]  # status of a workload, and why


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Workloads to run, their device and time; `out` is the result file."""

    profile: Profile
    names: tuple[str, ...]
    device: torch.device
    budget_s: float
    out: Path
    precisions: tuple[str, ...]
    batch: int | None = None


def run(plan: Plan, watch: Callable[[str, Result], None]) -> Result:
    """Run the plan; `watch` is called with each workload's name as it begins, and the result so far.

    An interrupt, or an error that leaves the device unusable, ends the run with the figures so far.
    Raises OSError if the file cannot be written.
    """
    if plan.profile.tiny:
        torch.set_num_threads(1)  # at toy sizes several threads mostly wait for each other
    context = _context(plan)
    result = _empty(plan)
    save(result, plan.out)
    with torch.cuda.device(plan.device) if plan.device.type == "cuda" else nullcontext():
        for name in plan.names:
            watch(name, result)
            _run_one(WORKLOADS[name], context, result, plan.out)
            if result.workloads[-1].reason == INTERRUPTED:
                break
            if not _works_still(plan.device):
                _leave_out(plan.names[len(result.workloads) :], result)
                break
    result = dataclasses.replace(result, status=_status(result, plan))
    save(result, plan.out)
    return result


def _context(plan: Plan) -> Context:
    return Context(
        device=plan.device,
        devices=tuple(identity.devices()) if plan.device.type == "cuda" else (plan.device,),
        profile=plan.profile,
        deadline=time.monotonic() + plan.budget_s,
        precisions=plan.precisions,
        batch=plan.batch,
    )


def _empty(plan: Plan) -> Result:
    devices = identity.devices() if plan.device.type == "cuda" else [plan.device]
    return Result(
        profile=plan.profile.name,
        started_at=dt.datetime.now(dt.UTC).isoformat(timespec="microseconds"),
        status="truncated",
        budget_s=plan.budget_s,
        devices=[identity.describe(device) for device in devices],
        software=identity.software(),
        workloads=[],
    )


def _status(result: Result, plan: Plan) -> str:
    cut = any(done.status == "truncated" or done.reason in (NOT_REACHED, DEVICE_LOST) for done in result.workloads)
    return "truncated" if cut or len(result.workloads) < len(plan.names) else "ok"


def _run_one(workload: Workload, context: Context, result: Result, out: Path) -> None:
    """Add a workload to the result, and save after each of its figures."""
    began, place = time.perf_counter(), len(result.workloads)
    figures: list[MeasuredFigure] = []

    def keep(status: str, reason: str | None) -> None:
        seconds = round(time.perf_counter() - began, 3)
        result.workloads[place:] = [
            WorkloadResult(name=workload.name, status=status, reason=reason, seconds=seconds, figures=figures)
        ]
        save(result, out)

    if context.time_is_up():
        keep("waived", NOT_REACHED)
        return
    figures += _state(context, "before")
    ending = _measure(workload, context, figures, lambda: keep("truncated", CUT_OFF))
    figures += _state(context, "after")
    keep(*ending)


def _leave_out(names: tuple[str, ...], result: Result) -> None:
    """Name the workloads that could not be run because the device was lost."""
    result.workloads.extend(
        WorkloadResult(name=name, status="waived", reason=DEVICE_LOST, seconds=0, figures=[]) for name in names
    )


def _works_still(device: torch.device) -> bool:
    """Release the memory of a workload. False if an error of its kernels left the device unusable to this process."""
    try:
        synchronise(device)
        release_memory(device)
    except RuntimeError:
        return False
    return True


def _measure(workload: Workload, context: Context, figures: list[MeasuredFigure], keep: Callable[[], None]) -> Ending:
    """Append to `figures` and save after each; return how the workload ended."""
    measuring = workload.measure(context)
    while isinstance(outcome := _next(measuring, context), MeasuredFigure):
        figures.append(outcome)
        keep()
    return outcome


def _next(measuring: Iterator[MeasuredFigure], context: Context) -> MeasuredFigure | Ending:
    """The next figure, or how the workload ended."""
    try:
        check_time(context.deadline)
        return next(measuring)
    except StopIteration:
        return "ok", None
    except UnavailableError as error:
        return "waived", _short(error)
    except TimeoutError:
        return "truncated", TIME_UP
    except KeyboardInterrupt:
        return "truncated", INTERRUPTED
    except Exception as error:  # a failed workload must not affect the others
        return ("oom" if is_out_of_memory(error) else "failed"), _short(error)


def _short(error: BaseException) -> str:
    """The first line of an error, without unprintable characters and without paths of this machine."""
    first = (str(error) or type(error).__name__).splitlines()[0]
    words = (word for word in first.split() if "/" not in word and "\\" not in word)
    return "".join(c for c in " ".join(words) if c.isprintable())[:MAX_REASON_CHARACTERS]


def _state(context: Context, when: str) -> list[MeasuredFigure]:
    """Clock and temperature of the board, if it reports them."""
    board = Board(context.device)
    readings = {"sm_clock": board.sm_clock_mhz(), "temperature": board.temperature_c()}
    common = {"test": when, "device": context.ordinal, "n_gpus": 1}
    return [build_figure(metric, [value], **common) for metric, value in readings.items() if value is not None]


def save(result: Result, out: Path) -> None:
    """Write the document atomically."""
    write_atomically(out, (json.dumps(dataclasses.asdict(result), indent=1, allow_nan=False) + "\n").encode())
