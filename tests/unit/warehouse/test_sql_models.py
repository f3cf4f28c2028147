"""Metric and macro files: what a maintainer's slip leads to, and how dependencies are read."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.schema import RECORDS
from pipeline.tables import load
from pipeline.warehouse import connection, sql_models
from tests.command import ROOT

HEADER = """-- title: Memory per watt
-- description: One row per GPU.
-- group: metrics
-- column: gpu_id | | GPU
-- column: gb_per_w | GB/W | Memory over board power
-- unique: gpu_id
"""
BODY = "SELECT gpu_id, memory_gb / tdp_w AS gb_per_w FROM gpu"


def metric(folder: Path, text: str) -> sql_models.Metric:
    (folder / "memory_per_watt.sql").write_text(text)
    return sql_models.metrics(folder)["memory_per_watt"]


def test_a_correct_sql_file_becomes_a_table_declaration(tmp_path: Path) -> None:
    table = metric(tmp_path, HEADER + BODY).table([("gpu_id", "VARCHAR"), ("gb_per_w", "DOUBLE")])
    assert table.key == ("gpu_id",)
    assert [(c.name, c.col.unit, c.nullable) for c in table.columns] == [("gpu_id", "", False), ("gb_per_w", "GB/W", True)]


def test_an_unknown_header_key_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(sql_models.SqlFileError, match=r"memory_per_watt\.sql line 7: unknown header key 'uniqe'"):
        metric(tmp_path, HEADER + "-- uniqe: gpu_id\n" + BODY)


@pytest.mark.parametrize(
    ("header", "result", "told"),
    [
        (HEADER + "-- column: price | USD | Price\n", ["gpu_id", "gb_per_w"], r"line 7: column price .* does not return it"),
        (HEADER, ["gpu_id", "gb_per_w", "tdp_w"], r"the SELECT returns tdp_w, but no"),
        (HEADER.replace("unique: gpu_id", "unique: name"), ["gpu_id", "gb_per_w"], r"line 6: unique names \['name'\]"),
    ],
)
def test_header_and_result_must_be_equal(tmp_path: Path, header: str, result: list[str], told: str) -> None:
    with pytest.raises(sql_models.SqlFileError, match=told):
        metric(tmp_path, header + BODY).table([(name, "DOUBLE") for name in result])


def test_a_column_can_be_described_as_in_a_table_that_the_sql_reads(tmp_path: Path) -> None:
    header = HEADER.replace("-- column: gpu_id | | GPU", "-- as-in: gpu | gpu_id, tdp_w")
    found = metric(tmp_path, header + BODY.replace("SELECT", "SELECT tdp_w,")).columns
    tdp = next(column.col for column in RECORDS["gpu"].__table__.columns if column.name == "tdp_w")
    assert {name: (col.unit, col.text) for name, (_, col) in found.items()}["tdp_w"] == (tdp.unit, tdp.text)
    assert found.keys() == {"gpu_id", "tdp_w", "gb_per_w"}


@pytest.mark.parametrize("names", ["gpu | gpu_id", "gpu | watts", "price | amount", "gpu"])
def test_as_in_names_columns_of_a_table_that_the_sql_reads_once(tmp_path: Path, names: str) -> None:
    with pytest.raises(sql_models.SqlFileError, match=r"line 7: as-in (gpu|price): '\w*' is described twice"):
        metric(tmp_path, f"{HEADER}-- as-in: {names}\n{BODY}")


def test_a_table_that_nobody_declares_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sql_models.SqlFileError, match="reads gpus, which neither"):
        metric(tmp_path, HEADER + BODY.replace("FROM gpu", "FROM gpus"))


def test_tables_that_read_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "watts.sql").write_text(HEADER + BODY.replace("FROM gpu", "FROM memory_per_watt"))
    with pytest.raises(sql_models.SqlFileError, match=r"\.sql line 1: tables read each other \(.* -> .* -> .*\)"):
        metric(tmp_path, HEADER + BODY.replace("FROM gpu", "FROM watts"))


@pytest.mark.slow
def test_an_unsound_metric_stops_no_command_before_it_starts() -> None:
    code = "import sys, pipeline.cli; from pipeline.warehouse import sql_models as m; sys.exit(m.metrics.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_sql_that_does_not_parse_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sql_models.SqlFileError, match="does not parse"):
        metric(tmp_path, HEADER + "SELEC gpu_id FROM gpu")


def test_dependencies_are_the_tables_that_the_sql_names(tmp_path: Path) -> None:
    body = """WITH cheap AS (SELECT gpu_id FROM price WHERE amount < (SELECT avg(amount) FROM price))
    SELECT gpu_id, 1 / 3 AS gb_per_w FROM cheap JOIN gpu USING (gpu_id) UNION ALL SELECT alias, 2 FROM gpu_alias"""
    assert metric(tmp_path, HEADER + body).reads == ("gpu", "gpu_alias", "price")


def test_metrics_come_after_what_they_read() -> None:
    seen: set[str] = set()
    found = sql_models.metrics()
    for name, one in found.items():
        assert {other for other in one.reads if other in found} <= seen, name
        seen.add(name)


def test_every_macro_describes_its_parameters_and_result() -> None:
    for name, macro in sql_models.macros().items():
        assert "Returns:" in macro.comment(), name


def test_a_second_statement_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sql_models.SqlFileError, match=r"memory_per_watt\.sql line 1: 2 statements; keep one SELECT"):
        metric(tmp_path, f"{HEADER}{BODY}; SELECT 1")


def computed(folder: Path, text: str) -> load.Built:
    found = metric(folder, text)
    connection.create(folder / "working.duckdb")
    with connection.connect(folder / "working.duckdb") as con:
        con.execute("CREATE TABLE gpu AS SELECT * FROM (VALUES ('a', 8, 100), (NULL, 16, 0)) AS t(gpu_id, memory_gb, tdp_w)")
        return load.compute(con, found)


def test_a_column_that_the_header_does_not_describe_is_an_error_with_the_file(tmp_path: Path) -> None:
    with pytest.raises(sql_models.SqlFileError, match=r"memory_per_watt\.sql line 5: column gb_per_w is described"):
        computed(tmp_path, HEADER + "SELECT gpu_id FROM gpu")


def test_rows_are_counted_and_violations_are_listed(tmp_path: Path) -> None:
    built = computed(tmp_path, HEADER + BODY)
    assert built.rows == 2
    assert {name for name, lines in built.violations.items() if lines} == {"not_null", "in_range"}
