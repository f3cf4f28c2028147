"""Pages in another language: sentences are found where they stand, values and elements keep their places, nothing is lost."""

import re

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from pipeline.website import update_catalogs
from pipeline.website.i18n import markdown_messages, template_messages
from pipeline.website.i18n.language import CATALOGS, Language, gettext, gettext_figures, language, mark_english, use_language
from pipeline.website.i18n.sentences import gettext_rule
from pipeline.website.pages.documents import page as documents_page
from pipeline.website.writing import page_writer
from pipeline.website.writing.labels import data_text

TEMPLATES = sorted(page_writer.TEMPLATES.rglob("*.j2"))
DOCUMENTS = sorted(documents_page.DOCUMENTS.rglob("*.md"))
TEXT = """<p title="Two words">Data of {{ day }} (<b class="x">{{ age }} old</b>),
<a href="{{ root }}a.html">each with its day</a>.</p>
<nav><a href="#a">One way</a><a href="#b">Other way</a></nav>
{% if day %}<td>no more</td>{% endif %}<script>let it = "be so";</script>"""


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_with_unchanged_messages_is_the_same_template(path):
    source = path.read_text(encoding="utf-8")
    assert template_messages.rewrite(source, lambda message: message) == source


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_with_unchanged_messages_is_the_same_document(path):
    text = path.read_text(encoding="utf-8")
    assert markdown_messages.rewrite(text, lambda message: message) == text


def test_a_message_has_its_values_and_elements_and_adjacent_elements_are_separate():
    assert template_messages.messages_of(TEXT) == [
        "Two words",
        "Data of {day} (<1>{age} old</1>), <2>each with its day</2>.",
        "One way",
        "Other way",
        "no more",
    ]


def test_an_element_that_a_condition_splits_is_not_part_of_the_message():
    assert template_messages.messages_of("<td><b>one{% if x %} more{% endif %} word {{ y }}</b></td>") == [
        "one",
        "more",
        "word {y}",
    ]


def rendered(words, **values):
    environment = jinja2.Environment(
        extensions=[template_messages.TranslateTemplates], autoescape=True, loader=jinja2.DictLoader({"t": TEXT})
    )
    environment.extend(messages=words)
    return environment.get_template("t").render(**values)


def test_a_translation_may_reorder_values_and_values_are_not_executed():
    words = {"Data of {day} (<1>{age} old</1>), <2>each with its day</2>.": "<2>各有日期</2>：{day}（<1>已有 {age}</1>）。"}
    page = rendered(words, day="<i>", age=3, root=Markup("../"))
    assert '<p title="Two words"><a href="../a.html">各有日期</a>：&lt;i&gt;（<b class="x">已有 3</b>）。</p>' in page
    assert 'let it = "be so"' in page


def test_a_document_is_translated_item_by_item_and_keeps_its_markup():
    text = "---\ntitle: A\nhide: [toc]\n---\n\n# Head\n\nOne line\nand more.\n\n- **an** item\n  goes on\n\n```sh\nrun\n```\n"
    words = {"A": "页", "Head": "标题", "One line and more.": "一段。", "**an** item goes on": "**一**项"}
    said = markdown_messages.rewrite(text, lambda message: words.get(message, message))
    assert said == "---\ntitle: 页\nhide: [toc]\n---\n\n# 标题\n\n一段。\n\n- **一**项\n\n```sh\nrun\n```\n"


@given(st.lists(st.floats(0, 1e6).map(lambda value: f"{value:.2f}"), min_size=2, max_size=2))
def test_a_translated_text_of_the_data_keeps_its_figures(figures):
    spoken = Language("xx", "X", {"; ": "；", "{1} GB, {2} asked": "要 {2}，有 {1}"})
    with use_language(spoken):
        assert gettext_figures(f"{figures[0]} GB, {figures[1]} asked; other") == f"要 {figures[1]}，有 {figures[0]}；other"


def test_a_message_without_a_translation_is_in_english():
    with use_language(Language("xx", "X", {"known": "已知"})):
        assert (gettext("known"), gettext("not known, {n}", n=3)) == ("已知", "not known, 3")


GERMAN = Language(
    "de",
    "Deutsch",
    {
        "price per hour": "Preis pro Stunde",
        "{1} GB are used": "belegt sind {1} GB",
        "machine {name}: {rest}": "Maschine {name}: {rest}",
        "Training hours": "Dauer des Trainings",
    },
)


def test_only_what_a_catalog_lacks_is_marked_as_english() -> None:
    with use_language(GERMAN):
        assert mark_english(gettext("price per hour")) == "Preis pro Stunde"
        assert mark_english(gettext_figures("80 GB are used")) == "belegt sind 80 GB"
        assert mark_english(gettext_rule("machine p5.48xlarge: named so")) == "Maschine p5.48xlarge: named so"
        assert mark_english(gettext("price per day")) == '<span lang="en">price per day</span>'
        assert mark_english("每小时价格, per hour") == "每小时价格, per hour"
        told = data_text("80 GB are used; training_hours; as the guide says")
    assert told == 'belegt sind 80 GB; Dauer des Trainings; <span lang="en">as the guide says</span>'


@pytest.mark.parametrize(("code", "told"), [("zh", "T4，阿里云"), ("de", "T4, 阿里云")])
def test_a_comma_before_chinese_is_full_width_on_chinese_pages(code: str, told: str) -> None:
    with use_language(language(code) if code == "zh" else GERMAN):
        assert page_writer.punctuate("T4, 阿里云") == told


@pytest.mark.parametrize("path", sorted(CATALOGS.glob("*.po")), ids=lambda path: path.stem)
def test_a_catalog_translates_every_message_with_the_same_placeholders(path):
    assert update_catalogs.find_errors(path) == []


@pytest.mark.parametrize("path", sorted(CATALOGS.glob("*.po")), ids=lambda path: path.stem)
def test_a_catalogue_is_up_to_date(path, tmp_path):
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    update_catalogs.update(copy)
    assert copy.read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), "run: python -m pipeline.website.update_catalogs"


def test_the_catalog_of_a_new_language_has_every_message(tmp_path):
    new = tmp_path / "de.po"
    new.touch()
    update_catalogs.update(new)
    messages = re.compile(r"^msgid .*", re.MULTILINE)
    chinese = (CATALOGS / "zh.po").read_text(encoding="utf-8")
    assert set(messages.findall(new.read_text(encoding="utf-8"))) == set(messages.findall(chinese))


@pytest.mark.parametrize("path", sorted((documents_page.DOCUMENTS / "assets").glob("*.js")), ids=lambda path: path.name)
def test_no_script_has_a_template_within_a_template(path):
    """rjsmin takes spaces out of the inner one."""
    assert re.findall(r"`[^`]*\$\{[^}`]*`[^\n]*", path.read_text(encoding="utf-8")) == []
