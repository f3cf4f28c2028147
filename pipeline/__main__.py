"""Entry point of the command `gpuledger` and of `python -m pipeline`."""

import os
import sys

from pipeline.cli import app


def main() -> None:
    """Run the command. Output that cannot be written, for example to a full disk, is an error."""
    try:
        app()
    except SystemExit as end:
        sys.exit(_flush() or end.code)


def _flush() -> int:
    """Write the rest of the output; return 1 if that fails, except for a reader that closed the pipe."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more at its end
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"The output is incomplete: {error.strerror}; write it where there is room", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    main()
