"""Description of the machine without torch: the GPUs that nvidia-smi lists, and the processor's name."""

import platform
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.formats import detection
from benchmarks.suite.result import OF_DRIVER, Device
from pipeline.readers import RefusedError

MAX_NAME_CHARACTERS = 80
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9 ._()/+-]")  # as NAME in pipeline/uploads/annotation/runs.py
_FIELDS = (
    "index,name,compute_cap,memory.total,clocks.max.sm,clocks.max.memory,enforced.power.limit,ecc.mode.current,mig.mode.current,"
    "driver_version"
)
_TIMEOUT_S = 30


def list_gpus() -> tuple[list[Device], str | None]:
    """GPUs and driver version according to nvidia-smi; an empty list and None if it is missing, fails or lists none."""
    command = ["nvidia-smi", f"--query-gpu={_FIELDS}", "--format=csv"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True).stdout  # noqa: S603
        (run,) = detection.read(output)
    except (OSError, subprocess.SubprocessError, RefusedError, ValueError):
        return [], None
    named = [(row, {name: getattr(row, name) for name in OF_DRIVER}) for row in run.devices if row.name_raw]
    return [Device(ordinal=row.ordinal, kind="cuda", name=str(row.name_raw), **facts) for row, facts in named], run.run.driver


def python_version() -> str:
    """Version of this Python, as major.minor."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def processor_name() -> str:
    """The processor's name in characters that `gpuledger ingest` accepts; "processor" if the system provides none."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(errors="replace").splitlines() if cpuinfo.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    names = (_clean(model) for model in (*models, platform.processor(), platform.machine()))
    return next(filter(None, names), "processor")


def _clean(text: str) -> str:
    """Remove characters that no device name may contain, such as the @ of "Xeon v4 @ 2.40GHz"."""
    return " ".join(_NOT_IN_NAMES.sub("", text).split())[:MAX_NAME_CHARACTERS].strip()
