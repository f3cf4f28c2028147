"""`python -m pipeline` does what `gpuledger` does."""

import os
import sys
from contextlib import suppress

from pipeline import beside


def main() -> None:
    """Run the command, and end at once: Python would take a second to take apart what a build has imported."""
    if sys.argv[1:2] == ["build"]:
        beside.get_ready()  # its imports and ours take as long
    from pipeline.cli import app  # noqa: PLC0415 - the processes beside a build read this file too, and need no command

    try:
        app()
    except SystemExit as ended:
        with suppress(OSError):  # whoever read the output may be gone
            sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code if isinstance(ended.code, int) else int(bool(ended.code)))


if __name__ == "__main__":
    main()
