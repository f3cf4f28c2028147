"""Which card to take for a workload: hard limits first, then the Pareto front of time and cost, with reasons.

Works on the runs that the guides timed; every figure keeps the day and the source of its price.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Any

import duckdb

DATA_CENTRE_BARRED = ("consumer", "laptop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked. Limits that are None do not bind; `hours` is how long the machine is rented."""

    workload: str
    buy: bool = False
    min_memory_gb: float | None = None
    budget_usd: float | None = None
    hours: float = 1.0
    gpus: int = 1
    data_centre: bool = False
    provider: str | None = None
    billing: str | None = None
    min_cuda: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A card with a measured run of the workload, and what it costs on the terms asked for."""

    gpu_id: str
    name: str
    segment: str
    memory_gb: float
    min_cuda_version: str | None
    machine: str
    source_id: str
    status: str
    seconds: float | None
    provider: str | None
    billing: str | None
    price_usd: float | None
    observed_at: dt.date | None


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate that meets every limit: its place, its cost, and why it stands there."""

    rank: int
    candidate: Candidate
    cost_usd: float
    on_front: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Choices in order, and each excluded candidate with the limit that it does not meet."""

    choices: list[Choice]
    excluded: list[tuple[Candidate, str]]


def workloads(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Workloads that a guide timed."""
    return [name for (name,) in con.execute("SELECT DISTINCT task FROM guide_run ORDER BY 1").fetchall()]


def providers(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Who sells or rents a card."""
    return [name for (name,) in con.execute("SELECT DISTINCT provider FROM price WHERE gpu_id IS NOT NULL ORDER BY 1").fetchall()]


def answer(con: duckdb.DuckDBPyConnection, question: Question) -> Answer:
    """Rank the cards that meet the question's limits.

    The cost is USD per run of one card when renting (the rental price for the seconds of the run), USD per card
    times the number of cards when buying; the budget counts all cards and hours. A card is on the front when no
    other is both faster and cheaper. Order: the front by cost, then the rest by cost.
    """
    candidates = [Candidate(**row) for row in _rows(con, question)]
    judged = [(candidate, _obstacle(candidate, question)) for candidate in candidates]
    fit = [(candidate, _cost(candidate, question)) for candidate, obstacle in judged if obstacle is None]
    return Answer(_ranked(fit), [(candidate, obstacle) for candidate, obstacle in judged if obstacle])


_SQL = """
SELECT g.gpu_id, g.name, g.segment, g.memory_gb, g.min_cuda_version, run.machine, run.source_id, run.status, run.seconds,
       offer.provider, offer.billing, offer.price_usd, offer.observed_at
FROM guide_run AS run
JOIN guide_machine AS machine USING (source_id, machine)
JOIN gpu AS g ON g.gpu_id = machine.gpu_id
LEFT JOIN (
    SELECT gpu_id, provider, billing, observed_at, CASE WHEN $buy THEN usd_per_gpu ELSE usd_per_gpu_hour END AS price_usd
    FROM price
    WHERE (CASE WHEN $buy THEN kind IN ('purchase_new', 'purchase_used', 'msrp') ELSE kind = 'cloud_rental' END)
      AND ($provider IS NULL OR lower(provider) = lower($provider))
      AND ($billing IS NULL OR billing = $billing)
    QUALIFY row_number() OVER (PARTITION BY gpu_id ORDER BY observed_at DESC, price_usd, observation_id) = 1
) AS offer ON offer.gpu_id = g.gpu_id
WHERE run.task = $workload
ORDER BY g.gpu_id, run.machine
"""


def _rows(con: duckdb.DuckDBPyConnection, question: Question) -> list[dict[str, Any]]:
    bound = {"buy": question.buy, "provider": question.provider, "billing": question.billing, "workload": question.workload}
    found = con.execute(_SQL, bound)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _obstacle(c: Candidate, q: Question) -> str | None:
    """The first limit that the candidate does not meet, in words; None where it meets all."""
    if c.status != "ok" or c.seconds is None:
        return "ran out of memory on this workload" if c.status == "oom" else f"the run ended as {c.status}"
    if q.min_memory_gb is not None and c.memory_gb < q.min_memory_gb:
        return f"{c.memory_gb:g} GB of memory, {q.min_memory_gb:g} GB asked for"
    if q.data_centre and c.segment in DATA_CENTRE_BARRED:
        return "the vendor's driver licence bars GeForce and Titan cards from data centres"
    return _cuda_obstacle(c, q) or _price_obstacle(c, q)


def _cuda_obstacle(c: Candidate, q: Question) -> str | None:
    if q.min_cuda is None:
        return None
    if c.min_cuda_version is None:
        return "not known to support CUDA"
    needed = _version(c.min_cuda_version) > _version(q.min_cuda)
    return f"needs CUDA {c.min_cuda_version}, {q.min_cuda} at hand" if needed else None


def _price_obstacle(c: Candidate, q: Question) -> str | None:
    if c.price_usd is None:
        return "no purchase price is known" if q.buy else "no rental price is known on these terms"
    spent = _outlay(c, q)
    if q.budget_usd is None or spent <= q.budget_usd:
        return None
    what = f"{q.gpus} x {c.price_usd:,.2f} USD" + ("" if q.buy else f" x {q.hours:g} h")
    return f"{what} = {spent:,.2f} USD, above {q.budget_usd:,.2f}"


def _outlay(c: Candidate, q: Question) -> float:
    return (c.price_usd or 0.0) * q.gpus * (1.0 if q.buy else q.hours)


def _cost(c: Candidate, q: Question) -> float:
    """USD per run of one card when renting, USD for all cards when buying."""
    return _outlay(c, q) if q.buy else (c.price_usd or 0.0) * (c.seconds or 0.0) / 3600


def _ranked(fit: list[tuple[Candidate, float]]) -> list[Choice]:
    front = [_on_front(pair, fit) for pair in fit]
    order = sorted(zip(fit, front, strict=True), key=lambda item: (not item[1], item[0][1], item[0][0].seconds or 0.0))
    fastest = min((candidate.seconds or 0.0 for candidate, _ in fit), default=0.0)
    cheapest = min((cost for _, cost in fit), default=0.0)
    return [
        Choice(rank, candidate, cost, on, _reason(candidate, cost, on, fastest, cheapest))
        for rank, ((candidate, cost), on) in enumerate(order, start=1)
    ]


def _on_front(one: tuple[Candidate, float], fit: list[tuple[Candidate, float]]) -> bool:
    seconds, cost = one[0].seconds or 0.0, one[1]
    return not any(
        (other.seconds or 0.0) <= seconds and c <= cost and ((other.seconds or 0.0) < seconds or c < cost) for other, c in fit
    )


def _reason(candidate: Candidate, cost: float, on_front: bool, fastest: float, cheapest: float) -> str:
    slower, dearer = (candidate.seconds or 0.0) / fastest, cost / cheapest
    if cost == cheapest and candidate.seconds == fastest:
        return "the cheapest and the fastest"
    if cost == cheapest:
        return f"the cheapest; {slower:.2f} times the time of the fastest"
    if candidate.seconds == fastest:
        return f"the fastest; {dearer:.2f} times the cost of the cheapest"
    if on_front:
        return f"none is both faster and cheaper; {slower:.2f} times the fastest's time, {dearer:.2f} times the cheapest's cost"
    return f"another is both faster and cheaper; {slower:.2f} times the fastest's time, {dearer:.2f} times the cheapest's cost"


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
