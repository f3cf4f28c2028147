"""MLPerf's description of a system, JSON: the GPUs of a submission, without any figure.

Submitters fill it in by hand. Memory is read only if it is in MiB, as the driver prints it; nominal sizes and clocks are stored
in the arguments as written.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import ParsedRun, alike, integer, plain, settings
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun

PARSER_VERSION = 1
MEASURES = False

_KEYS = {"accelerator_model_name", "accelerators_per_node", "number_of_nodes"}
_MEBIBYTES = re.compile(r"(\d{1,9}) ?MiB")
_VERSION = re.compile(r"\d+\.\d+")
_ARGS = (
    "division", "status", "number_of_nodes", "accelerators_per_node", "accelerator_memory_capacity",
    "accelerator_memory_configuration", "accelerator_frequency", "accelerator_interconnect",
)  # fmt: skip


def is_document(document: Any) -> bool:
    return isinstance(document, dict) and set(document) >= _KEYS


def parse_document(document: Any) -> Iterator[ParsedRun]:
    args = settings(**{name: plain(document[name]) for name in _ARGS if document.get(name)})
    run = BenchmarkRun(layout_version="json", args=args, **software(document))
    yield ParsedRun(run=run, devices=devices(document))


def devices(document: dict[str, Any]) -> list[BenchmarkDevice]:
    """The accelerators of one node; all nodes of a system are alike. Raises RefusedError."""
    count = integer(str(document["accelerators_per_node"]).strip() or "0")
    name = document["accelerator_model_name"]
    if not isinstance(name, str):
        raise RefusedError("PARSE", "accelerator_model_name is not a text")
    memory = _MEBIBYTES.fullmatch(str(document.get("accelerator_memory_capacity")))
    return alike(name, count, named_by="label", memory_total_mib=float(memory[1]) if memory else None) if name.strip() else []


def nodes(document: dict[str, Any]) -> int:
    """The number of machines, at least 1. Raises RefusedError."""
    return max(1, integer(str(document["number_of_nodes"]).strip() or "1"))


def software(document: dict[str, Any]) -> dict[str, Any]:
    """driver, cuda_runtime (major.minor) and framework, as fields of a run; the stack is an object or a list of one."""
    stack = document.get("other_software_stack")
    stack = stack[0] if isinstance(stack, list) and stack else stack
    stack = stack if isinstance(stack, dict) else {}
    cuda = _VERSION.match(str(stack.get("cuda_version")))
    return {
        "driver": plain(stack.get("nvidia_kernel_driver") or stack.get("cuda_driver_version")),
        "cuda_runtime": cuda[0] if cuda else None,
        "framework": plain(document.get("framework")),
    }
