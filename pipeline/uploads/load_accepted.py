"""What a build loads: every accepted upload, read and judged anew from its stored text, in the order of hashes.

Nothing but the stored bytes, their sidecars, the names and the specifications goes in, so two builds give the same rows.
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.formats import RefusedError, Run
from pipeline.errors import BuildError
from pipeline.uploads.annotate import cards, judged
from pipeline.uploads.sandbox import Sandbox
from pipeline.uploads.store import Store


def runs(data: Path) -> Iterator[Run]:
    """Every run of every accepted upload, with its devices and figures.

    Raises BuildError where a stored file was changed, or where today's parsers refuse it.
    """
    stored = Store(data).uploads()
    first = next(stored, None)
    if first is None:
        return
    known = cards(data)
    with Sandbox() as sandbox:
        for upload, reading in sandbox.read_all((upload, upload.raw) for upload in (first, *stored)):
            try:
                if isinstance(reading, RefusedError):
                    raise reading
                yield from judged(reading, upload.sha256, upload.identity, known)
            except RefusedError as refused:
                place = f" line {refused.line}" if refused.line else ""
                told = f"{upload.path}{place}: accepted once, now {refused.code} ({refused.reason})"
                raise BuildError(f"{told}; mend the parser, or remove the file and its sidecar") from None
