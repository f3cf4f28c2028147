"""Where sources differ, on the committed data: AWS's H100 in an aggregator's list and in its own, July to October 2026."""

import datetime as dt
from pathlib import Path

import duckdb
import pytest

from pipeline.website.components.gpu_prices import GpuPrices
from pipeline.website.pages.providers import page as providers
from pipeline.website.writing.database import Database
from tests.build.pages.site_pages import body_rows, book, query_rows
from tests.command import ask

GPU = "nvidia-h100-sxm5-80gb"
SHOWN = ("H100", "On demand", "GPU rental prices", "own list", "$12.29", "$6.88", "from 7 July 2026 until 1 October 2026")
CONTRADICTED = "flags LIKE '%CONFLICT%' AND kind = 'cloud_rental'"


def test_the_old_price_of_aws_is_listed_beside_its_own_list(con: duckdb.DuckDBPyConnection) -> None:
    (found,) = query_rows(con, f"FROM price_conflict WHERE provider = 'aws' AND gpu_id = '{GPU}' AND billing = 'on_demand'")
    assert (found["source_a"], found["source_b"]) == ("gpurentalprices", "karpenter-aws")
    assert (found["usd_per_gpu_hour_min_a"], found["usd_per_gpu_hour_min_b"]) == (12.29, 6.88)
    assert (found["first_day"], found["last_day"]) == (dt.date(2026, 7, 7), dt.date(2026, 10, 1))
    assert (found["preferred"], found["ongoing"]) == ("karpenter-aws", False)


def test_an_offer_on_which_the_sources_agree_has_no_remark(con: duckdb.DuckDBPyConnection) -> None:
    """The price of July was contradicted then. Since 3 October the aggregator shows the same; its old price keeps the flag."""
    own = "provider = 'aws' AND source_id = 'karpenter-aws' AND gpu_model_id = 'nvidia-h100' AND NOT stale"
    assert query_rows(con, f"FROM price WHERE {own} AND {CONTRADICTED}")
    assert query_rows(con, f"FROM price_latest WHERE {own}")
    assert query_rows(con, f"FROM price_latest WHERE {own} AND {CONTRADICTED}") == []
    past = query_rows(con, f"SELECT usd FROM offer_listing WHERE provider = 'aws' AND gpu_id = '{GPU}' AND {CONTRADICTED}")
    assert {row["usd"] for row in past} == {12.29}
    current = f"""SELECT provider, source_id FROM offer_listing WHERE NOT stale AND {CONTRADICTED}
        EXCEPT SELECT c.provider, unnest([source_a, source_b]) FROM price_conflict AS c WHERE ongoing"""
    assert query_rows(con, current) == []


def test_the_command_counts_and_lists_conflicts(built: Path) -> None:
    listed = ask(built, "sources", "--conflicts")
    assert {(row["provider"], row["source_a"], row["source_b"], row["last_day"]) for row in listed} >= {
        ("aws", "gpurentalprices", "karpenter-aws", "2026-10-01")
    }
    counts = {row["source_id"]: int(row["conflicts"]) for row in ask(built, "sources")}
    assert counts["gpurentalprices"] == sum("gpurentalprices" in (row["source_a"], row["source_b"]) for row in listed) > 0
    assert counts["lambda"] == 0


def test_pages_of_the_gpu_and_the_provider_list_the_conflict(release: Path, tmp_path: Path) -> None:
    with Database(release / "gpuledger.duckdb") as data:
        writer = book(data, tmp_path / "docs", release, "providers")
        (gpu,) = data.rows("SELECT * FROM gpu WHERE gpu_id = ?", GPU)
        found = GpuPrices(writer, [gpu]).of(gpu)
        providers.write(writer)
    assert [row["source_b"] for row in found["conflicts"] if row["provider"] == "aws"] == ["karpenter-aws"]
    aws = [row for row in found["offers"] if row["provider"] == "aws"]
    assert aws
    assert [row for row in aws if "sources differ" in row["remarks"]] == []
    table = body_rows((tmp_path / "docs" / "providers" / "aws" / "index.md").read_text(), "conflict-table")
    (row,) = [" ".join(line.split()) for line in table if "12.29" in line]
    assert [text for text in SHOWN if text not in row] == []
    assert 'id="conflict-table"' not in (tmp_path / "docs" / "providers" / "lambda" / "index.md").read_text()


def test_current_offers_in_conflict_have_a_remark(database_copy: Path) -> None:
    """No conflict of the committed data is still going on, so the flags are set here."""
    with duckdb.connect(str(database_copy)) as con:
        sql = f"""UPDATE rental_listing SET flags = 'CONFLICT' WHERE NOT stale AND provider = 'aws' AND gpu_id = '{GPU}'
            RETURNING usd_per_gpu_hour_low"""
        flagged = [usd for (usd,) in con.execute(sql).fetchall()]
    with Database(database_copy) as data:
        (gpu,) = data.rows("SELECT * FROM gpu WHERE gpu_id = ?", GPU)
        found = GpuPrices(book(data, database_copy.with_name("docs"), database_copy.parent, "gpu"), [gpu]).of(gpu)
    remarked = [row for row in found["offers"] if "sources differ" in row["remarks"]]
    assert sorted(row["usd_min"] for row in remarked) == sorted(flagged)
    assert {row["provider"] for row in remarked} == {"aws"}


@pytest.mark.parametrize(("provider", "moves"), [("aws", [("aws_bulk", dt.date(2025, 6, 5), 12.29, 6.88)]), ("scaleway", [])])
def test_a_move_is_listed_once_and_an_exchange_rate_is_none(
    con: duckdb.DuckDBPyConnection, provider: str, moves: list[tuple[str, dt.date, float, float]]
) -> None:
    """AWS's fall is in two lists. Scaleway's list in euro did not change, while an aggregator converted it day by day."""
    sql = f"""SELECT source_id, valid_from, round(usd_before, 2), round(usd, 2) FROM price_move WHERE provider = '{provider}'
        AND coalesce(region, 'us-east-1') = 'us-east-1' AND gpu_model_id = 'nvidia-h100'"""
    assert con.execute(sql).fetchall() == moves
    prices = f"SELECT count(DISTINCT usd_per_gpu_hour) FROM price WHERE provider = '{provider}' AND gpu_model_id = 'nvidia-h100'"
    ((distinct,),) = con.execute(prices).fetchall()
    assert distinct > 1


def test_the_same_flags_are_written_in_the_same_order_in_every_table(con: duckdb.DuckDBPyConnection) -> None:
    flagged = " UNION ".join(f"SELECT flags FROM {table}" for table in ("price", "price_latest", "offer_listing", "price_metric"))
    orders = f"""SELECT list(flags ORDER BY flags) FROM ({flagged} UNION SELECT flags FROM price_as_of(DATE '2026-10-03'))
        WHERE flags IS NOT NULL GROUP BY list_sort(string_split(flags, ',')) HAVING count(*) > 1"""
    assert con.execute(orders).fetchall() == []
