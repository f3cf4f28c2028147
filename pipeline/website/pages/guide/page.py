"""One page per guide: its tables, its protocol and its advice, with the current figure beside each."""

from pipeline.website.pages.guide import autodl, dettmers, paperspace, pro_vs_consumer, wechat
from pipeline.website.writing.page_writer import PageWriter

GUIDES = (autodl, dettmers, paperspace, pro_vs_consumer, wechat)


def write(writer: PageWriter) -> None:
    """Write the page of every guide."""
    for guide in GUIDES:
        guide.write(writer)
