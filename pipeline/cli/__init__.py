"""The command line `gpuledger`. Data goes to stdout, everything else to stderr; an error is one line with the next command.

Each command is a few lines here or in a sibling module; what it computes belongs in `pipeline`.
"""

import os
import sys
from contextlib import suppress

import typer

from pipeline.cli import ask, bench, break_even, choose, fetch, ingest, make, parse, resolve

app = typer.Typer(
    name="gpuledger",
    help="Which GPU gives the most for the money, for your work? Answered from data, with the source of every figure.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    make.build,
    fetch.fetch,
    ingest.ingest,
    make.seal,
    make.serve,
    parse.parse,
    resolve.resolve,
    ask.query,
    ask.audit,
    ask.sources,
    choose.recommend,
    break_even.break_even,
):
    app.command(name=command.__name__.replace("_", "-"))(command)
app.add_typer(bench.app, name="bench")


def main() -> None:
    """Run the command, and end at once: Python would take a second to take apart what a build has imported."""
    try:
        app()
    except SystemExit as ended:
        with suppress(OSError):  # whoever read the output may be gone
            sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code if isinstance(ended.code, int) else int(bool(ended.code)))
