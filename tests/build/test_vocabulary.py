"""One spelling for each code, maker and unit, and one meaning for each count."""

import re
from pathlib import Path

import duckdb
import pytest

from pipeline.schema import RECORDS
from pipeline.schema.core import Col
from pipeline.warehouse import sql_models


@pytest.fixture(scope="module")
def con(built: Path):
    with duckdb.connect(str(built / "gpuledger.duckdb"), read_only=True) as connection:
        yield connection


def test_each_flag_of_an_upload_is_named_once(con):
    repeated = "SELECT flags FROM uploaded_run WHERE list_unique(string_split(flags, ',')) < len(string_split(flags, ','))"
    assert con.execute(repeated).fetchall() == []
    assert con.execute("SELECT count(*) FROM uploaded_run WHERE flags LIKE '%device_unresolved,%non_cuda%'").fetchone()[0] > 5


def test_a_text_that_is_not_known_is_empty_and_a_maker_has_one_spelling(con):
    assert con.execute("SELECT count(*) FROM gpu_label WHERE rule = ''").fetchall() == [(0,)]
    spelled = "SELECT lower(manufacturer) FROM instance_catalog GROUP BY 1 HAVING count(DISTINCT manufacturer) > 1"
    assert con.execute(spelled).fetchall() == []


def test_every_provider_in_a_table_has_a_row_of_provider(con):
    names = "(low_|spot_|marketplace_|cheapest_)?provider|provider_id|provider_elsewhere"
    tables = "duckdb_columns() JOIN duckdb_tables() USING (table_name)"
    sql = f"SELECT table_name, column_name FROM {tables} WHERE regexp_full_match(column_name, ?)"
    columns = con.execute(sql, [names]).fetchall()
    assert len(columns) > 40
    for table, column in columns:
        unknown = f"SELECT DISTINCT {column} FROM {table} WHERE {column} NOT IN (SELECT provider_id FROM provider)"
        assert con.execute(unknown).fetchall() == [], (table, column)


def test_a_unit_has_one_name():
    units = {col.unit for metric in sql_models.metrics().values() for _, col in metric.columns.values()}
    units |= {column.col.unit for record in RECORDS.values() for column in record.__table__.columns}
    assert "byte" in units
    assert "B" not in units


def test_figures_have_a_unit():
    named = {(name, column.name): column.col.unit for name, record in RECORDS.items() for column in record.__table__.columns}
    assert named["training_throughput", "throughput"] == "item/s"
    assert named["published_figure", "value"] == "see unit"
    _, ratio = sql_models.metrics()["gpu_pair"].columns["price_ratio"]
    assert ratio.unit == "ratio"


def test_the_price_of_one_gpu_is_per_gpu_and_hour():
    """One column of task_cost was in USD/h, and the column of workload_cost that it repeats in USD/(GPU·h)."""
    columns = [
        (name, column, unit.unit)
        for name, metric in sql_models.metrics().items()
        for column, (_, unit) in metric.columns.items()
        if "one GPU" in unit.text and "hour" in column and "usd" in column
    ]
    assert len(columns) > 8
    assert [found for found in columns if found[2] not in ("USD/(GPU·h)", "USD/(GPU·h) or USD/GPU")] == []


def test_rejected_rows_and_rejected_prices_are_two_counts(con):
    figures = dict(con.execute("SELECT figure_id, value FROM dataset_figure").fetchall())
    assert figures["rejects"] == con.execute("SELECT count(*) FROM reject").fetchone()[0]
    assert figures["rows_rejected"] == con.execute("SELECT sum(rows_rejected) FROM snapshot").fetchone()[0]
    assert figures["rejects"] == con.execute("SELECT sum(n_rows) FROM reject_summary WHERE source_id <> 'any'").fetchone()[0]


def test_current_and_stale_rental_offers_are_counted_likewise(con):
    """An offer joins the listings of all regions; counted by listing, five times as many offers seemed stale as current."""
    figures = dict(con.execute("SELECT figure_id, value FROM dataset_figure").fetchall())
    key = "(lower(provider), gpu_model_id, gpu_id, billing, commitment_months, min_gpus)"
    ((offers,),) = con.execute(f"SELECT count(DISTINCT {key}) FROM offer_current WHERE acquisition = 'rent'").fetchall()
    assert figures["rental_offers_current"] + figures["rental_offers_stale"] == offers


def _columns() -> dict[tuple[str, str], Col]:
    """Columns of every table, published or not."""
    declared = [
        (record.__table__.name, column.name, column.col) for record in RECORDS.values() for column in record.__table__.columns
    ]
    computed = [
        (name, column, col) for name, metric in sql_models.metrics().items() for column, (_, col) in metric.columns.items()
    ]
    return {(table, column): col for table, column, col in declared + computed}


def test_a_price_per_gpu_and_hour_says_so_in_its_name():
    """`rental_usd_per_hour` was the price of one GPU in four tables and of the whole machine in a fifth."""
    per_gpu = [(table, name) for (table, name), col in _columns().items() if col.unit == "USD/(GPU·h)" and "hour" in name]
    assert len(per_gpu) > 50
    assert [column for column in per_gpu if "per_gpu_hour" not in column[1]] == []
    whole = [(table, name) for (table, name), col in _columns().items() if col.unit == "USD/h"]
    assert [column for column in whole if "per_gpu_hour" in column[1]] == []


def test_a_count_has_no_unit():
    """What is counted is in the text: a third of the numbers of GPUs had the unit GPU, and the others had none."""
    counted = {"GPU", "row", "provider", "offer", "weight", "epoch", "run", "source"}
    assert {column: col.unit for column, col in _columns().items() if col.unit in counted} == {}


def test_a_description_says_what_the_column_is():
    """`High end`, `Its price` or `The same`, which 80 columns had, say nothing to whoever reads one column in Croissant."""
    bare = re.compile(r"(Low|High) end|(Its|Their|That) \w+|The (same|figure|number|count)")
    assert [column for column, col in _columns().items() if column[0][0] != "_" and bare.fullmatch(col.text)] == []


NAMED = {
    "gpu_id": "gpu",
    "gpu_model_id": "gpu_model",
    "source_id": "source",
    "snapshot_id": "snapshot",
    "observation_id": "price",
    "run_id": "benchmark_run",
    "llm_model_id": "llm_model",
    "measurement_id": "llm_measurement",
    "publisher_id": "spec_publisher",
}


@pytest.mark.parametrize("key", NAMED)
def test_every_key_in_a_table_names_a_row(con, key):
    """Only tables that Python fills declare their references. `any` and `all` are rows that join the others of a table."""
    tables = "duckdb_columns() JOIN duckdb_tables() USING (table_name)"
    named = f"SELECT table_name, column_name FROM {tables} WHERE regexp_full_match(column_name, '(.+_)?' || ?)"
    columns = con.execute(named, [key]).fetchall()
    assert len(columns) > 1
    known = f"SELECT {key} FROM {NAMED[key]} UNION SELECT unnest(['any', 'all'])"
    for table, column in columns:
        unknown = f"SELECT DISTINCT {column} FROM {table} WHERE {column} NOT IN ({known})"
        assert con.execute(unknown).fetchall() == [], (table, column)
