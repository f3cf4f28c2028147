"""Sources that disagree, through the loader: both prices stay, are flagged and stand side by side; one name for each firm."""

import datetime as dt
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipeline.schema import RECORDS
from pipeline.tables import load
from pipeline.warehouse import connection

GPU = "nvidia-l40-48gb"
MODEL = "nvidia-l40"
OPEN = {"gpu_id": None, "unstated": "form factor", "candidates": f"{GPU},b"}
PLACE = {"_source_id": "one", "_snapshot_id": "s", "_path": "data/raw/x", "_locator": "line 2"}
FILLED = ("observation_id", "offer_key", "source_id", "snapshot_id", "locator", "stale", "flags", "parser_version")
JUDGED: dict[str, Any] = {
    "observed_at": dt.date(2026, 8, 20), "provider": "acme", "raw_gpu_name": "L40", "gpu_id": GPU,
    "gpu_model_id": MODEL, "gpu_count": 1,
    "partition": "whole", "scope": "global", "kind": "cloud_rental", "billing": "on_demand", "price_raw": "2", "amount": 2.0,
    "currency": "USD", "price_unit": "hour", "price_basis": "per_gpu", "qualifier": "exact", "fx_rate": 1.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working database with the tables that prices refer to. Each of its many statements waits for the disk."""
    path = tmp_path_factory.mktemp("empty") / "work.duckdb"
    connection.create(path)
    with connection.connect(path) as con:
        for name in ("release", "source", "snapshot", "gpu", "gpu_model"):
            con.execute(load.ddl(RECORDS[name].__table__).replace(" NOT NULL", ""))
        con.execute("INSERT INTO release VALUES (DATE '2026-08-20')")
        con.execute("INSERT INTO source (source_id, parser_version, stale_after_days) VALUES ('one', 1, 7), ('two', 1, 7)")
        con.execute("INSERT INTO snapshot (snapshot_id) VALUES ('s')")
        con.execute("INSERT INTO gpu (gpu_id) VALUES (?), ('b')", [GPU])
        con.execute("INSERT INTO gpu_model (gpu_model_id) VALUES (?)", [MODEL])
    return path


@pytest.fixture
def loader(empty: Path, tmp_path: Path) -> Path:
    """A workspace with a copy of that database."""
    shutil.copy(empty, tmp_path)
    return tmp_path


def loaded(folder: Path, column: str, *prices: dict[str, Any]) -> list[bool]:
    """Load the prices; return the column of each."""
    columns = {c.name: c.sql_type for c in RECORDS["price"].__table__.columns if c.name not in FILLED}
    columns |= dict.fromkeys(PLACE, "VARCHAR")
    file = folder / f"{len(list(folder.glob('*.parquet')))}.parquet"  # a parsed file never changes
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE price ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")
        for number, price in enumerate(prices):
            row = JUDGED | PLACE | {"_locator": f"line {number}"} | price
            con.execute(f"INSERT INTO price ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
        con.execute(f"COPY price TO '{file}'")
    with connection.connect(folder / "work.duckdb") as con:
        built = load.load(con, "price", [file])
        assert not any(built.violations.values()), built.violations
        return [value for (value,) in con.execute(f"SELECT {column} FROM price ORDER BY locator").fetchall()]


def flagged(folder: Path, *prices: dict[str, Any]) -> list[bool]:
    """Load the prices; return for each whether it has the flag CONFLICT."""
    return loaded(folder, "contains(coalesce(flags, ''), 'CONFLICT')", *prices)


def asks(usd: float, source: str = "one", day: int = 20, **terms: Any) -> dict[str, Any]:
    return {"usd_per_gpu_hour": usd, "_source_id": source, "observed_at": dt.date(2026, 8, day)} | terms


def before(days: int, **terms: Any) -> dict[str, Any]:
    """A price of 2 USD seen so many days before the 20th of August, which is the day of the data."""
    return asks(2.0, **terms) | {"observed_at": dt.date(2026, 8, 20) - dt.timedelta(days)}


@pytest.mark.parametrize(
    ("prices", "flags"),
    [
        ([asks(2.0), asks(3.0, "two")], [True, True]),
        ([asks(2.0), asks(2.21, "two")], [True, True]),
        ([asks(2.0), asks(2.19, "two")], [False, False]),
        ([asks(2.0), asks(3.0)], [False, False]),
        ([before(7), asks(3.0, "two")], [True, True]),
        ([before(8), asks(3.0, "two")], [False, False]),
        ([before(30), before(0), asks(3.0, "two", day=5)], [True, True, True]),
        ([asks(2.0), asks(3.0, "two", **OPEN)], [True, True]),
        ([asks(2.0), asks(2.0, gpu_id="b", region="west"), asks(3.0, "two", **OPEN)], [False, False, False]),
        ([asks(2.0, **OPEN), asks(3.0, "two", **OPEN)], [True, True]),
        ([asks(2.0, region="east", os="linux"), asks(3.0, "two")], [True, True]),
        ([asks(2.0, region="east"), asks(3.0, "two", region="east")], [True, True]),
        ([asks(2.0, region="east"), asks(3.0, "two", region="west")], [False, False]),
        ([asks(2.0, region="east"), asks(3.0, region="west"), asks(3.1, "two")], [False, False, False]),
        ([asks(2.0), asks(3.0, "two", os="windows")], [False, False]),
        ([asks(2.0), asks(3.0, "two", billing="spot")], [False, False]),
    ],
)
def test_when_sources_are_in_conflict(loader: Path, prices: list[dict[str, Any]], flags: list[bool]) -> None:
    assert flagged(loader, *prices) == flags


def test_an_excerpt_of_a_list_of_machines_contradicts_no_other_source(loader: Path) -> None:
    """It may lack the machine that the other source means."""
    with connection.connect(loader / "work.duckdb") as con:
        con.execute("INSERT INTO snapshot (snapshot_id, extent) VALUES ('part', 'excerpt')")
    part = {"_snapshot_id": "part"}
    assert flagged(loader, asks(2.0), asks(3.0, "two", instance_type="m.8", **part)) == [False, False]
    assert flagged(loader, asks(2.0), asks(3.0, "two", **part)) == [True, True]


def test_a_price_that_was_changed_since_is_in_conflict_with_no_later_one(loader: Path) -> None:
    """One source moved from 2 to 3 on the 16th; the other was read on the 18th."""
    assert flagged(loader, asks(2.0, day=15), asks(3.0, day=16), asks(3.0, "two", day=18)) == [False, False, False]
    assert flagged(loader, asks(2.0, day=15), asks(3.0, day=17), asks(3.0, "two", day=16)) == [True, False, True]


AGGREGATED = [asks(12.0), asks(7.2, billing="spot")]
OWN = {"_source_id": "own", "instance_type": "m.8", "region": "east"}


@pytest.mark.parametrize(
    ("other", "spot"),
    [
        (asks(6.9, **OWN), True),
        (asks(7.3, **OWN), False),
        (before(100, usd_per_gpu_hour=6.9, **OWN), True),
        (before(101, usd_per_gpu_hour=6.9, **OWN), False),
        (asks(6.9, **OWN, gpu_id="b"), False),
        (asks(6.9, **OWN, os="windows"), False),
        (asks(6.9, "two"), False),
    ],
)
def test_a_spot_price_is_set_against_the_on_demand_price_that_counts(loader: Path, other: dict[str, Any], spot: bool) -> None:
    """An aggregator's on-demand price is wrong: the provider's list has another. Of two aggregators none is known to be right."""
    with connection.connect(loader / "work.duckdb") as con:
        con.execute("INSERT INTO source (source_id, parser_version, own_list_of) VALUES ('own', 1, 'acme')")
    flag = "contains(coalesce(flags, ''), 'SPOT_NOT_BELOW_ON_DEMAND')"
    assert loaded(loader, flag, *AGGREGATED, other) == [False, spot, False]


@pytest.mark.parametrize(("place", "flag"), [({}, True), ({"region": "west"}, False), ({"instance_type": "m.1"}, False)])
def test_a_spot_price_is_set_against_its_own_machine_and_region(loader: Path, place: dict[str, str], flag: bool) -> None:
    spot = asks(7.2, **({"instance_type": "m.8", "region": "east"} | place), billing="spot")
    column = "contains(coalesce(flags, ''), 'SPOT_NOT_BELOW_ON_DEMAND')"
    assert loaded(loader, column, spot, asks(6.9, **OWN | {"_source_id": "two"})) == [flag, False]


@pytest.mark.parametrize(("newer", "flag"), [("whole", False), ("excerpt", True)])
def test_a_spot_price_is_not_set_against_one_that_a_newer_list_leaves_out(loader: Path, newer: str, flag: bool) -> None:
    """A source that first took the spot price for the on-demand one, and then lists another GPU alone on demand."""
    with connection.connect(loader / "work.duckdb") as con:
        con.execute("INSERT INTO snapshot (snapshot_id, extent) VALUES ('newer', ?)", [newer])
    mistaken, spot = before(10, usd_per_gpu_hour=2.3), before(5, usd_per_gpu_hour=2.3, billing="spot")
    listed = before(6, usd_per_gpu_hour=1.0, gpu_id="b", _snapshot_id="newer")
    column = "contains(coalesce(flags, ''), 'SPOT_NOT_BELOW_ON_DEMAND')"
    assert loaded(loader, column, mistaken, spot) == [False, True]
    assert loaded(loader, column, mistaken, spot, listed) == [False, flag, False]


@pytest.mark.parametrize(
    ("terms", "days"),
    [
        ({"billing": "spot"}, 7),
        ({"billing": "marketplace"}, 7),
        ({"billing": "bid_floor"}, 7),
        ({"billing": "on_demand"}, 100),
        ({"billing": "reserved", "commitment_months": 12}, 100),
        ({"kind": "purchase_new", "price_unit": "unit", "billing": None, "usd_per_gpu": 9000.0, "usd_per_gpu_hour": None}, 365),
    ],
)
def test_how_old_a_current_price_can_be(loader: Path, terms: dict[str, Any], days: int) -> None:
    """A spot price of eight days ago is stale, an on-demand price of 90 days ago is not."""
    assert loaded(loader, "stale", before(days, **terms), before(days + 1, **terms)) == [False, True]


def test_a_firm_has_one_name_and_its_own_words_are_kept(con: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT DISTINCT provider, raw_provider, source_id FROM price WHERE provider IN ('verda', 'oci') ORDER BY ALL"
    assert con.execute(sql).fetchall() == [
        ("oci", "Oracle Cloud", "cloud_gpus"),
        ("verda", "Datacrunch", "cloud_gpus"),
        ("verda", "datacrunch", "gpurentalprices"),
    ]
    assert con.execute("SELECT DISTINCT provider FROM price WHERE provider <> lower(provider)").fetchall() == []
    renamed = """SELECT count(*) FROM price LEFT JOIN provider_alias AS known ON known.alias = lower(raw_provider)
        WHERE price.provider <> coalesce(known.provider, lower(raw_provider))"""
    assert con.execute(renamed).fetchall() == [(0,)]


def test_every_price_names_the_address_of_its_source(con: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT path FROM snapshot WHERE url IS NULL AND snapshot_id IN (SELECT snapshot_id FROM price)"
    assert con.execute(sql).fetchall() == []
    unplaced = """SELECT count(*) FROM price JOIN snapshot USING (snapshot_id)
        WHERE NOT regexp_matches(url, '^https?://') OR length(snapshot_id) <> 64 OR locator = '' OR parser_version IS NULL"""
    assert con.execute(unplaced).fetchall() == [(0,)]


def test_launch_prices_of_two_sources_both_stay(con: duckdb.DuckDBPyConnection) -> None:
    """One source prints 199 USD for the RTX 5050, two press reports 249."""
    sql = "SELECT usd_per_gpu, flags FROM price WHERE kind = 'msrp' AND gpu_id = 'nvidia-geforce-rtx-5050-8gb' ORDER BY ALL"
    found = con.execute(sql).fetchall()
    assert [usd for usd, _ in found] == [199, 249, 249]
    assert all("CONFLICT" in flags for _, flags in found)
