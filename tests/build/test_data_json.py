"""The files by which programs find the data: they agree with the database and the package, and what they name is there."""

import csv
import datetime as dt
import hashlib
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from pipeline.paths import ROOT
from pipeline.release import dataset
from pipeline.tables.lineage import sources_of

_TABLES = "SELECT table_name, estimated_size FROM duckdb_tables() WHERE NOT internal AND database_name = 'ledger'"
_COLUMNS = (
    "SELECT table_name, column_name, data_type FROM duckdb_columns() "
    "WHERE database_name = 'ledger' AND table_name IN (SELECT table_name FROM duckdb_tables()) ORDER BY table_name, column_index"
)


@pytest.fixture(scope="module")
def catalog(site: Path) -> dict[str, Any]:
    return read(site / "data.json")


@pytest.fixture(scope="module")
def linked(site: Path) -> dict[str, Any]:
    return json_ld(site)


@pytest.fixture(scope="module")
def package(release: Path) -> dict[str, Any]:
    return read(release / "datapackage.json")


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def json_ld(site: Path) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', (site / "data" / "index.html").read_text(), re.S)
    found: dict[str, Any] = json.loads(text)
    return found


def files(catalog: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from catalog["files"]
    for table in catalog["tables"]:
        yield from table["files"]


def test_the_catalogue_lists_the_tables_of_the_database(catalog: dict[str, Any], con: duckdb.DuckDBPyConnection) -> None:
    named = {table["name"]: table for table in catalog["tables"]}
    assert {name for name, _ in con.execute(_TABLES).fetchall()} == named.keys()
    described = [(t["name"], c["name"], c["type"]) for t in catalog["tables"] for c in t["columns"]]
    assert described == con.execute(_COLUMNS).fetchall()
    for name, table in named.items():
        counts = ", ".join(f'count("{column["name"]}")' for column in table["columns"])
        found = con.execute(f"SELECT count(*), {counts} FROM {name}").fetchall()[0]
        assert found == (table["rows"], *(column["filled"] for column in table["columns"])), name


def test_the_catalogue_and_the_data_package_say_the_same(catalog: dict[str, Any], package: dict[str, Any]) -> None:
    assert (catalog["version"], catalog["description"]) == (package["version"], package["description"])
    assert catalog["licence"] == package["licenses"][0]
    resources = {resource["name"]: resource for resource in package["resources"]}
    for table in catalog["tables"]:
        resource = resources[table["name"]]
        assert (table["title"], table["description"]) == (resource["title"], resource["description"])
        units = [(field["name"], field.get("unit"), field["description"]) for field in resource["schema"]["fields"]]
        assert [(column["name"], column["unit"], column["description"]) for column in table["columns"]] == units
        text = next(file for file in table["files"] if file["media_type"] == "text/csv")
        assert (text["bytes"], f"sha256:{text['sha256']}") == (resource["bytes"], resource["hash"])


def test_hashes_and_sizes_are_those_of_the_files(catalog: dict[str, Any], linked: dict[str, Any], site: Path) -> None:
    downloads = linked["distribution"]
    claimed = {(f"data/{file['contentUrl']}", file["sha256"], int(file["contentSize"].split()[0])) for file in downloads}
    listed = {(file["path"], file["sha256"], file["bytes"]) for file in files(catalog) if file["sha256"]}
    assert claimed == {(file["path"], file["sha256"], file["bytes"]) for file in catalog["files"] if file["sha256"]}
    assert len(listed) == 2 * len(catalog["tables"]) + 9
    pages = "".join((site / name).read_text() for name in ["data/index.html", *(table["page"] for table in catalog["tables"])])
    sums = (site / "data" / "SHA256SUMS").read_text().splitlines()
    for path, digest, size in listed:
        content = (site / path).read_bytes()
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (digest, size), path
        assert digest in pages
        assert f"{digest}  {path.removeprefix('data/')}" in sums


def test_every_address_of_the_catalogue_leads_somewhere(catalog: dict[str, Any], site: Path) -> None:
    asked = [file["path"] for file in files(catalog)]
    asked += [chart[key] for chart in catalog["charts"] for key in ("page", "csv", "metadata")]
    asked += [table["page"] for table in catalog["tables"]]
    assert [address for address in asked if not exists(site, address)] == []


def exists(site: Path, address: str) -> bool:
    path, _, anchor = address.partition("#")
    if not anchor:
        return (site / path).is_file()
    return anchor in re.findall(r'id="([^"]*)"', html.unescape((site / path).read_text()))


def test_llms_txt_lists_every_page_and_table_and_nothing_that_is_not_there(catalog: dict[str, Any], site: Path) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")
    addresses = re.findall(r"^- \[[^]]+\]\(([^)]+)\)", text, re.M)
    assert [address for address in addresses if not exists(site, address)] == []
    assert {"index.html", "data/index.html", "method/index.html", "data.json", "data/gpuledger.duckdb"} <= set(addresses)
    assert {f"data/csv/{table['name']}.csv" for table in catalog["tables"]} <= set(addresses)
    assert text.startswith("# gpuledger\n\n> ")
    assert catalog["as_of"] in text
    assert "AutoDL\u2019s rule on processor cores, applied to today\u2019s offers" in text


def test_every_chart_is_described_as_its_csv_is(catalog: dict[str, Any], site: Path) -> None:
    texts = sorted((site / "data" / "charts").glob("*.csv"))
    assert {chart["name"] for chart in catalog["charts"]} == {path.stem for path in texts}
    for path in texts:
        chart = read(path.with_name(f"{path.stem}.metadata.json"))
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert ([column["name"] for column in chart["columns"]], chart["rows"]) == (header, len(rows)), path.stem
        assert all(column["title"] for column in chart["columns"])
        assert all(chart[key] for key in ("title", "direction", "finding", "dated", "source", "citation")), path.stem
        assert (chart["as_of"], chart["licence"]) == (catalog["as_of"], dataset.LICENCE)
        page, _, anchor = chart["page"].partition("#")
        assert anchor == path.stem
        assert f"{anchor}.metadata.json" in html.unescape((path.parent / page).read_text())


def test_the_sql_of_a_chart_gives_its_rows(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    charts = [read(path) for path in (site / "data" / "charts").glob("*.metadata.json")]
    assert len(charts) > 20
    fewer = {chart["name"] for chart in charts if len(con.execute(chart["sql"]).fetchall()) < chart["rows"]}
    assert fewer == set()


def test_a_table_names_every_source_of_its_rows(catalog: dict[str, Any], con: duckdb.DuckDBPyConnection) -> None:
    known = {source for (source,) in con.execute("SELECT source_id FROM source").fetchall()}
    listed = {source["source_id"]: source for source in catalog["sources"]}
    for table in catalog["tables"]:
        if any(column["name"] == "source_id" for column in table["columns"]):
            found = {source for (source,) in con.execute(f"SELECT DISTINCT source_id FROM {table['name']}").fetchall()} & known
            assert found <= set(table["sources"]), table["name"]
        assert set(table["sources"]) <= listed.keys()
    for source_id, licence in con.execute("SELECT source_id, licence FROM source").fetchall():
        assert source_id not in listed or listed[source_id]["licence"] == licence


def test_a_computed_table_rests_on_what_it_reads() -> None:
    assert sources_of("exchange_rate") < sources_of("price") < sources_of("break_even")
    assert "wikipedia-gpu-lists" in sources_of("gpu_spec")
    assert sources_of("release") == sources_of("benchmark_run") == frozenset()


def test_the_linked_data_describe_the_release(linked: dict[str, Any], catalog: dict[str, Any]) -> None:
    assert (linked["@type"], linked["license"], linked["version"]) == ("Dataset", catalog["licence"]["path"], catalog["version"])
    assert 50 <= len(linked["description"]) <= 5000
    first, last = linked["temporalCoverage"].split("/")
    assert dt.date.fromisoformat(first) < dt.date.fromisoformat(last) == dt.date.fromisoformat(catalog["as_of"])
    measured = {(one["name"], one["unitText"]) for one in linked["variableMeasured"]}
    assert measured == {(c["name"], c["unit"]) for table in catalog["tables"] for c in table["columns"] if c["unit"]}
    assert [part["name"] for part in linked["hasPart"]] == [table["name"] for table in catalog["tables"]]
    assert [part["url"].removeprefix("../") for part in linked["hasPart"]] == [table["page"] for table in catalog["tables"]]


def test_the_published_citation_is_that_of_the_data(release: Path, catalog: dict[str, Any]) -> None:
    ours, published = (yaml.safe_load((folder / "CITATION.cff").read_text()) for folder in (ROOT, release))
    assert (str(published["date-released"]), published["version"]) == (catalog["as_of"], catalog["version"])
    rest = ours.keys() - {"date-released", "version"}
    assert {key: published[key] for key in rest} == {key: ours[key] for key in rest}
    assert (ours["title"], ours["abstract"]) == (dataset.TITLE, dataset.DESCRIPTION)
    assert ours["license"] == dataset.LICENCE["name"]
    assert (ours["authors"], tuple(ours["keywords"])) == ([{"name": dataset.AUTHORS}], dataset.KEYWORDS)


def test_hostile_text_stays_text_for_programs(hostile_site: Path) -> None:
    page = (hostile_site / "data" / "index.html").read_text()
    linked = json_ld(hostile_site)
    assert "window.hit" in json.dumps(linked), "the hostile text never reached the page"
    (raw,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.S)
    assert not set("<>&") & set(raw)
    assert "window.hit" in json.dumps(read(hostile_site / "data.json"))
    for line in (hostile_site / "llms.txt").read_text(encoding="utf-8").splitlines():
        assert not set("<>`{}\x1b\u202e") & set(line.removeprefix("> ")), line
