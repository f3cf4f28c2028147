"""Options of the command `recommend`, and the check of the one that is the same for workloads and language models."""

from typing import Annotated

import duckdb
import typer

from pipeline.cli.output import fail
from pipeline.errors import suggest
from pipeline.llm import memory
from pipeline.recommend import workload as rules
from pipeline.schema import prices

Workload = Annotated[
    str, typer.Option(help="Workload to run, which is no language model; without any option, the workloads are listed.")
]
Buy = Annotated[bool, typer.Option("--buy/--rent", help="Buy or rent GPUs.")]
Objective = Annotated[rules.Objective, typer.Option(help="Ranking criterion.")]
MinMemory = Annotated[float | None, typer.Option(metavar="GB", min=0, help="Minimum memory of one GPU.")]
Budget = Annotated[
    float | None,
    typer.Option(metavar="USD", min=0, help="Maximum to spend: on the GPUs to buy, or on renting for one job (or for --hours)."),
]
Hours = Annotated[
    float | None,
    typer.Option(metavar="H", min=0, help="Hours that the budget covers, or of electricity; default: the time of one job."),
]
Electricity = Annotated[
    float | None,
    typer.Option("--electricity", "--kwh", metavar="USD", min=0, help="Price per kWh: adds the electricity of a bought machine."),
]
Gpus = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Number of GPUs that work together; default: one, for a language model the best of 1, 2, 4 and 8.",
    ),
]
DataCentre = Annotated[bool, typer.Option("--data-centre", help="Leave out GPUs whose license bars data centers.")]
Provider = Annotated[str | None, typer.Option(metavar="P", help="Only this provider.")]
Vendor = Annotated[str | None, typer.Option(metavar="V", help="Only this GPU vendor.")]
Billing = Annotated[list[prices.Billing] | None, typer.Option(help="Rental terms, repeatable; default: on_demand.")]
MinCuda = Annotated[str | None, typer.Option(metavar="V", help="Your CUDA version, like 11.8.")]
MaxSlots = Annotated[
    float | None, typer.Option(metavar="N", min=0, help="Expansion slots available (a double-width GPU uses 2).")
]
MaxWatts = Annotated[float | None, typer.Option(metavar="W", min=0, help="Power budget of all GPUs together.")]
OlderPrices = Annotated[
    bool,
    typer.Option(
        "--older-prices",
        help="Use older prices. Buy: those of the 12 months up to the newest one. Rent: the last known, if no offer is current.",
    ),
]
Model = Annotated[
    str,
    typer.Option(metavar="M", help="Language model to run; with only the options below, llama-3.1-8b."),
]
Quantization = Annotated[
    str,
    typer.Option(
        "--quantization",
        "--quantisation",
        metavar="Q",
        help="Language model: stored type of the weights; default: the best of those that vLLM serves, for one user q4_k_m, or mxfp4_moe of a model published as MXFP4.",
    ),
]
Context = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Language model: tokens per user, shared by prompt and output as in the use (chat: two to one); default: those of the use, or 8192 for one user.",
    ),
]
Users = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Language model: users at a time, with --tune sequences per GPU; default: those of the use, else one."
    ),
]
Use = Annotated[
    str,
    typer.Option(
        metavar="U", help="Language model: single, chat, retrieval, long or batch; default: single for one user, else chat."
    ),
]
Tune = Annotated[memory.Tune | None, typer.Option(help="Language model: fine-tune it.")]
Tokens = Annotated[
    float,
    typer.Option(
        metavar="N", show_default=False, help="With --tune: tokens of the job, all passes together; default: 10 million."
    ),
]


def check_vendor(con: duckdb.DuckDBPyConnection, vendor: str | None) -> None:
    """End the command unless the vendor makes a GPU of the data."""
    if vendor and vendor.lower() not in map(str.lower, vendors := rules.vendors(con)):
        fail(f"no vendor {vendor!r}; {suggest(vendor, vendors)}")
