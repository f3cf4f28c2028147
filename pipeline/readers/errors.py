"""The error of the readers."""


class RefusedError(Exception):
    """Content that cannot be accepted: a reason code of the contract, the problem in words, and its line where it is known."""

    def __init__(self, code: str, reason: str, line: int | None = None) -> None:
        super().__init__(code, reason, line)
        self.code, self.reason, self.line = code, reason, line
