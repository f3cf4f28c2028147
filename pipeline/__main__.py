"""Entry point of the command `gpuledger` and of `python -m pipeline`."""

import os
import resource
import sys

NEEDED_ADDRESS_SPACE_MB = 1_000  # with less, loading the libraries fails or hangs


def main() -> None:
    """Run the command. Output that cannot be written, for example to a full disk, is an error."""
    _check_address_space()
    from pipeline.cli import app  # noqa: PLC0415 - loads libraries

    try:
        app()
    except SystemExit as end:
        sys.exit(_flush() or end.code)


def _check_address_space() -> None:
    """End with one line if `ulimit -v` allows less than the libraries reserve."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < NEEDED_ADDRESS_SPACE_MB * 1_000_000:
        sys.exit(
            f"`ulimit -v` allows {limit // 1_000_000} MB of address space, gpuledger reserves {NEEDED_ADDRESS_SPACE_MB}, mostly "
            "without using it; run `ulimit -v unlimited` and then the command again"
        )


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
