"""The command on renting or buying: break-even."""

import difflib
import math
from typing import Annotated

import duckdb
import typer

from pipeline.cli.output import DatabaseOption, Format, FormatOption, err, fail, open_database, write_rows

UTILISATION = 0.15


def break_even(
    gpu: Annotated[str, typer.Option(metavar="G", help="Card, by gpu_id or name.")],
    purchase: Annotated[
        float | None,
        typer.Option(
            metavar="USD", min=0, help="Price of the whole machine; default: the card's latest known price and a bare machine."
        ),
    ] = None,
    cloud: Annotated[
        float | None, typer.Option(metavar="USD/H", min=0, help="Rental price; default: the cheapest current one of the card.")
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
    resale: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=1, help="Share of its price that the card keeps in a year; 0: no resale.")
    ] = 0.0,
    form: FormatOption = Format.table,
    db: DatabaseOption = None,
) -> None:
    """Days until buying is cheaper than renting, and what each has cost after every year.

    Example: gpuledger break-even --gpu nvidia-geforce-rtx-3090-24gb --purchase 2200 --cloud 2.14
    """
    with open_database(db) as con:
        gpu_id, tdp_w = _card(con, gpu)
        host_usd, host_w, guide_kwh = con.execute(_HOST).fetchall()[0]
        purchase = purchase if purchase is not None else host_usd + _known_price(con, gpu_id, "buy", "--purchase")
        cloud = cloud if cloud is not None else _known_price(con, gpu_id, "rent", "--cloud")
        if watts is None and tdp_w is None:
            fail(f"the TDP of {gpu_id} is not known; give --watts")
        watts = watts if watts is not None else float(tdp_w or 0) + host_w
        bound = [purchase, cloud, utilisation, watts, kwh if kwh is not None else guide_kwh]
        if not all(math.isfinite(value) for value in bound):
            fail("every number must be finite")
        sale = [max(purchase - host_usd, 0.0), resale]
        days = _days(con, bound, sale)
    _write_years(bound, sale, days, form)


# the bare machine, the power of its host and the electricity price that table break_even counts with
_HOST = """SELECT host_usd, watts - tdp_w, usd_per_kwh FROM break_even JOIN gpu ON gpu_id = buy_gpu_id
    WHERE NOT guide_case ORDER BY ALL LIMIT 1"""


def _days(con: duckdb.DuckDBPyConnection, bound: list[float], sale: list[float]) -> float | None:
    """The guide's count without resale; with it, the machine less the bare machine is what the card cost."""
    if sale[1]:
        (days,) = con.execute("SELECT break_even_days_with_resale(?, ?, ?, ?, ?, ?, ?)", bound + sale).fetchall()[0]
    else:
        (days,) = con.execute("SELECT break_even_days(?, ?, ?, ?, ?)", bound).fetchall()[0]
    return None if days is None else float(days)


def _write_years(bound: list[float], sale: list[float], days: float | None, form: Format) -> None:
    purchase, cloud, utilisation, watts, kwh = bound
    hours = 8760 * utilisation
    power = watts / 1000 * hours * kwh
    years = [(y, cloud * hours * y, purchase + power * y, sale[0] * sale[1] ** y) for y in range(1, 6)]
    rows = [[y, *(round(usd, 2) for usd in (rent, own, sold, rent - own + sold))] for y, rent, own, sold in years]
    write_rows(["after_years", "cloud_usd", "own_machine_usd", "card_sells_for_usd", "saved_by_buying_usd"], rows, form)
    terms = f"{purchase:g} USD against {cloud:g} USD/h at {utilisation:.0%} use, {watts:g} W, {kwh:g} USD/kWh"
    terms += f", the card keeping {sale[1]:.0%} of its price a year" if sale[1] else ""
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


def _known_price(con: duckdb.DuckDBPyConnection, gpu_id: str, way: str, option: str) -> float:
    """The price that comes first in offer_current, on demand before other terms; said with its day, and where it is not of today."""
    rows = con.execute(_OFFER, [gpu_id, way]).fetchall()
    if not rows:
        fail(f"no price of {gpu_id} is known; give {option}")
    usd, provider, price_date, kind, stale = rows[0]
    err.print(f"{option} {usd:g}: {kind} by {provider}, {price_date}{', no current offer' if stale else ''}")
    return float(usd)


_OFFER = """SELECT usd, provider, price_date, coalesce(billing, kind), stale FROM offer_current WHERE gpu_id = ? AND way = ?
    ORDER BY stale, billing IS DISTINCT FROM 'on_demand', preference, usd, observation_id LIMIT 1"""
