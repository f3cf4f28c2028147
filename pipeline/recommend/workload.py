"""Recommendation of a GPU for a workload: limits, the Pareto front of time and cost, a rank and a reason for each GPU.

The rules are the statement of `pipeline/metrics/value/scenario_rank.sql`, which answers the guides' questions. A question
replaces the table `scenario` that it reads, so that command line and tables cannot differ.
"""

import datetime as dt
import functools
from dataclasses import asdict, dataclass
from typing import Literal, get_args

import duckdb

from pipeline.schema.core import sql_types
from pipeline.warehouse.connection import dictionaries
from pipeline.warehouse.sql_models import metric_sql

Objective = Literal["cheapest", "fastest", "memory", "memory_per_usd"]
MOST_GPUS = 8  # for which scaling_efficiency has a measured factor
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, in the columns of table `scenario`. None means no limit.

    `hours` is the working time that the budget must cover, as rent or as electricity of a bought machine at `usd_per_kwh`
    (None leaves electricity out). Without hours, the budget covers the rent of one run. `billing` lists the accepted billing
    terms, separated by commas. `max_slots` (two per connector) and `max_watts` are totals of all GPUs. `older_prices` lets a
    purchase count launch prices and prices older than a year, and a rental the last known price where no GPU has a current one.
    """

    workload: str
    acquisition: str = "rent"
    objective: str = "cheapest"
    billing: str = "on_demand"
    gpus: int = 1
    hours: float | None = 1.0
    min_memory_gb: float | None = None
    budget_usd: float | None = None
    data_centre: bool = False
    max_slots: float | None = None
    max_watts: float | None = None
    vendor: str | None = None
    provider: str | None = None
    min_cuda: str | None = None
    usd_per_kwh: float | None = None
    older_prices: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedGpu:
    """A GPU as an answer, in the columns of table `scenario_rank`; `rank` is None if it misses a limit or is unranked."""

    gpu_id: str
    rank: int | None
    is_pareto_optimal: bool | None
    name: str
    memory_gb: float | None
    basis: str | None
    seconds: float | None
    seconds_low: float | None
    seconds_high: float | None
    observation_id: str | None
    provider: str | None
    price_kind: str | None
    billing: str | None
    commitment_months: int | None
    price_usd: float | None
    price_date: dt.date | None
    stale: bool | None
    cost_usd: float | None
    cost_usd_low: float | None
    cost_usd_high: float | None
    system_usd: float | None
    electricity_usd: float | None
    unranked: bool
    reason: str


def workloads(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List the workloads: kinds of networks, memory bandwidth, and the tasks that a guide timed."""
    rows = con.execute("SELECT workload FROM workload_time GROUP BY workload, kind ORDER BY kind = 'task', workload").fetchall()
    return [name for (name,) in rows]


def providers(con: duckdb.DuckDBPyConnection, acquisition: str | None = None) -> list[str]:
    """List the providers of current offers, to rent or to buy where only one of them is asked for."""
    sql = "SELECT DISTINCT provider FROM offer_current WHERE acquisition = coalesce(?, acquisition) ORDER BY 1"
    return [name for (name,) in con.execute(sql, [acquisition]).fetchall()]


def ways_by_provider(con: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Return whether each provider of current offers rents, sells or does both."""
    sql = "SELECT provider, list(DISTINCT acquisition ORDER BY acquisition) FROM offer_current GROUP BY 1 ORDER BY 1"
    return dict(con.execute(sql).fetchall())


def vendors(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List the makers of GPUs."""
    return [name for (name,) in con.execute("SELECT DISTINCT vendor FROM gpu ORDER BY 1").fetchall()]


def answer(con: duckdb.DuckDBPyConnection, question: Question) -> list[RankedGpu]:
    """Return the ranked GPUs, then unranked ones by time, then those that miss a limit, by gpu_id."""
    return [RankedGpu(**row) for row in dictionaries(con.execute(statement(), asdict(question)))]


@functools.cache
def statement() -> str:
    """Return the statement of the rules over one question, whose fields are its parameters."""
    parameters = ", ".join(f"${name}::{sql} AS {name}" for name, sql in sql_types(Question).items())
    rules = metric_sql("scenario_rank")
    order = "rank NULLS LAST, NOT unranked, CASE WHEN unranked THEN seconds END, gpu_id"
    scenario = f"SELECT 'asked' AS scenario_id, {parameters}"
    return f"WITH scenario AS ({scenario}) SELECT * EXCLUDE (scenario_id) FROM ({rules}) ORDER BY {order}"
