"""Entry point of the command `gpuledger` and of `python -m pipeline`."""

import io
import os
import resource
import sys

NEEDED_ADDRESS_SPACE_MB = 1_000  # with less, loading the libraries fails or hangs
INTERRUPTED = 130  # exit code after Ctrl-C, as in a shell


def main() -> None:
    """Run the command. Output that cannot be written, for example to a full disk, is an error. Ctrl-C ends it with one line."""
    _check_address_space()
    _prepare_streams()
    try:
        from pipeline.cli import app  # noqa: PLC0415 - loads libraries

        app()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:  # while libraries load; later ones arrive as the exit code
        code = INTERRUPTED
    if code == INTERRUPTED:
        print("Interrupted; run the command again", file=sys.stderr)
    sys.exit(_flush() or code)


def _prepare_streams() -> None:
    """Replace closed streams, which are None, and escape the characters that the terminal's encoding lacks."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115 - until the process ends
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


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
