"""The strict readers: what they accept, and with which code and line they refuse."""

import itertools
import math
import unicodedata
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.readers import RefusedError, numbers, strict_csv, strict_json, strict_xml, text


def refusal(read: Any, *arguments: Any, **options: Any) -> tuple[str, int | None]:
    """Code and line of the refusal."""
    with pytest.raises(RefusedError) as refused:
        read(*arguments, **options)
    return refused.value.code, refused.value.line


def test_bytes_that_are_not_utf_8_are_refused_with_byte_and_line() -> None:
    assert refusal(text.decode_utf8, b"a\nb\xff") == ("ENCODING", 2)
    assert refusal(text.decode_utf8, b"\xff", 7) == ("ENCODING", 7)
    with pytest.raises(RefusedError, match=r"byte 3 \(0xff\)"):
        text.decode_utf8(b"a\nb\xff")


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\x85", "\xad", "\u200b", "\u2028", "\u202e", "\ufeff", "\ufffe", "\U000e0041"])
def test_invisible_characters_are_refused_or_removed(sign: str) -> None:
    assert refusal(text.refuse_invisible, f"a\nb{sign}c") == ("CONTROL_CHAR", 2)
    assert refusal(text.refuse_invisible, f"b{sign}c", first_line=5) == ("CONTROL_CHAR", 5)
    assert text.remove_invisible(f"b{sign}c\r") == "bc"


def test_a_return_is_a_line_end_of_uploads_alone() -> None:
    text.refuse_invisible("a\rb\r\n", allow_return=True)
    assert refusal(text.refuse_invisible, "a\rb") == ("CONTROL_CHAR", 1)
    assert refusal(text.refuse_invisible, "a\rb\r\n\0", allow_return=True) == ("CONTROL_CHAR", 3)


def test_visible_text_of_every_script_passes() -> None:
    text.refuse_invisible("Größe\t显卡 µs ™ é́ 🚀\n")


def test_the_database_knows_the_same_invisible_characters() -> None:
    every = [chr(code) for code in itertools.chain(range(1, 0xD800), range(0xE000, 0x20000), range(0xE0000, 0xE0100))]
    with duckdb.connect() as con:
        con.execute("CREATE TABLE sign AS SELECT unnest(?) AS sign", [every])
        rows = con.execute("SELECT sign FROM sign WHERE regexp_matches(sign, ?)", [text.INVISIBLE_RE2]).fetchall()
    assert {sign for (sign,) in rows} == {sign for sign in every if not text.remove_invisible(sign)}
    assert not [sign for (sign,) in rows if unicodedata.category(sign) not in ("Cc", "Cf", "Cn", "Zl", "Zp")]


@pytest.mark.parametrize(
    ("number", "value"), [("1", 1), ("-2.5", -2.5), ("+3e2", 300), (".5", 0.5), ("5.", 5), ("1E-3", 0.001), ("0" * 40, 0)]
)
def test_numbers(number: str, value: float) -> None:
    assert numbers.parse_number(number) == value


@pytest.mark.parametrize(
    ("number", "code"),
    [("nan", "NOT_FINITE"), ("-Infinity", "NOT_FINITE"), ("1e999", "RANGE"), ("1" * 41, "RANGE"), ("", "PARSE"), ("1,5", "PARSE"),
     ("١", "PARSE"), ("1_0", "PARSE"), (" 1", "PARSE"), ("0x1", "PARSE"), ("--1", "PARSE"), (".", "PARSE")],
)  # fmt: skip
def test_what_is_no_number_is_refused(number: str, code: str) -> None:
    assert refusal(numbers.parse_number, number, 3) == (code, 3)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_float_comes_back(value: float) -> None:
    assert math.isclose(numbers.parse_number(repr(value)), value, rel_tol=0)


def test_integers() -> None:
    assert numbers.parse_integer("042") == 42
    assert numbers.parse_integer("-7", signed=True) == -7
    assert refusal(numbers.parse_integer, "-7", 2) == ("RANGE", 2)
    assert refusal(numbers.parse_integer, "1.5") == ("RANGE", None)
    assert refusal(numbers.parse_integer, "1" * 19) == ("RANGE", None)
    assert refusal(numbers.parse_integer, "x") == ("PARSE", None)


def test_csv_rows_with_their_last_line() -> None:
    lines = ["notes\n", "a,b\n", '1,"x\n', 'y"\n', "2,z\n"]
    assert list(strict_csv.read_rows(lines, skip=1)) == [(2, ["a", "b"]), (4, ["1", "x\ny"]), (5, ["2", "z"])]
    assert list(strict_csv.read_rows([])) == []
    assert strict_csv.split_line("a, 'b,c'", quote="'", skip_spaces=True) == ["a", "b,c"]


@pytest.mark.parametrize(
    ("lines", "line"),
    [(["a,b\n", "1\n"], 2), (["a,b\n", "1,2,3\n"], 2), (["a,b\n", "\n"], 2), (["a\n", '"1\n'], 2), (['"a"b\n'], 1)],
)
def test_broken_csv_is_refused(lines: list[str], line: int) -> None:
    assert refusal(lambda: list(strict_csv.read_rows(lines))) == ("PARSE", line)


def test_json_of_sources_has_no_limit_of_width_and_no_name_twice() -> None:
    wide = "{" + ", ".join(f'"k{n}": {n}' for n in range(2000)) + "}"
    assert len(strict_json.parse_json(wide)) == 2000
    assert refusal(strict_json.parse_upload, wide) == ("TOO_WIDE", None)
    assert refusal(strict_json.parse_json, '{"a": "", "a": "x"}') == ("DUP_KEY", None)
    assert strict_json.parse_upload('{"a": "", "a": "x", "a": ""}') == {"a": "x"}
    assert refusal(strict_json.parse_upload, '{"a": "x", "a": "y"}') == ("DUP_KEY", None)


@pytest.mark.parametrize("parse", [strict_json.parse_json, strict_json.parse_upload])
@pytest.mark.parametrize(
    ("document", "expected"),
    [("[NaN]", ("PARSE", None)), ("[-Infinity]", ("PARSE", None)), ("[" + "9" * 41 + "]", ("RANGE", None)),
     ("[" * 100_000, ("TOO_DEEP", None)), ('{\n"a": }', ("PARSE", 2)), ("[1] junk", ("PARSE", 1)), ("", ("PARSE", 1))],
)  # fmt: skip
def test_broken_json_is_refused(parse: Any, document: str, expected: tuple[str, int | None]) -> None:
    assert refusal(parse, document) == expected


def test_one_document_per_line_is_a_list() -> None:
    assert strict_json.parse_upload('{"a": 1}\n{"a": 2}\n\n') == [{"a": 1}, {"a": 2}]
    assert refusal(strict_json.parse_json, '{"a": 1}\n{"a": 2}\n') == ("PARSE", 2)


def test_xml_leaves() -> None:
    leaves = strict_xml.parse_leaves("<r><v> 1 </v><g><n>a</n></g><g><n>b</n>", "g", {"v", "n"})
    assert (leaves.about, leaves.records, leaves.whole) == ({"v": "1"}, [{"n": "a"}], False)
    assert strict_xml.parse_leaves("<r/>", "g", set()).whole


@pytest.mark.parametrize(
    ("document", "expected"),
    [("<r>\n</x>", ("PARSE", 12)), ("<!DOCTYPE r [<!ENTITY a 'b'>]><r>&a;</r>", ("PARSE", None)),
     ("<a>" * 40, ("TOO_DEEP", None)), ("<r><g><n>1</n><n>2</n></g></r>", ("DUP_KEY", None))],
)  # fmt: skip
def test_broken_xml_is_refused(document: str, expected: tuple[str, int | None]) -> None:
    assert refusal(strict_xml.parse_leaves, document, "g", {"n"}, 11) == expected


def test_final_xml_must_be_whole() -> None:
    assert refusal(strict_xml.feed, strict_xml.strict_parser(), "<r>") == ("PARSE", 1)
