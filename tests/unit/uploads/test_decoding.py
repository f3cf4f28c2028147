"""Encodings, hidden characters, bounds of lines, columns and nesting."""

import json

import pytest

from pipeline.readers import RefusedError
from pipeline.uploads import decoding
from tests.unit.uploads.upload_texts import SIMPLEST, code_of


def refusal(raw: bytes) -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        decoding.decode(raw)
    return refused.value


def test_a_byte_order_mark_is_stripped() -> None:
    assert decoding.decode(b"\xef\xbb\xbf" + SIMPLEST.encode()) == SIMPLEST


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
def test_other_encodings_are_named_with_the_byte(encoding: str) -> None:
    refused = refusal(SIMPLEST.replace("copy", "cöpy").encode(encoding))
    assert refused.code == "ENCODING"
    assert "UTF-8" in refused.reason
    assert ("byte 66 (0xf6)" in refused.reason) == (encoding == "latin-1")
    assert ("Out-File -Encoding utf8" in refused.reason) == (encoding != "latin-1")


@pytest.mark.parametrize(
    "sign", ["\0", "\x1b", "\x7f", "\x85", "\u200b", "\u202e", "\u2066", "\u2028", "\ufeff", "\ufffe", "\U000e0041"]
)
def test_control_and_invisible_characters_are_refused_with_their_line(sign: str) -> None:
    refused = refusal(f"BabelStream\r\nVersion: 5.0\r{sign}\n".encode())
    assert (refused.code, refused.line) == ("CONTROL_CHAR", 3)
    assert f"U+{ord(sign):04X}" in refused.reason


def test_letters_of_every_script_are_text() -> None:
    assert decoding.decode("Größe 显卡 µs ™ é́ 🚀\n".encode())


def test_nothing_but_blanks_is_empty() -> None:
    assert refusal(b" \n\t\r\n").code == "EMPTY"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_long_lines_are_refused_with_their_number(ending: str) -> None:
    head = f"a{ending}{'b' * decoding.MAX_LINE_BYTES}{ending}"
    assert decoding.decode(head.encode()) == head
    refused = refusal((head + "é" * (decoding.MAX_LINE_BYTES // 2 + 1) + ending).encode())
    assert (refused.code, refused.line) == ("LINE_TOO_LONG", 3)


def test_wide_tables_are_refused_before_their_length() -> None:
    assert refusal(",".join(f"column{n}" for n in range(65)).encode()).code == "TOO_WIDE"
    assert decoding.decode(",".join(f"column{n}" for n in range(64)).encode())
    assert refusal(("\t" * 100_000).encode() + b"x").code == "TOO_WIDE"


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"b":[', '{"\\"":'])
def test_nesting_is_counted_without_recursion(opening: str) -> None:
    assert refusal((opening * 100_000).encode()).code == "TOO_DEEP"


def test_brackets_in_strings_are_no_nesting_and_json_may_be_one_line() -> None:
    document = json.dumps({"text": '[{"\\' * 30_000, "more": ["[" * 100] * 1000})
    assert len(document) > decoding.MAX_LINE_BYTES
    assert decoding.decode(document.encode()) == document


def test_too_many_objects_are_refused_before_decoding() -> None:
    assert refusal(json.dumps([{}] * (decoding.MAX_CONTAINERS + 1)).encode()).code == "SIZE"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'{"a": 1, "a": 2}', "DUP_KEY"),
        (b'[{"a": NaN}]', "PARSE"),
        (b'[{"a": ' + b"9" * 5000 + b"}]", "RANGE"),
        (b'[{"a": 1}] junk', "PARSE"),
        (b"42", "SCHEMA"),
        (json.dumps({f"k{n}": n for n in range(10_000)}).encode(), "TOO_WIDE"),
        (b"what a nice day", "UNKNOWN_FORMAT"),
    ],
)
def test_json_is_strict(raw: bytes, code: str) -> None:
    assert code_of(raw) == code
