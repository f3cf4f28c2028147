"""`python -m pipeline` does what `gpuledger` does."""

import os
import sys
from contextlib import suppress


def main() -> None:
    """Run the command, and end at once: Python would take a second to take apart what a build has imported."""
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
