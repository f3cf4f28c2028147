"""Stored bytes: what is vouched for is read, anything else stops with the file and the next command."""

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.fetch import snapshots
from pipeline.schema.guides import GuideRun
from pipeline.warehouse import parsed_cache
from sources import Accepted, Document, Rejected, Source, UnparsableError

SOURCE = Source(source_id="some-guide", title="A guide", kind="guide", yields=(GuideRun,), attribution="someone")
TABLE = "machine,task,status,seconds\nA100,yolor,ok,12.4\nM4000,efficientnet,oom,\n"


class Parser:
    """Reads TABLE; `drops` makes it lose a row, as a careless parser would."""

    SOURCE = SOURCE
    drops = False

    def parse(self, document: Document) -> Iterator[Accepted | Rejected]:
        for item in document.records(GuideRun):
            if not (self.drops and item.locator == "line 2"):
                yield item


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "data" / "raw" / "some-guide" / "runs.csv"
    file.parent.mkdir(parents=True)
    file.write_text(TABLE)
    facts = {"url": "https://example.org/guide", "published_at": "2022-04-01", "origin": "transcribed", "extent": "compiled"}
    snapshots.write_sidecar(file, **facts)
    return tmp_path / "data"


def test_a_sealed_file_is_read_with_what_its_sidecar_says(data: Path) -> None:
    (file,) = snapshots.stored_files(SOURCE, data)
    assert (file.path, file.url, file.observed_on) == (
        "data/raw/some-guide/runs.csv",
        "https://example.org/guide",
        dt.date(2022, 4, 1),
    )
    assert (file.origin, file.extent) == ("transcribed", "compiled")


@pytest.mark.parametrize("field", ["origin", "extent"])
@pytest.mark.parametrize("value", [None, "somewhere"])
def test_a_sidecar_without_origin_or_extent_is_refused(data: Path, field: str, value: str | None) -> None:
    sidecar = data / "raw" / "some-guide" / "runs.csv.json"
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | {field: value}))
    problem = f"the unknown {field} 'somewhere'" if value else f"no {field}"
    told = rf"data/raw/some-guide/runs\.csv: .* {problem} .*gpuledger seal data/raw/some-guide/runs\.csv --{field}"
    with pytest.raises(snapshots.SnapshotError, match=told):
        list(snapshots.stored_files(SOURCE, data))


def test_a_new_file_is_not_sealed_without_its_origin(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("a\n1\n")
    with pytest.raises(snapshots.SnapshotError, match="no origin"):
        snapshots.write_sidecar(file, extent="whole")
    assert not file.with_name("runs.csv.json").exists()


def test_the_error_for_a_file_without_a_sidecar_has_the_whole_command(data: Path) -> None:
    (data / "raw" / "some-guide" / "runs.csv.json").unlink()
    command = r"`gpuledger seal data/raw/some-guide/runs\.csv --origin \w+ --extent \w+`"
    with pytest.raises(snapshots.SnapshotError, match=rf"^data/raw/some-guide/runs\.csv: no sidecar \S+; run {command}"):
        list(snapshots.stored_files(SOURCE, data))


def test_a_sidecar_is_not_sealed(data: Path) -> None:
    sidecar = data / "raw" / "some-guide" / "runs.csv.json"
    with pytest.raises(snapshots.SnapshotError, match=r"a sidecar, .* run `gpuledger seal \S+/runs\.csv`$"):
        snapshots.write_sidecar(sidecar, origin="transcribed", extent="whole")
    assert not sidecar.with_name("runs.csv.json.json").exists()


def test_an_edited_file_is_refused_until_it_is_sealed(data: Path) -> None:
    file = data / "raw" / "some-guide" / "runs.csv"
    file.write_text(TABLE.replace("12.4", "11.4"))
    with pytest.raises(snapshots.SnapshotError, match=r"data/raw/some-guide/runs\.csv: sha256 .* run `gpuledger seal"):
        list(snapshots.stored_files(SOURCE, data))
    snapshots.write_sidecar(file)
    (sealed,) = snapshots.stored_files(SOURCE, data)
    assert sealed.url == "https://example.org/guide"


def test_sealing_an_unchanged_file_changes_nothing(data: Path) -> None:
    file = data / "raw" / "some-guide" / "runs.csv"
    before = file.with_name("runs.csv.json").read_text()
    snapshots.write_sidecar(file)
    assert file.with_name("runs.csv.json").read_text() == before


@pytest.mark.parametrize("sidecar", [None, "{", "{}", '{"retrieved_at": "soon"}'])
def test_a_file_without_a_sound_sidecar_is_refused(data: Path, sidecar: str | None) -> None:
    path = data / "raw" / "some-guide" / "runs.csv.json"
    path.unlink() if sidecar is None else path.write_text(sidecar)
    with pytest.raises(snapshots.SnapshotError, match="gpuledger seal"):
        list(snapshots.stored_files(SOURCE, data))


def test_parsed_rows_are_cached_by_bytes(data: Path, tmp_path: Path) -> None:
    (file,) = snapshots.stored_files(SOURCE, data)
    first = parsed_cache.parse(Parser(), file, tmp_path / "parsed")
    made = (first.folder / "guide_run.parquet").stat().st_mtime_ns
    assert parsed_cache.parse(Parser(), file, tmp_path / "parsed") == first
    assert (first.folder / "guide_run.parquet").stat().st_mtime_ns == made
    assert (first.rows_read, first.rows_accepted, first.rows_rejected) == (2, 2, 0)


def test_a_parser_that_loses_a_row_is_caught(data: Path, tmp_path: Path) -> None:
    (file,) = snapshots.stored_files(SOURCE, data)
    careless = Parser()
    careless.drops = True
    with pytest.raises(parsed_cache.RowsLostError, match="2 rows read, but 1 accepted"):
        parsed_cache.parse(careless, file, tmp_path / "parsed")
    assert not list((tmp_path / "parsed").rglob("*.parquet"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TABLE.replace("12.4", "twelve"), r"line 2: seconds = 'twelve' is not a number"),
        (TABLE.replace("12.4", "nan"), r"line 2: seconds = 'nan' is not a number"),
        (TABLE.replace("12.4", "1e999"), r"line 2: seconds = '1e999' is not a number"),
        (
            TABLE.replace("seconds", "minutes"),
            r"line 1: the header lacks seconds and has the unknown minutes; if the layout is new, adapt the parser",
        ),
        (TABLE.replace(",oom,", ",oom,,"), r"line 3: 5 fields where the header names 4"),
        (TABLE.replace("A100", '"A100'), r"line \d: broken CSV"),
        (TABLE.replace("A100", "A100\u202e"), r"line 2: the control or invisible character U\+202E"),
        (TABLE.replace("A100", ""), r"line 2: machine = '' is not a text"),
        ("", r"line 1: the header is missing: the line is empty; if the layout is new, adapt the parser"),
    ],
)
def test_what_cannot_be_read_is_named_by_file_and_line(text: str, told: str) -> None:
    document = Document("data/raw/some-guide/runs.csv", text.encode(), dt.date(2022, 4, 1))
    with pytest.raises(UnparsableError, match=r"data/raw/some-guide/runs\.csv " + told):
        list(Parser().parse(document))


def test_a_row_that_a_parser_does_not_expect_is_named_by_number() -> None:
    document = Document("data/raw/some-guide/runs.csv", TABLE.encode(), dt.date(2022, 4, 1))
    lines = document.csv(("machine", "task", "status", "seconds"))
    rows = (line.reject({"A100": "PARSE"}[line.text("machine")], "known") for line in lines)
    told = r"runs\.csv: the parser failed on unexpected content in row 2 \(KeyError: 'M4000'\); if the row is right, adapt"
    with pytest.raises(UnparsableError, match=told):
        list(parsed_cache.wrap_parser_errors(rows, document))


def test_bytes_that_are_not_utf8_are_named_by_line() -> None:
    document = Document("data/x.csv", TABLE.encode().replace(b"M4000", b"M\xe94000"), dt.date(2022, 4, 1))
    with pytest.raises(UnparsableError, match=r"data/x\.csv line 3: byte \d+ .*is not UTF-8"):
        list(Parser().parse(document))


def test_the_sidecar_is_plain_json(data: Path) -> None:
    facts = json.loads((data / "raw" / "some-guide" / "runs.csv.json").read_text())
    assert set(facts) == {"url", "retrieved_at", "published_at", "sha256", "licence", "origin", "extent"}


def test_a_day_or_place_that_changes_is_read_anew(data: Path, tmp_path: Path) -> None:
    (file,) = snapshots.stored_files(SOURCE, data)
    first = parsed_cache.parse(Parser(), file, tmp_path / "parsed")
    snapshots.write_sidecar(data / "raw" / "some-guide" / "runs.csv", published_at="2022-06-15")
    (later,) = snapshots.stored_files(SOURCE, data)
    assert later.sha256 == file.sha256
    assert parsed_cache.parse(Parser(), later, tmp_path / "parsed").folder != first.folder


def test_a_sidecar_without_its_file_is_refused_unless_the_loss_is_accepted(data: Path) -> None:
    (data / "raw" / "some-guide" / "gone.csv.json").write_text("{}")
    with pytest.raises(snapshots.SnapshotError, match=r"gone\.csv\.json: its file .* is missing.*--accept-loss some-guide"):
        list(snapshots.stored_files(SOURCE, data))
    assert len(list(snapshots.stored_files(SOURCE, data, {SOURCE.source_id}))) == 1


@pytest.mark.parametrize("name", ["retrieved_at", "published_at", "checked_at"])
def test_a_sidecar_dated_in_the_future_is_refused_with_its_line(data: Path, name: str) -> None:
    sidecar = data / "raw" / "some-guide" / "runs.csv.json"
    facts = json.loads(sidecar.read_text()) | {name: "2099-01-01"}
    sidecar.write_text(json.dumps(facts, indent=1))
    line = 2 + list(facts).index(name)
    with pytest.raises(snapshots.SnapshotError, match=rf"runs\.csv\.json line {line}: {name} 2099-01-01 is more than one day"):
        list(snapshots.stored_files(SOURCE, data))


def test_the_reason_for_a_shrink_belongs_to_the_bytes_that_were_sealed_with_it(data: Path) -> None:
    file = data / "raw" / "some-guide" / "runs.csv"
    sidecar = snapshots.write_sidecar(file, accepted_shrink="withdrawn")
    snapshots.write_sidecar(file, url="https://example.org")
    assert json.loads(sidecar.read_text())["accepted_shrink"] == "withdrawn"
    file.write_text(TABLE.replace("12.4", "11.4"))
    snapshots.write_sidecar(file)
    assert "accepted_shrink" not in json.loads(sidecar.read_text())


@pytest.mark.parametrize("content", ["", "{", "[]", "\u00ff", '{"url": "a", "url": "b"}', "[" * 9999])
def test_sealing_replaces_a_broken_sidecar(tmp_path: Path, content: str) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("a\n1\n")
    sidecar = file.with_name("runs.csv.json")
    sidecar.write_text(content, encoding="latin-1")
    facts = {"url": "https://example.org", "origin": "transcribed", "extent": "whole"}
    assert snapshots.write_sidecar(file, **facts) == sidecar
    assert json.loads(sidecar.read_text())["url"] == "https://example.org"
