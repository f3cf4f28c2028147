"""The exported files: valid by their own standards' validators, and equal to the database."""

import hashlib
from pathlib import Path

import duckdb
import frictionless
import mlcroissant
import polars as pl

from pipeline.warehouse import publish


def test_the_data_package_is_valid(release: Path) -> None:
    report = frictionless.validate(release / "datapackage.json")
    assert report.valid, report.flatten(["type", "note", "fieldName", "rowNumber"])[:5]


def test_the_croissant_description_is_valid_and_reads_rows(release: Path, con: duckdb.DuckDBPyConnection) -> None:
    dataset = mlcroissant.Dataset(jsonld=release / "croissant.json")
    assert dataset.metadata.ctx.issues.errors == set()
    (cards,) = con.execute("SELECT count(*) FROM gpu").fetchall()[0]
    assert sum(1 for _ in dataset.records("gpu")) == cards


def test_parquet_and_csv_hold_the_tables(release: Path, con: duckdb.DuckDBPyConnection) -> None:
    for name, (rows, _) in publish.checksums(release / "gpuledger.duckdb").items():
        names = [c[0] for c in con.execute(f"SELECT * FROM {name} LIMIT 0").description]
        parquet = pl.read_parquet(release / "parquet" / f"{name}.parquet")
        assert (parquet.height, parquet.columns) == (rows, names)
        assert pl.read_csv(release / "csv" / f"{name}.csv", infer_schema=False).shape == parquet.shape


def test_every_file_has_its_checksum(release: Path) -> None:
    lines = [line.split("  ") for line in (release / "SHA256SUMS").read_text().splitlines()]
    assert {name for _, name in lines} >= {"gpuledger.duckdb", "datapackage.json", "csv/gpu.csv", "parquet/gpu.parquet"}
    for checksum, name in lines:
        assert hashlib.sha256((release / name).read_bytes()).hexdigest() == checksum, name


def test_every_table_and_column_is_commented(con: duckdb.DuckDBPyConnection) -> None:
    named = {"tables": "table_name", "columns": "table_name || '.' || column_name", "functions": "function_name"}
    for kind, name in named.items():
        bare = con.execute(
            f"SELECT {name} FROM duckdb_{kind}() WHERE database_name = 'ledger' AND comment IS NULL AND NOT internal"
        )
        assert bare.fetchall() == [], kind
