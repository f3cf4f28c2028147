"""Host of a rental price: stated by its row, by the instance catalog for its machine, or by a source for its provider."""

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from pipeline import paths
from pipeline.prices import normalize
from pipeline.prices.file_rows import reference_files
from pipeline.warehouse.workspace import Workspace
from sources.prices.parsing import GB_PER_GIB
from tests.unit.prices.price_rows import add, create_parsed, normalized_price

FACTS = ("gpu_count", "vcpus", "host_memory_gb", "includes_host", "host_stated_by")
RENTAL: dict[str, Any] = {"raw_gpu_name": None, "gpu_count": None, "price_basis": "per_gpu"}


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The rules with the committed catalog of machines and facts about providers."""
    with duckdb.connect() as con:
        normalize.create_inputs(con, reference_files(Workspace(paths.DATA, tmp_path_factory.mktemp("build"))))
        create_parsed(con)
        yield con


def facts(con: duckdb.DuckDBPyConnection, **terms: Any) -> tuple[Any, ...]:
    row = normalized_price(con, **(RENTAL | terms))
    return tuple(row[name] for name in FACTS)


@pytest.mark.parametrize(
    ("provider", "machine", "expected"),
    [
        ("aws", "p5.48xlarge", (8, 192, 2048)),
        ("aws", "g6.xlarge", (1, 4, 16)),
        ("azure", "Standard_NC40ads_H100_v5", (1, 40, 320)),
        ("azure", "NC24ads A100 v4", (1, 24, 220)),  # as The Full Stack writes it
        ("Google Cloud", "a2-highgpu-1g", (1, 12, 85)),
        ("azure", "Standard_NC32ads_A10_v4", (None, 32, 400)),  # its sources count one GPU or two
        ("azure", "Standard_NC8ads_A10_v4", (None, 8, 100)),  # Azure's API counts 1 for half a GPU
        ("aws", "g6f.xlarge", (None, 4, 16)),  # a share of a GPU
    ],
)
def test_a_machine_of_the_catalog_includes_its_host(
    con: duckdb.DuckDBPyConnection, provider: str, machine: str, expected: tuple[Any, ...]
) -> None:
    gpus, vcpus, gib = expected
    found = (gpus, vcpus, pytest.approx(gib * GB_PER_GIB), True, "instance_catalog")
    assert facts(con, provider=provider, instance_type=machine) == found


def test_the_row_precedes_the_catalog(con: duckdb.DuckDBPyConnection) -> None:
    row = facts(con, provider="ovh", instance_type="t2-45", vcpus=14.0, includes_host=False)
    assert row == (1, 14, pytest.approx(45 * GB_PER_GIB), False, "source")


@pytest.mark.parametrize(("stated", "gb"), [(2048.0, 2048 * GB_PER_GIB), (2000.0, 2000.0)])
def test_a_list_with_the_number_of_the_catalog_is_in_gib(con: duckdb.DuckDBPyConnection, stated: float, gb: float) -> None:
    row = normalized_price(con, **RENTAL, provider="aws", instance_type="p5.48xlarge", host_memory_gb=stated)
    assert row["host_memory_gb"] == pytest.approx(gb)


def test_rules_and_parsers_have_one_size_of_a_gib(con: duckdb.DuckDBPyConnection) -> None:
    assert con.execute("SELECT gb_per_gib()::DOUBLE").fetchall() == [(GB_PER_GIB,)]


def test_a_row_with_another_count_is_not_of_the_catalogs_machine(con: duckdb.DuckDBPyConnection) -> None:
    assert facts(con, provider="aws", instance_type="p5.48xlarge", gpu_count=4) == (4, None, None, True, "provider_fact")


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        ("massedcompute", (True, "provider_fact")),
        ("datacrunch", (True, "provider_fact")),  # the fact is of Verda's former name
        ("latitude", (True, "provider_fact")),  # whole servers
        ("modal", (None, None)),  # GPU only, but unverified
        ("spheron", (None, None)),
        ("gcp", (None, None)),  # one list of its prices is without host, another with it
    ],
)
def test_a_provider_whose_prices_all_include_the_host(
    con: duckdb.DuckDBPyConnection, provider: str, expected: tuple[Any, ...]
) -> None:
    assert facts(con, provider=provider)[3:] == expected


def test_a_purchase_has_no_host_by_a_providers_rentals(con: duckdb.DuckDBPyConnection) -> None:
    assert facts(con, provider="lambda", kind="purchase_new", price_unit="unit", billing=None)[3:] == (None, None)


def test_a_machine_of_an_unknown_kind_names_the_catalog(con: duckdb.DuckDBPyConnection) -> None:
    machine = {"provider": "aws", "instance_type": "p99.metal", "raw_gpu_name": "p99.metal", "price_basis": "per_instance"}
    add(con, "label", raw_gpu_name="p99.metal", gpu_context="", reason_code="UNKNOWN_GPU", reason="no GPU is called 'p99.metal'")
    row = normalized_price(con, **RENTAL | machine | {"gpu_context": None})
    assert row["code"] == "UNKNOWN_COUNT"
    assert row["reason"].startswith("no GPU is called 'p99.metal', and no catalog states the GPUs of that machine (data/raw/")


def test_an_unknown_machine_names_the_catalog(con: duckdb.DuckDBPyConnection) -> None:
    row = normalized_price(con, **RENTAL | {"provider": "aws", "instance_type": "p99.metal", "price_basis": "per_instance"})
    assert row["code"] == "UNKNOWN_COUNT"
    assert "p99.metal" in row["reason"]
    assert "data/raw/instance-catalog/instance_catalog.csv" in row["reason"]


def test_the_catalog_counts_the_gpus_of_a_machines_price(con: duckdb.DuckDBPyConnection) -> None:
    machine = {"provider": "aws", "instance_type": "p5.48xlarge", "price_basis": "per_instance", "amount": 55.04}
    row = normalized_price(con, **RENTAL | machine)
    assert (row["code"], row["usd_per_gpu_hour"]) == (None, pytest.approx(6.88))
