"""`python -m pipeline` does what `gpuledger` does."""

import os
import sys
from contextlib import suppress

from pipeline import beside


def main() -> None:
    """Run the command, and end at once: Python would take a second to take apart what a build has imported."""
    if sys.argv[1:2] == ["build"]:
        beside.get_ready()  # it imports while we do
    from pipeline.cli import app  # noqa: PLC0415 - the processes beside a build read this file too, and need no command

    try:
        app()
    except SystemExit as ended:
        code = _flushed() or (ended.code if isinstance(ended.code, int) else int(bool(ended.code)))
        sys.stderr.flush()
        os._exit(code)


def _flushed() -> int:
    """Write what is still to be written; 1 where it cannot be, but for a reader who has seen enough."""
    try:
        with suppress(BrokenPipeError):
            sys.stdout.flush()
    except OSError as error:
        print(f"The output is not whole: {error.strerror}; write it where there is room", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    main()
