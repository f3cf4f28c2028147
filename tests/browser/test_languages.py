"""The site in another language, as its reader meets it: the same pages, charts, filters and answers, in other words."""

import re

import pytest

from pipeline.website.writing import npm_packages
from tests.browser.visit import Visit
from tests.page_kinds import PAGES, type_query

ZH = "zh/"
CHINESE = re.compile("[\u4e00-\u9fff]")
ANSWER = "#answers .gpu a, #answers .figure b, #ranked tbody th a"  # GPUs and figures, which no language changes
TEXTS = "found => found.map(one => one.textContent).filter(text => /[0-9]/.test(text))"


@pytest.mark.parametrize("name", ["gpu", *(pytest.param(name, marks=pytest.mark.full) for name in ("home", "sql"))])
def test_the_menu_of_languages_leads_to_the_same_page_and_back(visit: Visit, name: str) -> None:
    page = visit.open(PAGES[name])
    for language, folder in (("zh", ZH), ("en", "")):
        page.goto(page.eval_on_selector(f".gl-languages a[hreflang={language}]", "link => link.href"))
        assert page.url == visit.base + folder + PAGES[name]
        assert page.get_attribute("html", "lang") == language
    assert visit.faults == []


def test_the_recommendation_form_answers_in_chinese_what_it_answers_in_english(visit: Visit) -> None:
    page = visit.open(ZH + "index.html?way=buy&memory=24&older=1")
    page.wait_for_function("() => document.querySelector('#lead').innerText.includes('购买')")
    chinese = {part: page.inner_text(part) for part in ("#lead", "#answers", "#ranked", "#left-out")}
    found = page.eval_on_selector_all(ANSWER, TEXTS)
    assert not re.search("run|fastest|cheapest|memory|asked", " ".join(chinese.values()))
    page = visit.open("index.html?way=buy&memory=24&older=1")
    page.wait_for_function("() => document.querySelector('#lead').innerText.startsWith('Buy ')")
    assert page.eval_on_selector_all(ANSWER, TEXTS) == found
    assert len(found) > 10
    assert visit.faults == []


def test_nonsense_in_the_address_is_told_in_chinese(visit: Visit) -> None:
    page = visit.open(ZH + "index.html?memory=much")
    assert "memory=much" in page.inner_text(".gl-ignored")
    assert CHINESE.search(page.inner_text(".gl-ignored"))


def test_filters_of_columns_work_under_translated_headings(visit: Visit) -> None:
    page = visit.open(ZH + "speedups/index.html")
    field = page.locator("input[data-column]").first
    count = field.evaluate("input => input.closest('.gl-tools').querySelector('.gl-count').textContent")
    field.fill(">=2")
    shown = "([input, before]) => input.closest('.gl-tools').querySelector('.gl-count').textContent !== before"
    page.wait_for_function(shown, arg=[field.element_handle(), count])
    assert visit.faults == []


def test_search_finds_a_chinese_word_and_a_gpu(visit: Visit) -> None:
    page = visit.open(ZH + "index.html")
    for asked in ("盈亏平衡", "H100", "A100", "RTX 4090"):
        page.fill(".md-search__input", "")
        type_query(page, asked)
        page.keyboard.press("End")  # the theme notices characters without a key only at the next key
        text = "document.querySelector('.md-search-result__list').innerText.replaceAll('\\u200b', '')"
        page.wait_for_function(f"asked => {text}.includes(asked)", arg=asked)
        assert visit.faults == []


def test_the_sql_page_uses_the_engine_that_all_languages_share(visit: Visit) -> None:
    if npm_packages.engine() is None:
        pytest.skip("no engine")
    page = visit.open(ZH + "sql/index.html")
    page.fill("#sq-text", "SELECT count(*) AS gpus FROM gpu")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => /ms/.test(document.querySelector('.sq-status').textContent)")
    assert int(page.inner_text(".sq-result tbody td")) > 100
    assert CHINESE.search(page.inner_text(".sq-status"))
    assert visit.faults == []
