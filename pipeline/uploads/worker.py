"""The child process: one file's bytes in, its rows or a refusal out as JSON, one file after another.

It imports the formats and nothing else, is given neither path nor file, and is limited before it reads a byte: in memory, in
computing, and to the one channel over which it answers.
"""

import datetime as dt
import json
import math
import os
import resource
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Any

from benchmarks import formats
from pipeline.readers import RefusedError, strict_json
from pipeline.uploads import decoding, isolation, redact, serialization, validate
from pipeline.uploads.serialization import ParsedUpload

MEMORY_BYTES = 400 * 2**20
CPU_S = 4


def main(descriptor: int) -> None:
    """Say when all limits hold, then answer until the other side closes the channel."""
    _import_all()
    isolation.leave_network()
    channel = Connection(isolation.close_descriptors(descriptor))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    channel.send_bytes(b"ready")
    while True:
        try:
            raw = channel.recv_bytes()
        except EOFError:
            return
        _limit_cpu()
        channel.send_bytes(json.dumps(answer(raw), allow_nan=False, default=str).encode())


def _import_all() -> None:
    """What reading takes, before the limits: an import needs memory and opens files."""
    formats.text_formats()
    dt.datetime.strptime("2026", "%Y")  # for the modules that its first call imports


def _limit_cpu() -> None:
    """Some seconds from now, rounded up: the limit of a process counts from its start."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used.ru_utime + used.ru_stime) + CPU_S, resource.RLIM_INFINITY))


def answer(raw: bytes) -> dict[str, Any]:
    """What one file's bytes are: the encoded ParsedUpload, or {code, reason, line}."""
    try:
        given = decoding.decode(raw)
        shown = redact.personal(given)
        runs = formats.read(shown)
        validate.keep_declarations([run for run, _ in runs])
    except RefusedError as refused:
        return {"code": refused.code, "reason": refused.reason, "line": refused.line}
    except MemoryError:
        return {"code": "CRASH", "reason": f"reading it takes more than {MEMORY_BYTES // 2**20} MiB; upload less", "line": None}
    except Exception as error:  # a format that stumbles must not take other files with it
        return {"code": "CRASH", "reason": f"the parser failed ({_where(error)}); please report it with the file", "line": None}
    return serialization.encode(ParsedUpload(runs, _kind(given), None if shown == given else shown))


def _where(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {os.path.basename(last.filename)} line {last.lineno}"


def _kind(given: str) -> str:
    """Suffix that the stored copy gets: of the content, never the uploader's."""
    if strict_json.looks_like_json(given):
        return "json"
    if given.lstrip().startswith("<"):
        return "xml"
    return "csv" if given.lstrip().partition("\n")[0].count(",") > 1 else "txt"


if __name__ == "__main__":
    main(int(sys.argv[1]))
