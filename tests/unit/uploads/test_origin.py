"""Every published upload leads to its source, licence and line."""

import json
from pathlib import Path

import pytest

from pipeline.errors import BuildError
from pipeline.uploads import load_accepted
from pipeline.uploads.ingest import Outcome, Statements
from pipeline.uploads.origin import OWN_LICENCE, load_manifest
from tests.unit.uploads.upload_texts import SIMPLEST, data_folder, take_in

pytestmark = pytest.mark.slow  # each test starts the sandbox

HEADER = "path,licence,measured_by,attribution,url,provider,instance_type\n"
ROW = 'copy.csv,CC BY-SA 4.0,Ada,"Ada, 2026",https://example.org/copy.csv,aws,p5.48xlarge\n'


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "copy.csv").write_text(SIMPLEST)
    return data_folder(tmp_path)


def sidecar(data: Path) -> Path:
    (path,) = (data / "uploads" / "accepted").glob("*.json")
    return path


def take_with_manifest(data: Path, text: str) -> list[Outcome]:
    manifest = data.parent / "manifest.csv"
    manifest.write_text(text)
    return take_in(data, data.parent / "copy.csv", stated=Statements(origins=load_manifest(manifest)))


def test_the_origin_of_a_manifest_is_in_the_sidecar_and_in_the_table(data: Path) -> None:
    assert [outcome.status for outcome in take_with_manifest(data, HEADER + ROW)] == ["accepted"]
    assert json.loads(sidecar(data).read_text())["origin"]["licence"] == "CC BY-SA 4.0"
    (loaded,) = load_accepted.uploads(data, data / "cache")
    row = loaded.row
    assert (row.licence, row.measured_by, row.url) == ("CC BY-SA 4.0", "Ada", "https://example.org/copy.csv")
    assert (row.provider, row.instance_type, row.name, row.bytes) == ("aws", "p5.48xlarge", "copy.csv", len(SIMPLEST))
    assert [figure.line for run in loaded.runs for figure in run.measurements] == [2, 3]


def test_a_known_file_without_manifest_keeps_its_origin(data: Path) -> None:
    take_with_manifest(data, HEADER + ROW)
    before = sidecar(data).read_bytes()
    assert [outcome.status for outcome in take_in(data, data.parent / "copy.csv")] == ["known"]
    assert sidecar(data).read_bytes() == before


def test_an_upload_without_manifest_has_the_licence_of_the_data(data: Path) -> None:
    take_in(data, data.parent / "copy.csv")
    (loaded,) = load_accepted.uploads(data, data / "cache")
    assert (loaded.row.licence, loaded.row.url) == (OWN_LICENCE, None)


@pytest.mark.parametrize("origin", [None, {}, {"licence": None}, {"licence": ""}, {"licence": "MIT", "color": "red"}])
def test_a_sidecar_without_a_licence_stops_the_build(data: Path, origin: object) -> None:
    take_in(data, data.parent / "copy.csv")
    facts = json.loads(sidecar(data).read_text()) | {"origin": origin}
    sidecar(data).write_text(json.dumps(facts))
    with pytest.raises(BuildError, match="states no licence"):
        list(load_accepted.uploads(data, data / "cache"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (HEADER + ROW.replace("CC BY-SA 4.0", " "), "line 2: no licence"),
        (HEADER + ROW.replace("https://example.org/copy.csv", ""), "line 2: no url"),
        (HEADER + ROW + ROW, "line 3: copy.csv is named twice"),
        ("path,licence\ncopy.csv,MIT\n", "the header must be path,licence,measured_by"),
        ("", "the header must be path,licence,measured_by"),
        (HEADER + '"' + ROW, "line 2: broken CSV"),
        (HEADER + ROW.replace("copy.csv,", "copy.csv\0,"), "line 2: the control or invisible character"),
    ],
)
def test_a_manifest_that_lacks_a_fact_is_refused(data: Path, text: str, problem: str) -> None:
    with pytest.raises(BuildError, match=problem):
        take_with_manifest(data, text)


def test_a_manifest_in_another_encoding_is_refused(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.csv"
    manifest.write_bytes(HEADER.encode() + "Mühle".encode("latin-1"))
    with pytest.raises(BuildError, match=r"line 2: byte .* is not UTF-8"):
        load_manifest(manifest)


def test_a_file_that_the_manifest_lacks_is_refused(data: Path) -> None:
    (outcome,) = take_with_manifest(data, HEADER + ROW.replace("copy.csv,", "other.csv,"))
    assert (outcome.status, outcome.code) == ("rejected", "NO_LICENCE")
