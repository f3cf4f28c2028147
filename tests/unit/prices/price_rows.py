"""Prices of a made-up offer, and the history that the metrics' own SQL makes of them."""

import datetime as dt
import re
from typing import Any

import duckdb

from pipeline.prices.queries import query
from pipeline.schema import RECORDS
from pipeline.warehouse import gpu_labels, sql_models
from pipeline.warehouse.connection import dictionaries

AS_OF = dt.date(2026, 8, 20)
GPU = "nvidia-h100-sxm5-80gb"
MODEL = "nvidia-h100"
OFFER: dict[str, Any] = {
    "source_id": "one",
    "provider": "acme",
    "gpu_model_id": MODEL,
    "gpu_id": GPU,
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
PARSED: dict[str, Any] = {
    "provider": "acme", "raw_gpu_name": "L40", "gpu_count": 2, "partition": "whole", "scope": "global", "kind": "cloud_rental",
    "billing": "on_demand", "price_raw": "2", "amount": 2.0, "currency": "USD", "price_unit": "hour", "price_basis": "per_gpu",
    "qualifier": "exact", "observed_at": AS_OF, "_locator": "line 2",
}  # fmt: skip


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
    """Load the prices. Tables of the history are computed when `rows` is asked for them."""
    for number, price in enumerate(prices):
        row = {"observation_id": f"{number:03}"} | price
        con.execute(f"INSERT INTO price ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
    con.execute("DROP TABLE source_day")  # it was made without prices
    compute(con, {"source_day"})  # for the macro that reads it
    return con


def compute(con: duckdb.DuckDBPyConnection, names: set[str]) -> None:
    """Compute those of the named tables that are missing, and those that they read, with the bodies of the metric files."""
    found, needed = sql_models.metrics(), names - {name for (name,) in con.execute("SHOW TABLES").fetchall()}
    for name in reversed(found):
        needed |= set(found[name].reads) if name in needed else set()
    for name in [name for name in found if name in needed]:
        con.execute(f"CREATE TABLE IF NOT EXISTS {name} AS {found[name].file.body}")


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query, after the tables that it names: all of them would take several times as long."""
    compute(con, set(re.findall(r"\w+", sql)))
    return con.execute(sql).fetchall()


def create_parsed(con: duckdb.DuckDBPyConnection) -> None:
    """Create empty tables of parsed prices and labels, and the views of the rules over them."""
    columns = ", ".join(f"{c.name} {c.sql_type}" for c in RECORDS["price"].__table__.columns if not c.col.filled)
    con.execute(f"""CREATE TABLE parsed({columns}, _source_id VARCHAR, _snapshot_id VARCHAR, _path VARCHAR, _locator VARCHAR,
        _row BIGINT)""")
    con.execute(f"CREATE TABLE label({gpu_labels.COLUMNS})")
    con.execute(f"CREATE TEMP VIEW priced AS {query('priced')}")
    con.execute(f"CREATE TEMP VIEW normalized AS {query('reject_rules')}")


def add(con: duckdb.DuckDBPyConnection, table: str, **row: Any) -> None:
    con.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


def normalized_price(con: duckdb.DuckDBPyConnection, **changes: Any) -> dict[str, Any]:
    """Insert a parsed offer with the changes; return its row after the rules."""
    ((row,),) = con.execute("SELECT count(*) FROM parsed").fetchall()
    add(con, "parsed", **(PARSED | {"_row": row} | changes))
    (normalized,) = dictionaries(con.execute("FROM normalized WHERE _row = ?", [row]))
    return normalized
