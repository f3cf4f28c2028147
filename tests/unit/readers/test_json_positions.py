"""Numbers of JSON documents with their printed text and line."""

import json

from pipeline.readers.json_positions import line_of_value, printed, with_positions
from pipeline.readers.strict_json import extract_documents, parse_upload

TEXT = """{
  "rate": 1.50e3, "escaped \\" 7": "7 of 9",
  "cells": ["9.10", null,
            [true, 12]],
  "last": 0.0
}"""


def test_numbers_have_their_text_and_line() -> None:
    document = with_positions(parse_upload(TEXT), TEXT)
    quoted, _, (_, whole) = document["cells"]
    values = (document["rate"], quoted, whole, document["last"])
    assert [(printed(value), line_of_value(value)) for value in values] == [("1.50e3", 2), ("9.10", 3), ("12", 4), ("0.0", 5)]
    assert line_of_value(printed(document["rate"])) == 2
    assert document == json.loads(TEXT)


def test_text_that_is_no_number_stays_plain() -> None:
    assert line_of_value(with_positions(parse_upload(TEXT), TEXT)['escaped " 7']) is None


def test_lines_of_documents_in_a_list_and_in_a_log() -> None:
    text = '{"a": 1}\n{"a": 2.0}\n'
    assert [line_of_value(row["a"]) for row in with_positions(parse_upload(text), text)] == [1, 2]
    extracted, _ = extract_documents(f"log\n{TEXT}\nlog\n" + '{"a": 3}')
    first, second = (with_positions(*found) for found in extracted)
    assert (line_of_value(first["last"]), line_of_value(second["a"])) == (6, 9)


def test_a_document_that_repeats_a_field_has_its_positions() -> None:
    text = '{"gpus": "",\n"gpus": "8",\n"nested": {"a": "x", "a": "x"},\n"count": 4}'
    document = with_positions(parse_upload(text), text)
    assert [line_of_value(document[name]) for name in ("gpus", "count")] == [2, 4]
    assert document == {"gpus": "8", "nested": {"a": "x"}, "count": 4}
