"""The child process that parses uploads: receives the bytes of one file after another, answers with rows or a refusal as JSON.

It imports little beside the formats and gets neither paths nor open files. Before it reads a byte its memory, CPU time and
descriptors are limited, to the one channel over which it answers.
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

from benchmarks.formats import detection
from pipeline.readers import RefusedError, strict_json
from pipeline.uploads import decoding, isolation, redact, serialization, torn_bytes, validate
from pipeline.uploads.serialization import ParsedUpload

MEMORY_BYTES = 400 * 2**20
CPU_S = 4


def main(descriptor: int) -> None:
    """Apply the limits, signal readiness, then serve requests until the channel closes."""
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
        channel.send_bytes(json.dumps(parse_bytes(raw), allow_nan=False, default=str).encode())


def _import_all() -> None:
    """Import everything that parsing needs before the limits apply: an import needs memory and opens files."""
    detection.text_formats()
    dt.datetime.strptime("2026", "%Y")  # its first call imports modules


def _limit_cpu() -> None:
    """Limit CPU time to CPU_S more seconds, rounded up: the limit counts from the start of the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used.ru_utime + used.ru_stime) + CPU_S, resource.RLIM_INFINITY))


def parse_bytes(raw: bytes) -> dict[str, Any]:
    """Parse one file's bytes: the encoded ParsedUpload, or {code, reason, line} of a refusal."""
    try:
        return serialization.encode(_parse(raw))
    except RefusedError as refused:
        return {"code": refused.code, "reason": refused.reason, "line": refused.line}
    except MemoryError:
        return {"code": "CRASH", "reason": f"reading it takes more than {MEMORY_BYTES // 2**20} MiB; upload less", "line": None}
    except Exception as error:  # a bug in one format must not affect other files
        return {"code": "CRASH", "reason": f"the parser failed ({_where(error)}); please report it with the file", "line": None}


def _parse(raw: bytes) -> ParsedUpload:
    try:
        return _parse_text(decoding.decode(raw))
    except RefusedError as refused:
        if refused.code == "ENCODING":
            return torn_bytes.parse_torn(raw, _parse_text, refused)
        raise


def _parse_text(text: str) -> ParsedUpload:
    redacted = redact.redact_personal(text)
    runs = validate.validate_runs(detection.read(redacted))
    return ParsedUpload(runs, _kind(text), None if redacted == text else redacted)


def _where(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {os.path.basename(last.filename)} line {last.lineno}"


def _kind(text: str) -> str:
    """Suffix of the stored copy, chosen by content and never by the uploader's file name."""
    if strict_json.looks_like_json(text):
        return "json"
    if text.lstrip().startswith("<"):
        return "xml"
    return "csv" if text.lstrip().partition("\n")[0].count(",") > 1 else "txt"


if __name__ == "__main__":
    main(int(sys.argv[1]))
