"""The command line `gpuledger`. Data goes to stdout, everything else to stderr; an error is one line with the next command.

A command is one module, or a folder where it needs several; `output`, `gpu_option` and `llm.by_hand` are shared helpers. The
computation belongs in the other packages of `pipeline`.
"""

from importlib import metadata
from typing import Annotated

import typer

from pipeline.cli import aggregate, audit, bench, break_even, build, fetch, ingest, parse, query, resolve, seal, serve, sources
from pipeline.cli.llm import fits
from pipeline.cli.output import Command, Group
from pipeline.cli.publishing import publish
from pipeline.cli.recommend.command import recommend

app = typer.Typer(
    name="gpuledger",
    cls=Group,
    help="Which GPU gives the most for the money, for your work? Answered from data, with the source of every figure.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"gpuledger {metadata.version('gpuledger')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    """Options before the name of a command."""


COMMANDS = {  # by heading of the help
    "Choose a GPU": (recommend, break_even.break_even, fits.fits, resolve.resolve),
    "Read the data": (query.query, sources.sources, audit.audit),
    "Add data": (fetch.fetch, ingest.ingest, parse.parse, seal.seal),
    "Build and publish": (build.build, serve.serve, publish.publish, aggregate.aggregate),
}
for heading, commands in COMMANDS.items():
    for command in commands:
        app.command(name=command.__name__.replace("_", "-"), cls=Command, rich_help_panel=heading)(command)
app.add_typer(bench.app, name="bench", rich_help_panel="Add data")
