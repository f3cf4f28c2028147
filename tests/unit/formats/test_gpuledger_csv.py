"""The simplest accepted file: what is read, what is refused with which code and line, and the shared hostile files."""

import json

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import SAMPLES

HEADER = "device_name,kernel,size_bytes,time_ms,gbps"
ROW = "NVIDIA Example 1,copy,1000000,0.002,1000"


def only(text: str) -> ParsedRun:
    (run,) = read(text)
    assert run.run.parser_version == 1
    return run


def refusal(text: str) -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        read(text)
    return refused.value


def test_a_row_and_its_device() -> None:
    run = only(f"{HEADER}\n{ROW}\nExample Two,triad,4096,1,0.012288\n")
    first, second = run.measurements
    assert (first.test, first.metric, first.value, first.unit, first.size_bytes, first.flags) == (
        "copy", "memory_bandwidth", 1000, "GB/s", 1_000_000, None,
    )  # fmt: skip
    assert [device.name_raw for device in run.devices] == ["NVIDIA Example 1", "Example Two"]
    assert (first.device_ordinal, second.device_ordinal) == (0, 1)


def test_identical_rows_are_one() -> None:
    assert len(only(f"{HEADER}\n{ROW}\n{ROW}\r\n{ROW}\r").measurements) == 1


@pytest.mark.parametrize(("gbps", "flags"), [("500", None), ("1500", None), ("450", "edited"), ("1700", "edited")])
def test_a_rate_that_size_and_time_contradict_is_flagged(gbps: str, flags: str | None) -> None:
    assert only(f"{HEADER}\nA,copy,1000000,0.002,{gbps}\n").measurements[0].flags == flags


@pytest.mark.parametrize("layout", ["list", "lines", "object"])
def test_json_has_the_same_fields(layout: str) -> None:
    row = {"device_name": "A", "kernel": "copy", "size_bytes": 1_000_000, "time_ms": 0.002, "gbps": 1000}
    texts = {"list": json.dumps([row, row]), "lines": f"{json.dumps(row)}\n{json.dumps(row)}\n", "object": json.dumps(row)}
    assert [m.value for m in only(texts[layout]).measurements] == [1000]


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("device_name,kernel,size_bytes,time_us,gbps", "SCHEMA"),
        ("device_name;kernel;size_bytes;time_ms;gbps", "SCHEMA"),
        ("device_name,kernel,size_bytes,gbps,time_ms", "SCHEMA"),
        (f"{HEADER},surprise", "SCHEMA"),
        ("device_name,time_ms,time_ms,gbps", "SCHEMA"),
    ],
)
def test_any_other_header_is_refused(header: str, code: str) -> None:
    refused = refusal(f"{header}\n{ROW}\n")
    assert (refused.code, refused.line) == (code, 1)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("A,copy,1", "PARSE"),
        ("A,copy,1,1,1,1", "PARSE"),
        ('"A,copy,1,1,1', "PARSE"),
        ("A,copy,,1,1", "PARSE"),
        ("A, ,1,1,1", "PARSE"),
        ("A,copy,1_000,1,1", "PARSE"),
        ("A,copy,1,0,1", "RANGE"),
        ("A,copy,0,1,1", "RANGE"),
        ("A,copy,1.5,1,1", "RANGE"),
        ("A,copy,1,1e400,1", "RANGE"),
        ("A,copy,1,NaN,1", "NOT_FINITE"),
        ("=1+1,copy,1,1,1", "NAME_NOT_ALLOWED"),
        ("A,<b>copy</b>,1,1,1", "NAME_NOT_ALLOWED"),
        (f"{'A' * 81},copy,1,1,1", "NAME_NOT_ALLOWED"),
    ],
)
def test_one_bad_row_refuses_the_file_with_its_line(row: str, code: str) -> None:
    refused = refusal(f"{HEADER}\n{ROW}\n{row}\n{ROW}\n")
    assert (refused.code, refused.line) == (code, 3)


@pytest.mark.parametrize(
    ("change", "code"),
    [({"url": "x"}, "SCHEMA"), ({"time_ms": "1"}, "PARSE"), ({"gbps": True}, "PARSE"), ({"device_name": 1}, "PARSE")],
)
def test_json_is_as_strict(change: dict[str, object], code: str) -> None:
    row: dict[str, object] = {"device_name": "A", "kernel": "copy", "size_bytes": 1, "time_ms": 1, "gbps": 1}
    assert refusal(json.dumps([row, row | change])).code == code


HOSTILE = {
    "bad_header_only.csv": "NO_ROWS",
    "bad_no_header.csv": "SCHEMA",
    "bad_dup_header.csv": "SCHEMA",
    "bad_extra_col.csv": "SCHEMA",
    "bad_missing_col.csv": "SCHEMA",
    "bad_ragged.csv": "PARSE",
    "bad_unclosed_quote.csv": "PARSE",
    "bad_semicolon_decimal_comma.csv": "SCHEMA",
    "bad_numbers.csv": "NOT_FINITE",
    "bad_units.csv": "SCHEMA",
    "bad_formula.csv": "NAME_NOT_ALLOWED",
    "bad_device_names.json": "NAME_NOT_ALLOWED",
    "bad_vegalite_href.json": "SCHEMA",
    "bad_deep_array.json": "TOO_DEEP",
    "bad_deep_object.ndjson": "TOO_DEEP",
    "bad_dup_keys.json": "DUP_KEY",
    "bad_nan.json": "PARSE",
    "bad_bigint.json": "RANGE",
    "bad_truncated.json": "PARSE",
    "bad_10k_keys.json": "TOO_WIDE",
    "bad_mixed_types.ndjson": "SCHEMA",
    "bad_scalar.json": "SCHEMA",
    "bad_trailing.json": "PARSE",
}


def hostile(file: str) -> str:
    path = SAMPLES.parent / "hostile" / file
    if not path.exists():
        pytest.skip("no samples at hand; set GPULEDGER_SAMPLES to the folder that has them")
    return path.read_text(encoding="utf-8-sig")


@pytest.mark.parametrize("file", HOSTILE)
def test_hostile_files_are_refused(file: str) -> None:
    assert refusal(hostile(file)).code == HOSTILE[file]


@pytest.mark.parametrize("file", ["ok_minimal.csv", "ok_utf8_bom.csv", "ok_crlf.csv", "bad_mixed_newlines.csv"])
def test_control_files_are_accepted(file: str) -> None:
    (figure,) = only(hostile(file)).measurements
    assert (figure.value, figure.size_bytes, figure.flags) == (599.2, 1048576, None)


def test_an_impossible_rate_is_left_to_the_loader() -> None:
    (figure,) = only(hostile("bad_impossible.csv")).measurements
    assert (figure.value, figure.flags) == (10_485_760, None)


def test_every_row_of_the_bad_numbers_is_refused() -> None:
    header, *rows = hostile("bad_numbers.csv").splitlines()
    codes = [refusal(f"{header}\n{row}\n").code for row in rows if row]
    assert len(codes) == 13
    assert set(codes) <= {"NOT_FINITE", "RANGE", "PARSE"}


def test_every_hostile_name_is_refused() -> None:
    records = json.loads(hostile("bad_device_names.json"))
    assert {refusal(json.dumps([record])).code for record in records} == {"NAME_NOT_ALLOWED"}
