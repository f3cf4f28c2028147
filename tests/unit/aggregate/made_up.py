"""Small made-up histories of prices, as Parquet files by source and month, and what the metrics make of them all at once."""

import datetime as dt
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from pipeline.aggregate import history, observations
from pipeline.warehouse.sql_models import metric_sql

FIRST = dt.date(2026, 1, 1)
OFFERS = range(12)
SIGHTING: dict[str, Any] = {
    "source_id": "one", "stated_until": None, "gpu_model_id": "h100", "gpu_id": None, "kind": "cloud_rental",
    "billing": "on_demand", "commitment": "none", "provider": "acme", "region": "none", "listing": "/1", "usd": 2.0,
    "counts": True, "is_listed": True, "max_age_days": 10,
}  # fmt: skip


def sighting(offer: int, date: dt.date, usd: float, **terms: Any) -> dict[str, Any]:
    """One price of an offer. Its number decides its source, provider, variant and kind."""
    terms = {
        "source_id": "one" if offer % 2 else "two",
        "provider": f"provider {offer % 3}",
        "gpu_id": "h100-pcie" if offer % 4 else None,
        "kind": "purchase_new" if offer % 5 == 4 else "cloud_rental",
        "listing": f"offer {offer}" if offer % 5 == 4 else "/1",
        "is_listed": bool(offer % 7),
    } | terms
    return SIGHTING | {"offer_key": f"offer {offer}", "date": date, "usd": usd} | terms


def write(folder: Path, rows: Iterable[dict[str, Any]], repeats: Iterable[tuple[str, str, int | None]] = ()) -> None:
    """Write the sightings as stored observations, in place of earlier ones."""
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE seen ({', '.join(f'{name} {form}' for name, form in observations.COLUMNS.items())})")
        for row in rows:
            con.execute(f"INSERT INTO seen VALUES ({', '.join('?' * len(row))})", [row[name] for name in observations.COLUMNS])
        con.execute(f"""COPY (SELECT *, strftime(date, '%Y-%m') AS month FROM seen ORDER BY offer_key, date) TO '{folder}'
            (FORMAT parquet, PARTITION_BY (source_id, month), WRITE_PARTITION_COLUMNS, OVERWRITE_OR_IGNORE)""")
        con.execute("CREATE TABLE offer_repeat(offer_key VARCHAR, repeats VARCHAR, replaces_after_days BIGINT)")
        for pair in repeats:
            con.execute("INSERT INTO offer_repeat VALUES (?, ?, ?)", pair)
        con.execute(f"COPY offer_repeat TO '{folder / observations.REPEATS}' (FORMAT parquet)")


def daily_of(out: Path) -> list[tuple[Any, ...]]:
    """The stored daily figures, in order."""
    return duckdb.execute(
        f"FROM read_parquet('{out}/price_daily/*/*.parquet', hive_partitioning = false) ORDER BY ALL"
    ).fetchall()


def daily_at_once(con: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    """The same from all observations, as a build computes it: without months."""
    return con.execute("FROM price_daily ORDER BY ALL").fetchall()


def known_of(out: Path, day: dt.date) -> list[tuple[Any, ...]]:
    """Newest price of each offer on a day, from the stored results, without the day on which it was seen: intervals differ."""
    sql = f"SELECT * EXCLUDE (seen_on) FROM ({history.PRICE_AS_OF.read_text()}) ORDER BY offer_key"
    return duckdb.execute(sql, {"folder": str(out), "day": day}).fetchall()


def known_at_once(con: duckdb.DuckDBPyConnection, day: dt.date) -> list[tuple[Any, ...]]:
    """The same from the intervals of all observations."""
    newest = ", ".join(f"arg_max({name}, first_day)" for name in history.LAPSED_COLUMNS)
    sql = f"""SELECT offer_key, {newest}, max(last_day) < $day
        FROM _price_interval WHERE first_day <= $day GROUP BY offer_key ORDER BY offer_key"""
    return con.execute(sql, {"day": day}).fetchall()


@contextmanager
def at_once(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The tables of a build over all observations."""
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE _price_sighting AS FROM read_parquet('{folder}/*/*/*.parquet', hive_partitioning = false)")
        con.execute(f"CREATE TABLE offer_repeat AS FROM read_parquet('{folder / observations.REPEATS}')")
        for name in history.TABLES:
            con.execute(f"CREATE TABLE {name} AS {metric_sql(name)}")
        yield con
