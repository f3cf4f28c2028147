"""The command line `gpuledger`. Data goes to stdout, everything else to stderr; an error is one line with the next command.

Each command is a few lines here or in a sibling module; what it computes belongs in `pipeline`.
"""

import typer

from pipeline.cli import ask, bench, break_even, fetch, ingest, make, parse, recommend, resolve

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
    recommend.recommend,
    break_even.break_even,
):
    app.command(name=command.__name__.replace("_", "-"))(command)
app.add_typer(bench.app, name="bench")
