"""Strict readers of text, numbers, JSON, CSV and XML that others wrote: the only ones, for sources and uploads alike.

They raise `RefusedError`. Formats of uploads let it pass; `sources.document` adds the path of the file. What the values mean
is the business of the callers, and no module here imports another part of the project.
"""


class RefusedError(Exception):
    """Content that cannot be accepted: a reason code of the contract, the problem in words, and its line where it is known."""

    def __init__(self, code: str, reason: str, line: int | None = None) -> None:
        super().__init__(code, reason, line)
        self.code, self.reason, self.line = code, reason, line
