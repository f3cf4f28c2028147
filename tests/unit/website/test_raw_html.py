"""Handing finished pages through Markdown whole changes nothing but the time."""

import markdown
from hypothesis import given
from hypothesis import strategies as st

EXTENSIONS = ["tables", "attr_list", "def_list", "toc", "pymdownx.superfences"]


def rendered(text: str, *more: str) -> str:
    return markdown.markdown(text, extensions=[*EXTENSIONS, *more])


@given(
    st.lists(
        st.sampled_from(["<p>a *b*</p>", "", "<pre>\n\n| a | b |\n</pre>", "<script>x</script>", "&#60;", "```"]), max_size=8
    )
)
def test_a_page_of_one_block_comes_out_the_same(lines: list[str]) -> None:
    text = '<div class="gl-page" id="content">\n' + "\n".join(lines) + "\n</div>"
    assert rendered(text, "pipeline.website.raw_html").strip() == text


def test_a_page_written_by_hand_is_read_as_markdown() -> None:
    text = "# Title\n\nA *word* and a [link](a.md).\n\n<div>raw</div>\n"
    assert rendered(text, "pipeline.website.raw_html") == rendered(text)
