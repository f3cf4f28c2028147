"""Whatever way a template prints a text from data, nothing of it is active; what is markup stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from pipeline.website.writing.escape import escape
from pipeline.website.writing.page_writer import environment

PRINTED = {
    "plain": "{{ text }}",
    "joined": "{{ text ~ text }}",
    "joined to markup": "{{ markup ~ text }}",
    "a list": "{{ [text, text]|join(markup) }}",
    "set": "{% set kept = text %}{{ kept }}",
    "a set block": "{% set kept %}{{ text }}{% endset %}{{ kept }}",
    "a macro": "{% macro said(text) %}{{ text }}{% endmacro %}{{ said(text) }}",
    "a call": "{% macro said() %}{{ caller() }}{% endmacro %}{% call said() %}{{ text }}{% endcall %}",
    "a filter block": "{% filter trim %}{{ text }}{% endfilter %}",
    "a choice": "{{ text if text else 'none' }}",
    "a constant": "{{ '<b>' }}",
    "a row": "{{ row.name }}",
}


@pytest.mark.parametrize("source", PRINTED.values(), ids=PRINTED.keys())
@given(text=st.text(alphabet="<>&\"'`[]()*_!a", min_size=1))
def test_no_text_prints_an_active_sign(source: str, text: str) -> None:
    page = environment().from_string(source).render(text=text, row={"name": text}, markup=Markup("<i></i>"))
    assert not set("<>\"'") & set(page.replace("<i></i>", ""))


def test_markup_and_what_was_escaped_are_printed_once() -> None:
    page = environment().from_string("{{ markup }}{{ text }}{{ escaped }}{{ unknown }}{{ 1.5 }}")
    assert page.render(markup=Markup("<i></i>"), text="<", escaped=escape("<"), unknown=None) == "<i></i>&#60;&#60;1.5"
