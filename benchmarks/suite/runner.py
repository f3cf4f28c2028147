"""One run: workload after workload until the time is up, the document saved after each, in one atomic step."""

import dataclasses
import datetime as dt
import json
import os
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.suite import identity
from benchmarks.suite.context import Context
from benchmarks.suite.memory_limits import give_back, is_out_of_memory
from benchmarks.suite.nvml import Board
from benchmarks.suite.precision import UnavailableError
from benchmarks.suite.profiles import Profile
from benchmarks.suite.result import Figure, Result, WorkloadResult
from benchmarks.suite.timing import figure
from benchmarks.suite.workloads import WORKLOADS, Workload

INTERRUPTED = "interrupted from the keyboard"
NOT_REACHED = "the time was up before it began; run it alone, or with a larger --budget"
MOST_REASON_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run, on what, for how long; `out` is the file."""

    profile: Profile
    names: tuple[str, ...]
    device: torch.device
    budget_s: float
    out: Path
    precisions: tuple[str, ...]
    batch: int | None = None


def run(plan: Plan, watch: Callable[[str, Result], None]) -> Result:
    """Run the plan; `watch` is told each workload's name as it begins, and the result so far.

    An interrupt ends the run with what there is. Raises OSError where the file cannot be written.
    """
    if plan.profile.tiny:
        torch.set_num_threads(1)  # at toy sizes several threads do nothing but wait for each other
    context = _context(plan)
    result = _empty(plan)
    save(result, plan.out)
    with torch.cuda.device(plan.device) if plan.device.type == "cuda" else nullcontext():
        for name in plan.names:
            watch(name, result)
            result.workloads.append(_result_of(WORKLOADS[name], context))
            save(result, plan.out)
            if _was_interrupted(result):
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
        started_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        status="truncated",
        budget_s=plan.budget_s,
        devices=[identity.describe(device) for device in devices],
        software=identity.software(),
        workloads=[],
    )


def _status(result: Result, plan: Plan) -> str:
    cut = any(done.status == "truncated" or done.reason == NOT_REACHED for done in result.workloads)
    return "truncated" if cut or len(result.workloads) < len(plan.names) else "ok"


def _result_of(workload: Workload, context: Context) -> WorkloadResult:
    if context.time_is_up():
        return WorkloadResult(name=workload.name, status="waived", reason=NOT_REACHED, seconds=0)
    began = time.perf_counter()
    figures = _state(context, "before")
    status, reason = _measure(workload, context, figures)
    figures += _state(context, "after")
    give_back(context.device)
    seconds = round(time.perf_counter() - began, 3)
    return WorkloadResult(name=workload.name, status=status, reason=reason, seconds=seconds, figures=figures)


def _was_interrupted(result: Result) -> bool:
    return result.workloads[-1].reason == INTERRUPTED


def _measure(workload: Workload, context: Context, figures: list[Figure]) -> tuple[str, str | None]:
    """Fill `figures`; the status that the workload ended with, and why."""
    try:
        for found in workload.measure(context):
            figures.append(found)
            if context.time_is_up():
                return "truncated", "the time was up"
    except UnavailableError as error:
        return "waived", _short(error)
    except TimeoutError:
        return "truncated", "the time was up"
    except KeyboardInterrupt:
        return "truncated", INTERRUPTED
    except Exception as error:  # one workload that fails takes no other's figures along
        return ("oom" if is_out_of_memory(error) else "failed"), _short(error)
    return "ok", None


def _short(error: BaseException) -> str:
    """The first line of an error without what does not print; paths of this machine are left out."""
    first = (str(error) or type(error).__name__).splitlines()[0]
    words = (word for word in first.split() if "/" not in word and "\\" not in word)
    return "".join(c for c in " ".join(words) if c.isprintable())[:MOST_REASON_CHARACTERS]


def _state(context: Context, when: str) -> list[Figure]:
    """Clock and temperature of the board, where it tells them."""
    board = Board(context.device)
    read = {"sm_clock": board.sm_clock_mhz(), "temperature": board.temperature_c()}
    about = {"test": when, "device": context.ordinal, "n_gpus": 1}
    return [figure(metric, [value], **about) for metric, value in read.items() if value is not None]


def save(result: Result, out: Path) -> None:
    """Write the document beside its place and move it there."""
    aside = out.with_name(out.name + ".part")
    aside.write_text(json.dumps(dataclasses.asdict(result), indent=1, allow_nan=False) + "\n", encoding="utf-8")
    os.replace(aside, out)
