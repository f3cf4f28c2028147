"""Columns that both of Spare Cores' files have: the machine, and its GPUs as the driver names them."""

from typing import Any

from sources import Line

ATTRIBUTION = "Data: Spare Cores (sparecores.com), CC BY-SA 4.0, changed"
_MIB_PER_GIB = 1024


def describe_machine(line: Line) -> dict[str, Any]:
    """Return the fields of a run that describe its machine, and the place of its output in the source."""
    return {
        "provider_id": line.text("vendor"),
        "instance_type": line.text("server"),
        "raw_gpu_name": line.text("gpu_raw"),
        "gpu_context": "driver",  # the name is the driver's: "NVIDIA H200" is the SXM module
        "reported_memory_gb": line.number("smi_memory_mib") / _MIB_PER_GIB,
        "machine_gpu_count": int(line.text("smi_gpus").rpartition(" x")[2]),
        "is_vgpu": line.yes_no("vgpu"),
        "cited_from": f"{line.text('path')} @{line.text('commit')}",
    }
