"""Training throughput of uploads joins published rows where the two are comparable."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from pipeline.performance import inputs, panel
from pipeline.schema import RECORDS
from pipeline.tables import load
from pipeline.tables.build_tables import UPLOAD_TABLES
from pipeline.warehouse import connection, sql_models
from pipeline.warehouse.frames import read_frame

GPUS = {"a": "nvidia-l4-24gb", "b": "nvidia-t4-16gb", "mixed": None, "slice": "nvidia-l4-24gb", "trial": "nvidia-l4-24gb"}
FIGURES = [  # run, batch, throughput, dtype, flags
    ("a", 64, 800.0, "fp16", None),
    ("b", 64, 400.0, "fp16", None),
    ("a", 64, 9000.0, "fp16", "incorrect_result"),
    ("a", 64, 300.0, None, None),
    ("mixed", 64, 500.0, "fp16", None),
    ("slice", 64, 100.0, "fp16", None),
    ("trial", 64, 1.0, "fp16", None),
]


@pytest.fixture
def con(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    connection.create(tmp_path / "uploads.duckdb")
    with connection.connect(tmp_path / "uploads.duckdb") as con:
        for name in (*UPLOAD_TABLES, "training_throughput", "workload_family"):
            con.execute(load.ddl(RECORDS[name].__table__).replace(" NOT NULL", ""))
        con.execute("INSERT INTO workload_family BY NAME SELECT 'resnet50' AS workload, 'cnn' AS family")
        for run, gpu in GPUS.items():
            about = "INSERT INTO benchmark_run BY NAME SELECT ? AS run_id, 'gpuledger_suite' AS tool, 'ok' AS status, ? AS args"
            con.execute(about, [run, f"device=cuda; profile={'test' if run == 'trial' else 'testing'}; seed=0"])
            device = (
                "INSERT INTO benchmark_device BY NAME SELECT ? AS run_id, 0 AS ordinal, ? AS gpu_id, 'x' AS name_raw, ? AS mig"
            )
            con.execute(device, [run, gpu, True if run == "slice" else None])
        for ordinal, (run, batch, value, dtype, flags) in enumerate(FIGURES):
            con.execute(
                """INSERT INTO measurement BY NAME SELECT ? AS run_id, ? AS ordinal, 'resnet50' AS test,
                'training_throughput' AS metric,
                ? AS value, 'ok' AS status, 'median' AS statistic, ? AS batch_size, ? AS dtype, ? AS flags, 'images' AS item""",
                [run, ordinal, value, batch, dtype, flags],
            )
        load.compute(con, sql_models.metrics()["uploaded_throughput"])
        yield con


def test_only_plain_figures_of_known_gpus_are_compared(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("SELECT gpu_id, throughput, family, unit FROM uploaded_throughput ORDER BY ALL").fetchall()
    assert rows == [("nvidia-l4-24gb", 800.0, "cnn", "images/s"), ("nvidia-t4-16gb", 400.0, "cnn", "images/s")]


def test_two_uploads_of_one_suite_are_one_panel_of_the_model(con: duckdb.DuckDBPyConnection) -> None:
    cells = panel.cells(panel.usable(read_frame(con, inputs.ROWS)))
    assert sorted(cells["gpu_id"]) == ["nvidia-l4-24gb", "nvidia-t4-16gb"]
    assert cells["panel"].n_unique() == 1
    assert set(cells["source_id"]) == {"uploads"}
