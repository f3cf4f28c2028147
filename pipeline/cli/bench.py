"""Commands of the benchmark suite: bench probe, list, run. Only `run` and, where it is installed, `probe` import torch."""

import dataclasses
import datetime as dt
import enum
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from benchmarks.suite import result
from benchmarks.suite.machine import host
from benchmarks.suite.profiles import PROFILES, Profile
from benchmarks.suite.workloads import WORKLOADS
from pipeline import paths
from pipeline.cli.output import Command, Format, FormatOption, Group, display_path, err, fail, progress, write_rows
from pipeline.errors import suggest

if TYPE_CHECKING:
    import torch

    from benchmarks.suite.runner import Plan

app = typer.Typer(cls=Group, no_args_is_help=True, help="Measure this machine with the suite.")
Depth = Literal["quick", "full", "test"]  # profiles of the suite, by the amount of measuring
Precision = enum.StrEnum("Precision", "fp32 tf32 fp16 bf16")  # number formats of training; Typer has no list of literals


def _missing_package() -> str | None:
    """The first of the suite's dependencies that cannot be imported."""
    try:
        import pynvml  # noqa: F401, PLC0415
        import torch  # noqa: F401, PLC0415
        import transformers  # noqa: F401, PLC0415
    except ImportError as error:
        return error.name
    return None


def _install_command() -> str:
    """The command that adds the suite's dependencies to the environment that runs this."""
    return f"{display_path(Path(sys.executable))} -m pip install -e '{display_path(paths.ROOT)}[bench]'"


@app.command(cls=Command)
def probe(form: FormatOption = "table") -> None:
    """Show the devices that the suite would measure, and the software. Without torch, the GPUs that nvidia-smi lists.

    Example: gpuledger bench probe --format json
    """
    if package := _missing_package():
        err.print(f"{package} is not installed, so this is what nvidia-smi lists. To measure: {_install_command()}", markup=False)
        devices, software = _probe_without_torch()
    else:
        devices, software = _probe_with_torch()
    names = [*devices[0], *software]
    rows = [[*device.values(), *software.values()] for device in devices]
    write_rows(names, rows, form) if form != "table" else _write_probe(devices, software)


def _probe_with_torch() -> tuple[list[dict[str, object]], dict[str, object]]:
    from benchmarks.suite.machine import identity  # noqa: PLC0415

    devices = [dataclasses.asdict(identity.describe(device)) for device in identity.devices()]
    return devices, dataclasses.asdict(identity.software())


def _probe_without_torch() -> tuple[list[dict[str, object]], dict[str, object]]:
    """Devices and software with the same names as with torch; a value that takes torch to find out is None."""
    gpus, driver = host.list_gpus()
    devices = gpus or [result.Device(ordinal=0, kind="cpu", name=host.processor_name())]
    software: dict[str, object] = dict.fromkeys(field.name for field in dataclasses.fields(result.Software))
    software |= {"suite": result.SUITE, "python": host.python_version(), "driver": driver}
    return [dataclasses.asdict(device) for device in devices], software


def _write_probe(devices: list[dict[str, object]], software: dict[str, object]) -> None:
    rows = [[f"device {d['ordinal']}", name, value] for d in devices for name, value in d.items() if name != "ordinal"]
    write_rows(["of", "what", "value"], [*rows, *(["software", name, value] for name, value in software.items())], "table")


@app.command("list", cls=Command)
def list_workloads(form: FormatOption = "table") -> None:
    """List the workloads and the profiles that contain them.

    Example: gpuledger bench list
    """
    rows = [[w.name, w.text, ", ".join(w.profiles)] for w in WORKLOADS.values()]
    write_rows(["workload", "what it measures", "profiles"], rows, form)
    for profile in PROFILES.values():
        err.print(f"{profile.name}: {profile.text}")


@app.command(cls=Command)
def run(
    workloads: Annotated[
        list[str] | None, typer.Argument(metavar="WORKLOAD", help="Workloads by name; default: all of the profile.")
    ] = None,
    profile: Annotated[
        Depth | None, typer.Option(help="How much to measure; default: quick on a CUDA device, test on a CPU.")
    ] = None,
    device: Annotated[str, typer.Option(help="Device, cuda:N or cpu; default: the first CUDA device.")] = "",
    precision: Annotated[list[Precision] | None, typer.Option(help="Precision of training; may be repeated.")] = None,
    batch: Annotated[int | None, typer.Option(min=1, help="Batch size of training; default: each model's stated one.")] = None,
    budget: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Time after which no further measurement starts.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="File to write the result to.")] = None,
    form: FormatOption = "table",
) -> None:
    """Measure, and write one result file that `gpuledger ingest` accepts.

    Example: gpuledger bench run --profile quick --out result.json
    """  # fmt: skip
    if wrong := [name for name in workloads or [] if name not in WORKLOADS]:
        fail(f"no workload {wrong[0]!r}; {suggest(wrong[0], WORKLOADS)}")
    if package := _missing_package():
        fail(f"{package} is not installed, and the suite needs it. Install it: {_install_command()}")
    where = _device(device)
    depth = _depth(profile, where)
    names = tuple(dict.fromkeys(workloads)) if workloads else depth.workloads
    seconds = depth.budget_s if budget is None else budget
    if seconds <= 0:
        fail(f"--budget {seconds}: give a number of seconds above zero")
    from benchmarks.suite.runner import Plan  # noqa: PLC0415

    plan = Plan(
        profile=depth, names=names, device=where, budget_s=seconds, out=_out(out), precisions=tuple(map(str, precision or depth.precisions)), batch=batch
    )  # fmt: skip
    try:
        finished = _watched(plan)
    except OSError as error:
        fail(f"{display_path(plan.out)} cannot be written: {error.strerror}; name another file with --out")
    _report(finished, plan.out, form)


def _depth(name: Depth | None, device: "torch.device") -> Profile:
    if name is None and device.type != "cuda":
        err.print("on a processor the profile is test, at toy sizes, unless --profile names another")
    return PROFILES[name or ("quick" if device.type == "cuda" else "test")]


def _device(name: str) -> "torch.device":
    from benchmarks.suite.machine import identity  # noqa: PLC0415

    by_name = {str(device): device for device in reversed(identity.devices())}
    if name == "cpu":
        import torch  # noqa: PLC0415

        return torch.device("cpu")
    if name and name not in by_name:
        fail(f"no device {name!r}; there are: {', '.join({**by_name, 'cpu': None})}")
    return by_name[name] if name else identity.devices()[0]


def _out(requested: Path | None) -> Path:
    out = requested or Path(f"gpuledger-suite-{dt.datetime.now(dt.UTC):%Y%m%dT%H%M%SZ}.json")
    if not out.absolute().parent.is_dir():
        fail(f"{display_path(out.absolute().parent)} is not a folder; create it, or name another file with --out")
    return out.absolute()


def _watched(plan: "Plan") -> result.Result:
    from benchmarks.suite import runner  # noqa: PLC0415

    with progress() as display:
        task = display.add_task("starting", total=len(plan.names))

        def watch(name: str, so_far: result.Result) -> None:
            figures = sum(len(workload.figures) for workload in so_far.workloads)
            display.update(task, completed=len(so_far.workloads), description=f"{name} ({figures} figures)")

        return runner.run(plan, watch)


def _report(finished: result.Result, out: Path, form: Format) -> None:
    rows = [
        [w.name, f.test, f.metric, f.value, f.unit, f.stddev, f.dtype, f.batch_size or f.size_bytes, w.status] for w in finished.workloads for f in w.figures
    ]  # fmt: skip
    write_rows(["workload", "test", "metric", "value", "unit", "stddev", "dtype", "batch or bytes", "status"], rows, form)
    for workload in finished.workloads:
        if workload.status != "ok":
            err.print(f"{workload.name}: {workload.status}, {workload.reason}", markup=False)
    err.print(f"{finished.status}: {display_path(out)}; next: gpuledger ingest {display_path(out)}", markup=False)
    if any(workload.status == "failed" for workload in finished.workloads):
        raise typer.Exit(1)
