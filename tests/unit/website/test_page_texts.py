"""Texts and numbers of pages: nothing active, and readable money and figures."""

import json
import re

import pytest
import yaml
from markupsafe import Markup

from pipeline.website.writing import numbers
from pipeline.website.writing.escape import escape, plain, script_json
from pipeline.website.writing.links import link
from tests.hostile import SUFFIX


@pytest.mark.parametrize("text", [SUFFIX, "a\nb", "\x1b[0m\x00", "\ud800", "<b>", "{{ x }}", "`", "--8<-- x"])
def test_escape_leaves_nothing_active(text: str) -> None:
    assert re.fullmatch(r"([A-Za-z0-9 ]|(?<=\w)[-./](?=\w)|\((?=\w)|(?<=\w)\)|&#\d+;)*", escape(text))
    assert not set(re.sub(r"(?<=\w): (?=\w)", "", plain(text))) & set("\"'<>&:#{}[]`\n\\")
    assert yaml.safe_load(f'title: "{plain(text)}"') == {"title": plain(text)}


def test_escape_keeps_what_markdown_reads_within_a_word_alone() -> None:
    assert escape("Llama-3.1 (USD/h)") == "Llama-3.1 (USD/h)"
    assert escape("- a 1. b --- [x](y) //z") == "&#45; a 1&#46; b &#45;&#45;&#45; &#91;x&#93;(y) &#47;&#47;z"


def test_a_title_keeps_the_colon_after_a_word_and_no_other() -> None:
    assert plain("H100: prices, \uff1a and more") == "H100: prices, \uff1a and more"
    assert plain("javascript:run http://x 10:30 : a") == "javascript run http //x 10 30   a"


def test_a_title_keeps_the_apostrophe_of_a_word_and_no_quotation_mark() -> None:
    assert plain("AutoDL's rule, the guides' prices") == "AutoDL\u2019s rule, the guides\u2019 prices"
    assert plain("a 'b") == "a  b"


def test_escape_passes_markup_and_empties_the_unknown() -> None:
    assert escape(Markup("<b>")) == "<b>"
    assert escape(None) == ""


@pytest.mark.parametrize("url", ["javascript:alert(1)", 'https://a.b/" onclick=x', "//evil.example", "data:text/html,x", None])
def test_only_plain_web_addresses_become_links(url: str | None) -> None:
    assert link(url, "x") == "x"


def test_json_in_a_page_has_no_end_of_script_and_no_nan() -> None:
    text = script_json({"a": "</script>&", "b": [float("nan"), float("inf")]})
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"a": "</script>&", "b": [None, None]}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (0.0199111, "$0.0199"),
        (0.56, "$0.56"),
        (0.5, "$0.50"),
        (3.09, "$3.09"),
        (1499.0, "$1,499"),
        (0, "$0"),
        (2, "$2.00"),
        (250, "$250"),
    ],
)
def test_money_reads_well(value: float | None, shown: str) -> None:
    assert numbers.usd(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(None, ""), (0.0827, "8.3¢"), (0.00296, "$2.96 per 1,000 runs"), (0.131, "$0.131"), (4, "$4.00")]
)
def test_the_cost_of_a_small_job_is_in_cents_or_of_a_thousand(value: float | None, shown: str) -> None:
    assert numbers.cost(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(None, ""), (19.5, "19.5"), (1555, "1,555"), (0.5559, "0.5559"), (float("nan"), "")]
)
def test_numbers_read_well(value: float | None, shown: str) -> None:
    assert numbers.number(value) == shown


@pytest.mark.parametrize(("part", "whole", "shown"), [(1, 1000, "1"), (999, 1000, "99"), (0, 5, "0"), (5, 5, "100")])
def test_a_share_is_never_rounded_to_all_or_nothing(part: int, whole: int, shown: str) -> None:
    assert numbers.share(part, whole) == f"{shown}%"
