"""The published files answer queries over HTTP, which read a part of them, as the page on it states."""

import re
from pathlib import Path

import duckdb
import pytest

from benchmarks.project import remote

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not remote.PACKAGES.exists(), reason="DuckDB with httpfs is missing: make remote-reader"),
]
_ROW = re.compile(r"^\| `(\S+)` \| [\d,]+ bytes \| \d+ \| ([\d,]+) bytes \|", re.MULTILINE)


@pytest.fixture(scope="module")
def example(site: Path) -> tuple[str, list[remote.Read]]:
    return remote.run_example(site)


def test_both_queries_answer_as_the_database_does(example: tuple[str, list[remote.Read]], con: duckdb.DuckDBPyConnection) -> None:
    newest = """
        SELECT max(observed_at)::VARCHAR FROM price
        WHERE gpu_model_id = 'nvidia-h100' AND billing = 'on_demand' AND provider = 'voltagepark'
    """
    spot = """
        SELECT provider FROM offer_listing
        WHERE gpu_model_id = 'nvidia-h100' AND billing = 'spot' AND state = 'current' ORDER BY usd LIMIT 1
    """
    found = [con.execute(sql).fetchall()[0][0] for sql in (newest, spot)]
    answers = example[0].split("gpu_name")
    assert [name for name, answer in zip(found, answers, strict=True) if name not in answer] == []


def test_the_queries_read_a_small_part_of_the_files(example: tuple[str, list[remote.Read]]) -> None:
    reads = example[1]
    assert [one.path for one in reads] == ["data/parquet/price.parquet", "data/gpuledger.duckdb"]
    assert [one.path for one in reads if one.requests < 2 or one.bytes_sent > one.bytes_of_file / 5] == []


def test_the_page_states_the_bytes_that_are_read(example: tuple[str, list[remote.Read]]) -> None:
    """Within a quarter, since the data grow; `python -m benchmarks.project.remote SITE` writes new figures."""
    stated = {path: int(figure.replace(",", "")) for path, figure in _ROW.findall(remote.PAGE.read_text(encoding="utf-8"))}
    assert stated == {one.path: pytest.approx(one.bytes_sent, rel=0.25) for one in example[1]}
