"""Commands that answer the question itself: recommend, break-even."""

import difflib
import math
import re
from typing import Annotated, Any

import duckdb
import typer

from pipeline import recommend as rules
from pipeline.cli.ask import Db, Form
from pipeline.cli.output import Format, database, err, fail, write
from pipeline.schema.prices import BILLINGS

UTILISATION = 0.15


def recommend(
    workload: Annotated[str, typer.Option(help="What is to be run; without it, the choices are listed.")] = "",
    buy: Annotated[bool, typer.Option("--buy/--rent", help="Buy cards, or rent them.")] = False,
    min_memory: Annotated[float | None, typer.Option(metavar="GB", min=0, help="Least memory of one card.")] = None,
    budget: Annotated[
        float | None, typer.Option(metavar="USD", min=0, help="Most to spend: on the cards, or on the hours.")
    ] = None,
    hours: Annotated[float, typer.Option(metavar="H", min=0, help="Hours of rent that the budget must cover.")] = 1.0,
    gpus: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of cards that the budget must cover; times are those of one card.")
    ] = 1,
    data_centre: Annotated[bool, typer.Option("--data-centre", help="Leave out cards whose licence bars data centres.")] = False,
    provider: Annotated[str | None, typer.Option(metavar="P", help="One provider.")] = None,
    billing: Annotated[str | None, typer.Option(metavar="B", help=f"One of {', '.join(BILLINGS)}.")] = None,
    min_cuda: Annotated[str | None, typer.Option(metavar="V", help="CUDA version at hand, like 11.8.")] = None,
    form: Form = Format.table,
    db: Db = None,
) -> None:
    """Cards for a workload, best first, with the reason for each place and for each exclusion.

    Example: gpuledger recommend --workload stylegan_xl_training --rent --min-memory 16
    """
    if billing and billing not in BILLINGS:
        fail(f"--billing {billing!r} is none of {', '.join(BILLINGS)}")
    if min_cuda and not re.fullmatch(r"\d+(\.\d+)*", min_cuda):
        fail(f"--min-cuda {min_cuda!r} is no version; write it like 11.8")
    with database(db) as con:
        if workload not in (known := rules.workloads(con)):
            fail(
                f"no workload {workload!r}; known are {', '.join(known)}"
                if workload
                else f"--workload is one of {', '.join(known)}"
            )
        sellers = rules.providers(con)
        if provider and provider.lower() not in map(str.lower, sellers):
            fail(f"no provider {provider!r}; known are {', '.join(sellers)}")
        question = rules.Question(
            workload=workload, buy=buy, min_memory_gb=min_memory, budget_usd=budget, hours=hours, gpus=gpus,
            data_centre=data_centre, provider=provider, billing=billing, min_cuda=min_cuda,
        )  # fmt: skip
        found = rules.answer(con, question)
    _write_answer(found, "USD for the cards" if buy else "USD per run", form)


def _write_answer(found: rules.Answer, cost_name: str, form: Format) -> None:
    names = [
        "rank",
        "gpu_id",
        "name",
        "memory_gb",
        "seconds",
        cost_name.replace(" ", "_").lower(),
        "priced_by",
        "price_of",
        "reason",
    ]
    rows: list[list[Any]] = [
        [c.rank, c.candidate.gpu_id, c.candidate.name, c.candidate.memory_gb, c.candidate.seconds, round(c.cost_usd, 4),
         c.candidate.provider, c.candidate.observed_at, c.reason]
        for c in found.choices
    ]  # fmt: skip
    rows += [
        [None, c.gpu_id, c.name, c.memory_gb, c.seconds, None, c.provider, c.observed_at, f"out: {why}"]
        for c, why in found.excluded
    ]
    write(names, rows, form)
    if found.choices:
        first = found.choices[0].candidate
        err.print(f"{first.name}: {found.choices[0].reason}. Times by {first.source_id}; prices of the day shown, not of today.")
    else:
        err.print("No card meets every limit; the last column says which limit each one fails.")


def break_even(
    gpu: Annotated[str, typer.Option(metavar="G", help="Card, by gpu_id or name.")],
    purchase: Annotated[
        float | None,
        typer.Option(
            metavar="USD", min=0, help="Price of the whole machine; default: the card's latest known price and a bare machine."
        ),
    ] = None,
    cloud: Annotated[
        float | None, typer.Option(metavar="USD/H", min=0, help="Rental price; default: the cheapest known one of the card.")
    ] = None,
    utilisation: Annotated[
        float, typer.Option(metavar="U", min=0.001, max=1, help="Share of the time that the machine works.")
    ] = UTILISATION,
    watts: Annotated[
        float | None,
        typer.Option(metavar="W", min=0, help="Power under load; default: the card's TDP and the guide's 100 W for the rest."),
    ] = None,
    kwh: Annotated[
        float | None, typer.Option(metavar="USD", min=0, help="Price of one kWh; default: the 2020 guide's 0.12.")
    ] = None,
    form: Form = Format.table,
    db: Db = None,
) -> None:
    """Days until buying is cheaper than renting, and what each has cost after every year.

    Example: gpuledger break-even --gpu nvidia-geforce-rtx-3090-24gb --purchase 2200 --cloud 2.14
    """
    with database(db) as con:
        gpu_id, tdp_w = _card(con, gpu)
        host_usd, host_w, guide_kwh = con.execute(_HOST).fetchall()[0]
        purchase = purchase if purchase is not None else host_usd + _known_price(con, gpu_id, "usd_per_gpu", "--purchase")
        cloud = cloud if cloud is not None else _known_price(con, gpu_id, "usd_per_gpu_hour", "--cloud")
        if watts is None and tdp_w is None:
            fail(f"the TDP of {gpu_id} is not known; give --watts")
        watts = watts if watts is not None else float(tdp_w or 0) + host_w
        bound = [purchase, cloud, utilisation, watts, kwh if kwh is not None else guide_kwh]
        if not all(math.isfinite(value) for value in bound):
            fail("every number must be finite")
        (days,) = con.execute("SELECT break_even_days(?, ?, ?, ?, ?)", bound).fetchall()[0]
    _write_years(bound, days, form)


# the bare machine, the power of its host and the electricity price that table break_even counts with
_HOST = """SELECT host_usd, watts - tdp_w, usd_per_kwh FROM break_even JOIN gpu ON gpu_id = buy_gpu_id
    WHERE NOT guide_case ORDER BY ALL LIMIT 1"""


def _write_years(bound: list[float], days: float | None, form: Format) -> None:
    purchase, cloud, utilisation, watts, kwh = bound
    hours = 8760 * utilisation
    power = watts / 1000 * hours * kwh
    rows = [
        [y, round(cloud * hours * y, 2), round(purchase + power * y, 2), round((cloud * hours - power) * y - purchase, 2)]
        for y in range(1, 6)
    ]
    write(["after_years", "cloud_usd", "own_machine_usd", "saved_by_buying_usd"], rows, form)
    terms = f"{purchase:g} USD against {cloud:g} USD/h at {utilisation:.0%} use, {watts:g} W, {kwh:g} USD/kWh"
    err.print(f"{terms}: " + (f"buying is cheaper from day {days:.0f}" if days is not None else "buying is never cheaper"))


def _card(con: duckdb.DuckDBPyConnection, label: str) -> tuple[str, float | None]:
    """The card of that gpu_id or name; ends the command with the nearest names where there is none."""
    rows = con.execute("SELECT gpu_id, name, tdp_w FROM gpu").fetchall()
    for gpu_id, name, tdp_w in rows:
        if label.lower() in (gpu_id.lower(), name.lower()):
            return gpu_id, tdp_w
    near = difflib.get_close_matches(label.lower(), [row[0] for row in rows], n=3, cutoff=0.3)
    hint = f"did you mean {', '.join(near)}?" if near else 'see: gpuledger query "SELECT gpu_id FROM gpu"'
    return fail(f"no card {label!r}; {hint}")


def _known_price(con: duckdb.DuckDBPyConnection, gpu_id: str, column: str, option: str) -> float:
    order = f"observed_at DESC, {column}" if column == "usd_per_gpu" else column
    rows = con.execute(
        f"SELECT {column}, provider, observed_at, kind FROM price WHERE gpu_id = ? AND {column} IS NOT NULL ORDER BY {order}, observation_id LIMIT 1",
        [gpu_id],
    ).fetchall()
    if not rows:
        fail(f"no price of {gpu_id} is known; give {option}")
    value, provider, observed_at, kind = rows[0]
    err.print(f"{option} {value:g}: {kind} by {provider}, {observed_at}")
    return float(value)
