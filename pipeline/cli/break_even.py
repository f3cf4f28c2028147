"""The command `break-even`: days until buying a GPU is cheaper than renting it."""

from typing import Annotated, NamedTuple

import duckdb
import typer

from pipeline.cli.gpu_option import find_variants
from pipeline.cli.output import DatabaseOption, Format, FormatOption, err, fail, open_database, write_rows

Gpu = Annotated[
    str, typer.Option(metavar="G", help="GPU, by gpu_id, name or label; of several variants, the cheapest to rent counts.")
]
Gpus = Annotated[int, typer.Option(metavar="N", min=1, max=1024, help="GPUs in the machine, and rented instead of it.")]
Purchase = Annotated[
    float | None,
    typer.Option(
        metavar="USD",
        min=0,
        max=1e9,
        help="Price of the whole machine; default: the GPUs' price of the last 12 months and the rest of the machine.",
    ),
]
Cloud = Annotated[
    float | None,
    typer.Option(metavar="USD/H", min=0, max=1e6, help="Rental price per GPU-hour; default: the cheapest current offer."),
]
Utilisation = Annotated[
    float | None,
    typer.Option(
        "--utilization",
        "--utilisation",
        metavar="U",
        min=0.001,
        max=1,
        help="Share of hours in use; default: the assumption `utilisation`.",
    ),
]
Watts = Annotated[
    float | None,
    typer.Option(
        metavar="W",
        min=0,
        max=1e9,
        help="Power under load; default: the GPUs' TDP, and for the rest the guide's 100 W for each four.",
    ),
]
Electricity = Annotated[
    float | None,
    typer.Option(
        "--kwh",
        "--electricity",
        metavar="USD",
        min=0,
        max=1e3,
        help="Electricity price per kWh; default: the assumption `usd_per_kwh`.",
    ),
]
Resale = Annotated[
    float, typer.Option(metavar="SHARE", min=0, max=1, help="Share of its price that the GPU keeps per year; 0: no resale.")
]
OlderPrices = Annotated[
    bool,
    typer.Option(
        "--older-prices",
        help="Use the last known price, even if it is older than 12 months or the launch price; never an estimate.",
    ),
]


class Costs(NamedTuple):
    """Costs of both ways, in the order of the parameters of `break_even_days`. Prices are of all GPUs together."""

    purchase_usd: float
    cloud_usd_per_hour: float
    utilization: float
    watts: float
    usd_per_kwh: float


class Sale(NamedTuple):
    """Price of the GPUs without the machine, and the share of it that they keep per year (0: no resale)."""

    gpu_usd: float
    kept_per_year: float


def break_even(
    gpu: Gpu,
    gpus: Gpus = 1,
    purchase: Purchase = None,
    cloud: Cloud = None,
    utilisation: Utilisation = None,
    watts: Watts = None,
    kwh: Electricity = None,
    resale: Resale = 0.0,
    older_prices: OlderPrices = False,
    form: FormatOption = "table",
    db: DatabaseOption = None,
) -> None:
    """Compute after how many days buying is cheaper.

    Prints also the cost of buying and of renting for five years.

    Example: gpuledger break-even --gpu nvidia-geforce-rtx-3090-24gb --purchase 2200 --cloud 2.14
    """
    given = {"cloud": cloud is not None, "purchase": purchase is not None, "older": older_prices}
    with open_database(db) as con:
        gpu_id = _choose_gpu(con, gpu, given)
        asked = {"gpu_id": gpu_id, "gpus": gpus, "utilisation": utilisation, "kwh": kwh}
        host_usd, machine_w, share_used, usd_per_kwh, is_module = con.execute(_MACHINE, asked).fetchall()[0]
        if purchase is None:
            purchase = _price_of_machine(con, gpu_id, gpus, None if is_module else host_usd, older_prices)
        if cloud is None:
            cloud, source = _default_price(con, gpu_id, "rent")
            err.print(f"--cloud {cloud:.10g}: {source}")
        if watts is None and machine_w is None:
            fail(f"the TDP of {gpu_id} is unknown; add --watts")
        costs = Costs(purchase, gpus * cloud, share_used, machine_w if watts is None else watts, usd_per_kwh)
        sale = Sale(max(purchase - (host_usd or 0.0), 0.0), resale)
        days = _break_even_days(con, costs, sale)
    _write_years(costs, sale, days, form)


def _price_of_machine(
    con: duckdb.DuckDBPyConnection, gpu_id: str, gpus: int, host_usd: float | None, older_prices: bool
) -> float:
    """Return what the machine without GPUs and its GPUs cost, and print it; a price that is not known ends the command."""
    usd, source = _price_to_buy(con, gpu_id, older_prices)
    if host_usd is None:
        fail(f"the price of a machine for {gpus} x {gpu_id} is not known; add --purchase, its price with the GPUs")
    total = host_usd + gpus * usd
    err.print(f"--purchase {total:.10g}: {gpus} x {usd:g} USD ({source}) and {host_usd:g} USD for the rest of the machine")
    return total


# price of the machine without GPUs (none known for other numbers of them), its power with them, use and electricity price as
# asked or as assumed, and whether no desktop takes the GPU
_MACHINE = """
    WITH given AS (
        SELECT max(value) FILTER (assumption_id = 'host_w') AS host_w,
            max(value) FILTER (assumption_id = 'gpus_per_host_w') AS gpus_per_host_w,
            max(value) FILTER (assumption_id = 'utilisation') AS utilisation,
            max(value) FILTER (assumption_id = 'usd_per_kwh') AS usd_per_kwh
        FROM assumption
    )
    SELECT b.base_cost_usd, machine_w($gpus, g.tdp_w, host_w, gpus_per_host_w),
        coalesce($utilisation::DOUBLE, utilisation), coalesce($kwh::DOUBLE, usd_per_kwh), is_module(g.slot_width, g.form_factor)
    FROM gpu AS g CROSS JOIN given LEFT JOIN base_system_cost AS b ON b.gpu_count = $gpus
    WHERE g.gpu_id = $gpu_id"""


def _break_even_days(con: duckdb.DuckDBPyConnection, costs: Costs, sale: Sale) -> float | None:
    """Compute the days by the guide's formula, or by the one with resale of the GPU; None = never."""
    if sale.kept_per_year:
        (days,) = con.execute("SELECT break_even_days_with_resale(?, ?, ?, ?, ?, ?, ?)", [*costs, *sale]).fetchall()[0]
    else:
        (days,) = con.execute("SELECT break_even_days(?, ?, ?, ?, ?)", [*costs]).fetchall()[0]
    return None if days is None else float(days)


def _write_years(costs: Costs, sale: Sale, days: float | None, form: Format) -> None:
    """Print what both ways cost after each of five years, and the answer."""
    purchase, cloud, utilization, watts, kwh = costs
    hours = 8760 * utilization
    electricity = watts / 1000 * hours * kwh
    years = [(y, cloud * hours * y, purchase + electricity * y, sale.gpu_usd * sale.kept_per_year**y) for y in range(1, 6)]
    rows = [[y, *(round(usd, 2) for usd in (rent, own, sold, rent - own + sold))] for y, rent, own, sold in years]
    write_rows(["after_years", "cloud_usd", "own_machine_usd", "gpu_sells_for_usd", "saved_by_buying_usd"], rows, form)
    terms = f"{purchase:g} USD vs. {cloud:g} USD/h at {utilization:.0%} utilization, {watts:g} W, {kwh:g} USD/kWh"
    terms += f", the GPU keeps {sale.kept_per_year:.0%} of its price per year" if sale.kept_per_year else ""
    condition = ", if the GPU is then sold" if sale.kept_per_year else ""
    answer = "buying is never cheaper" if days is None else f"buying is cheaper from day {days:.0f}{condition}"
    err.print(f"{terms}: {answer}")


def _choose_gpu(con: duckdb.DuckDBPyConnection, label: str, given: dict[str, bool]) -> str:
    """Return gpu_id. If the variant is not stated: the cheapest to rent of those with the prices needed, printed."""
    gpu_ids = find_variants(con, label)
    ((gpu_id, is_rented),) = con.execute(_CHEAPEST, given | {"gpu_ids": list(gpu_ids)}).fetchall()
    if len(gpu_ids) > 1:
        others = ", ".join(other for other in gpu_ids if other != gpu_id)
        why = "the cheapest to rent of those with the prices needed" if is_rented else "the first by name, as none is rented"
        err.print(f"--gpu {gpu_id}: {label!r} does not state the variant, and counts as this one, {why}. Others: {others}")
    return str(gpu_id)


_CHEAPEST = """SELECT gpu.gpu_id, rent.usd IS NOT NULL
    FROM gpu
    LEFT JOIN offer_default buy ON buy.gpu_id = gpu.gpu_id AND buy.acquisition = 'buy' AND ($older OR is_current_purchase(buy.kind, buy.stale))
    LEFT JOIN offer_default rent ON rent.gpu_id = gpu.gpu_id AND rent.acquisition = 'rent'
    WHERE list_contains($gpu_ids, gpu.gpu_id)
    ORDER BY rent.usd IS NULL AND NOT $cloud, buy.usd IS NULL AND NOT $purchase, rent.stale NULLS LAST, rent.usd, gpu.gpu_id LIMIT 1"""


def _price_to_buy(con: duckdb.DuckDBPyConnection, gpu_id: str, older_prices: bool) -> tuple[float, str]:
    """Return the last known price of the GPU; one that is not current ends the command unless older prices are asked for."""
    rows = con.execute(_OLDER, [gpu_id]).fetchall()
    if rows and not older_prices:
        kind, usd, price_date = rows[0]
        fail(
            f"no purchase price of {gpu_id} from the last 12 months; the last known is {usd:g} USD ({kind}, {price_date}): "
            "add --purchase USD or --older-prices"
        )
    return _default_price(con, gpu_id, "buy")


def _default_price(con: duckdb.DuckDBPyConnection, gpu_id: str, acquisition: str) -> tuple[float, str]:
    """Return the price of table offer_default, and whose it is, with its date and whether it is current."""
    rows = con.execute(_OFFER, [gpu_id, acquisition]).fetchall()
    if not rows:
        fail(_missing_price(con, gpu_id, acquisition))
    usd, provider, price_date, kind, stale = rows[0]
    hosts = ", the lowest of its independent hosts" if kind == "marketplace" else ""
    return float(usd), f"{kind} from {provider}, {price_date}{hosts}{', no current offer' if stale else ''}"


def _missing_price(con: duckdb.DuckDBPyConnection, gpu_id: str, acquisition: str) -> str:
    """Return which price is not known, and the estimate that does not count as one."""
    if acquisition == "rent":
        return f"no rental price of {gpu_id} is known; add --cloud USD/H"
    rows = con.execute(_ESTIMATE, [gpu_id]).fetchall()
    estimate = "".join(f", only an estimate of its launch price, {usd:g} USD ({price_date})" for usd, price_date in rows)
    return f"no current purchase price of {gpu_id} is known{estimate}; add --purchase USD"


_ESTIMATE = """SELECT usd_per_gpu, observed_at FROM price
    WHERE gpu_id = ? AND kind = 'msrp' AND qualifier = 'estimate' ORDER BY observed_at DESC LIMIT 1"""
_OLDER = """SELECT kind, usd, price_date FROM offer_default
    WHERE gpu_id = ? AND acquisition = 'buy' AND NOT is_current_purchase(kind, stale)"""
_OFFER = """SELECT usd, coalesce(seller.name, provider), price_date, replace(coalesce(billing, offer.kind), '_', ' '), stale
    FROM offer_default offer LEFT JOIN provider seller ON seller.provider_id = offer.provider WHERE gpu_id = ? AND acquisition = ?"""
