"""Prices of a made-up offer, and the history that the metrics' own SQL makes of them."""

import datetime as dt
from typing import Any

import duckdb

from pipeline.warehouse import sql_models

AS_OF = dt.date(2026, 8, 20)
CARD = "nvidia-h100-sxm5-80gb"
MODEL = "nvidia-h100"
TABLES = (
    "source_day",
    "_price_span",
    "_price_day",
    "offer_repeat",
    "_price_period",
    "price_latest",
    "price_daily",
    "price_change",
    "source_change",
    "_matched_index",
    "price_index",
    "provider_index",
    "price_history",
    "price_history_summary",
    "price_comparison",
    "source_health",
)
OFFER: dict[str, Any] = {
    "source_id": "one",
    "provider": "Acme",
    "gpu_model_id": MODEL,
    "gpu_id": CARD,
    "snapshot_id": "stored",
    "gpu_count": 1,
    "partition": "whole",
    "kind": "cloud_rental",
    "billing": "on_demand",
    "currency": "USD",
    "price_unit": "hour",
    "price_basis": "per_gpu",
    "qualifier": "exact",
    "stale": False,
}


def august(day: int) -> dt.date:
    return dt.date(2026, 8, day)


def offer(key: str, usd: float, first: int, last: int | None = None, **terms: Any) -> dict[str, Any]:
    """A price seen on the days of August 2026 from `first` to `last`."""
    dated = {"observed_at": august(last or first)}
    if last:
        dated |= {"effective_from": august(first), "effective_to": august(last)}
    return OFFER | dated | {"offer_key": key, "amount": usd, "usd_per_gpu_hour": usd} | terms


def seller(name: str, usd: float, day: int, **terms: Any) -> dict[str, Any]:
    """A price of a provider that has one offer."""
    return offer(name, usd, day, **({"provider": name} | terms))


def history(con: duckdb.DuckDBPyConnection, *prices: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """Load the prices and compute the history with the bodies of the metric files."""
    for number, price in enumerate(prices):
        row = {"observation_id": f"{number:03}"} | price
        con.execute(f"INSERT INTO price ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
    found = sql_models.metrics()
    for name in TABLES:
        con.execute(f"CREATE OR REPLACE TABLE {name} AS {found[name].file.body}")
    return con


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return con.execute(sql).fetchall()
