"""Which card to take for a workload: hard limits, the Pareto front of time and cost, a place and a reason for each card.

The rules are the statement of `metrics/choice.sql`, which answers the questions of the guides in table `choice`. A reader's own
question is put in the place of the table `scenario` that it reads, so that the command line and the tables cannot differ.
"""

import datetime as dt
import functools
from dataclasses import asdict, dataclass
from typing import Any, get_args

import duckdb

from pipeline.warehouse.sql_models import metrics

OBJECTIVES = ("cheapest", "fastest", "memory", "memory_per_usd")
_SQL_TYPES = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, in the columns of table `scenario`. Limits that are None do not bind.

    `hours` is how long the cards work: the budget must cover their rent, and a bought machine takes electricity at
    `usd_per_kwh`, which None leaves out; `billing` the terms of a rental that count, comma-separated; `max_slots` (two a
    connector) and `max_watts` are those of all cards together.
    """

    workload: str
    way: str = "rent"
    objective: str = "cheapest"
    billing: str = "on_demand"
    gpus: int = 1
    hours: float = 1.0
    min_memory_gb: float | None = None
    budget_usd: float | None = None
    data_centre: bool = False
    max_slots: float | None = None
    max_watts: float | None = None
    vendor: str | None = None
    provider: str | None = None
    min_cuda: str | None = None
    usd_per_kwh: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A card judged for a question, in the columns of table `choice`; `place` is None where a limit is not met."""

    gpu_id: str
    place: int | None
    on_front: bool | None
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
    price_usd: float | None
    price_date: dt.date | None
    stale: bool | None
    cost_usd: float | None
    cost_usd_low: float | None
    cost_usd_high: float | None
    system_usd: float | None
    electricity_usd: float | None
    reason: str


def workloads(con: duckdb.DuckDBPyConnection) -> list[str]:
    """What can be asked for: kinds of networks, decoding, and the tasks that a guide timed."""
    rows = con.execute("SELECT workload FROM workload_time GROUP BY workload, kind ORDER BY kind = 'task', workload").fetchall()
    return [name for (name,) in rows]


def providers(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Who sells or rents a card."""
    return [name for (name,) in con.execute("SELECT DISTINCT provider FROM offer_current ORDER BY 1").fetchall()]


def vendors(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Who makes cards."""
    return [name for (name,) in con.execute("SELECT DISTINCT vendor FROM gpu ORDER BY 1").fetchall()]


def answer(con: duckdb.DuckDBPyConnection, question: Question) -> list[Choice]:
    """Every card that has a time on the workload or could have one: choices by place, then those that miss a limit by gpu_id."""
    found = con.execute(statement(), asdict(question))
    names = [column[0] for column in found.description]
    return [_choice(dict(zip(names, row, strict=True))) for row in found.fetchall()]


@functools.cache
def statement() -> str:
    """The rules with a question's parameters, named as its fields, in the place of the guides' questions."""
    fields = {name: _SQL_TYPES[(get_args(hint) or (hint,))[0]] for name, hint in Question.__annotations__.items()}
    asked = ", ".join(f"${name}::{sql} AS {name}" for name, sql in fields.items())
    rules = metrics()["choice"].file.body
    return f"WITH scenario AS (SELECT 'asked' AS scenario_id, {asked}) FROM ({rules}) ORDER BY place IS NULL, place, gpu_id"


def _choice(row: dict[str, Any]) -> Choice:
    return Choice(**{name: value for name, value in row.items() if name != "scenario_id"})
