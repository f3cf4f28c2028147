"""The exported files: valid by their own standards' validators, and equal to the database."""

import subprocess
from pathlib import Path

import duckdb
import frictionless
import mlcroissant
import polars as pl
import pytest

from pipeline.release import aliases, exports, publish
from pipeline.schema import Col, Column, Table
from pipeline.warehouse import connection


@pytest.mark.parametrize("rows", [1000, pytest.param(None, marks=pytest.mark.full)])
def test_the_data_package_is_valid(release: Path, rows: int | None) -> None:
    """Its description, and the first rows of each table, or all."""
    report = frictionless.validate(release / "datapackage.json", limit_rows=rows)
    assert report.valid, report.flatten(["type", "note", "fieldName", "rowNumber"])[:5]


def test_the_croissant_description_is_valid_and_reads_rows(release: Path, con: duckdb.DuckDBPyConnection) -> None:
    dataset = mlcroissant.Dataset(jsonld=release / "croissant.json")
    assert dataset.metadata.ctx.issues.errors == set()
    (gpus,) = con.execute("SELECT count(*) FROM gpu").fetchall()[0]
    assert sum(1 for _ in dataset.records("gpu")) == gpus


def test_parquet_and_csv_hold_the_tables(release: Path, con: duckdb.DuckDBPyConnection) -> None:
    for name, (rows, _) in publish.checksums(release / "gpuledger.duckdb").items():
        names = [c[0] for c in con.execute(f"SELECT * FROM {name} LIMIT 0").description]
        parquet = pl.read_parquet(release / "parquet" / f"{name}.parquet")
        assert (parquet.height, parquet.columns) == (rows, names)
        assert pl.read_csv(release / "csv" / f"{name}.csv", infer_schema=False).shape == parquet.shape


def test_text_in_csv_is_no_formula_and_parquet_has_it_as_it_is(tmp_path: Path) -> None:
    with connection.connect(tmp_path / publish.DATABASE) as con:
        con.execute("CREATE TABLE rule (name VARCHAR, change DOUBLE)")
        con.execute("INSERT INTO rule VALUES ('=cmd|''/c calc''!A1', -5), ('-5', -0.5), ('@SUM(1)', NULL), (NULL, 1)")
        columns = (Column("name", "VARCHAR", True, Col("Name")), Column("change", "DOUBLE", True, Col("Change")))
        exports.write_table(con, Table("rule", "Rules", "Rows of a rule.", "metrics", ("name",), columns), tmp_path, tmp_path)
    assert (tmp_path / "rule.csv").read_text() == "name,change\n'=cmd|'/c calc'!A1,-5.0\n-5,-0.5\n'@SUM(1),\n,1.0\n"
    assert pl.read_parquet(tmp_path / "rule.parquet")["name"].to_list() == [
        "=cmd|'/c calc'!A1",
        "-5",
        "@SUM(1)",
        None,
    ]


def test_every_file_has_its_checksum(release: Path) -> None:
    lists = [release / folder / "SHA256SUMS" for folder in (".", "snapshots", "site")]
    for sums in lists:
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", sums.name], cwd=sums.parent, check=True)
    listed = {sums.parent / line.split("  ")[1] for sums in lists for line in sums.read_text().splitlines()}
    files = {path for path in release.rglob("*") if path.is_file()}
    assert files - listed == {*lists, release / "expectations.csv"}  # the last is a copy of a committed file


@pytest.mark.parametrize(("name", "table"), aliases.ALIASES.items())
def test_a_former_name_of_a_table_still_answers(con: duckdb.DuckDBPyConnection, name: str, table: str) -> None:
    former = con.execute(f"SELECT * FROM {name} ORDER BY ALL")
    columns = [column[0] for column in former.description]
    assert former.fetchall() == con.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY ALL").fetchall() != []
    comment = con.execute("SELECT comment FROM duckdb_views() WHERE view_name = ?", [name]).fetchall()
    assert comment == [(f"Deprecated, removed with the next release: use {table}.",)]


def test_the_dictionary_says_what_the_comments_say(con: duckdb.DuckDBPyConnection) -> None:
    columns = """
        SELECT table_name, column_name, data_type, comment FROM duckdb_columns()
        WHERE database_name = 'ledger' AND table_name IN (SELECT table_name FROM duckdb_tables())
        ORDER BY table_name, column_index
    """
    described = """
        SELECT table_name, column_name, sql_type,
            text || coalesce('; one of ' || allowed_values, '') || coalesce(format(' [{}]', unit), '')
        FROM column_dictionary ORDER BY table_name, ordinal
    """
    assert con.execute(described).fetchall() == con.execute(columns).fetchall()
    tables = "SELECT table_name, comment FROM duckdb_tables() WHERE database_name = 'ledger' ORDER BY table_name"
    titled = "SELECT table_name, title || '. ' || description FROM table_dictionary ORDER BY table_name"
    assert con.execute(titled).fetchall() == con.execute(tables).fetchall()
    functions = "SELECT function_name, parameters FROM duckdb_functions() WHERE database_name = 'ledger' ORDER BY function_name"
    called = """
        SELECT function_name, coalesce(list(parameter ORDER BY ordinal) FILTER (parameter IS NOT NULL), [])
        FROM function_dictionary LEFT JOIN parameter_dictionary USING (function_name)
        GROUP BY function_name ORDER BY function_name
    """
    assert con.execute(called).fetchall() == con.execute(functions).fetchall()


@pytest.mark.parametrize("table", ["gpu", "price", "column_dictionary", "parameter_dictionary", "table_dictionary"])
def test_the_dictionary_counts_rows_and_known_values(con: duckdb.DuckDBPyConnection, table: str) -> None:
    names = con.execute("SELECT column_name FROM column_dictionary WHERE table_name = ? ORDER BY ordinal", [table]).fetchall()
    known = ", ".join(f'count("{name}")' for (name,) in names)
    rows, *filled = con.execute(f"SELECT count(*), {known} FROM {table}").fetchall()[0]
    assert con.execute("SELECT n_rows FROM table_dictionary WHERE table_name = ?", [table]).fetchall() == [(rows,)]
    counted = con.execute("SELECT n_filled FROM column_dictionary WHERE table_name = ? ORDER BY ordinal", [table]).fetchall()
    assert [count for (count,) in counted] == filled


def test_every_table_and_column_is_commented(con: duckdb.DuckDBPyConnection) -> None:
    named = {"tables": "table_name", "columns": "table_name || '.' || column_name", "functions": "function_name"}
    for kind, name in named.items():
        bare = con.execute(
            f"SELECT {name} FROM duckdb_{kind}() WHERE database_name = 'ledger' AND comment IS NULL AND NOT internal"
        )
        assert bare.fetchall() == [], kind
