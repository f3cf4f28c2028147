"""The terms: each is add_term_links once, in words of its own, and a sign beside the headings that use it leads there."""

import re
from pathlib import Path

import pytest

from pipeline.website.writing.terms import TERMS, add_term_links
from tests.build.pages.site_pages import Page, tags_of, words_of

SIGNED = ("index.html", "gpus/index.html", "gpus/nvidia-h100-sxm5-80gb/index.html", "value/index.html")
WANTED = """
    memory bandwidth, tensor tflops, dense and sparse, spot, on demand, reserved, amortized, matched-offer index, as of, stale,
    tdp, psu, slots, nvlink, pcie, fp16, bf16, tf32, fp32, fp8, int8, batch size, batch bias, network bias, index, interval,
    conformal interval, measured and predicted, oom, break-even, utilization, resale, co2 intensity, usd per tflops, run cost,
    snapshot, sidecar, die, form factor
"""


def signs(page: Page) -> list[dict[str, str]]:
    return [had for tag, had in page.tags if tag == "a" and had.get("class") == "gl-term"]


def test_the_terms_that_readers_ask_for_are_there_once() -> None:
    names = [term.name.lower() for term in TERMS]
    assert {name.strip() for name in WANTED.split(",")} <= set(names)
    labels = [label for term in TERMS for label in term.labels]
    assert len(set(names)) == len(names)
    assert len(set(labels)) == len(labels)
    assert [label for label in labels if label != label.lower()] == []
    assert [term.name for term in TERMS if not term.text.endswith(".") or len(term.text) > 260] == []


def test_every_term_stands_in_the_glossary(site: Path) -> None:
    text, found = words_of(site, "glossary/index.html"), set(Page(site / "glossary/index.html").values("id"))
    assert [term.name for term in TERMS if term.text not in text or term.anchor not in found] == []
    assert signs(Page(site / "glossary/index.html")) == []


def test_every_label_is_a_heading_of_some_page(site: Path) -> None:
    """A label that no page prints any more explains nothing."""
    told = {had["href"].split("#")[1] for tags in tags_of(site, "a.gl-term").values() for _, had in tags}
    assert [term.name for term in TERMS if term.labels and term.anchor not in told] == []


@pytest.mark.parametrize("name", SIGNED)
def test_a_page_explains_each_term_where_it_stands_first(site: Path, name: str) -> None:
    found = signs(Page(site / name))
    assert len(found) >= 3
    assert len({had["href"] for had in found}) == len(found)
    for had in found:
        (term,) = [term for term in TERMS if had["href"].endswith(f"glossary/index.html#{term.anchor}")]
        assert had["data-text"] == term.text
        assert term.name in had["aria-label"]


def test_headings_stay_as_they_are_beside_the_sign() -> None:
    page = (
        '<dl><div><dt>TDP</dt><dd>300</dd></div></dl><table><th scope="col" class="n" data-first="descending">'
        '<button type="button">Board power</button></th><th scope="col">FP16 tensor&#44; dense</th><th scope="row">Spot</th>'
    )
    told = add_term_links(page, "../")
    assert re.sub(r" <a [^>]*></a>", "", told) == page
    assert re.findall(r'href="\.\./glossary/index\.html#([^"]+)"', told) == ["tdp", "tensor-tflops"]
    assert "</button> <a" in told, "a link must not stand inside a button"
