"""A digest of GPU advice shared on WeChat (2022): lists of Dettmers (2019) and Lambda (2020), platforms, rules."""

from collections.abc import Iterator

from pipeline.schema.guides import GuidePlatform, GuideProtocol, GuideRecommendation
from pipeline.schema.prices import Price
from sources import Accepted, Document, Source, by_file_name, rows_of
from sources.guides.figures import SHARED_RECORDS, shared_parsers, subscription

SOURCE = Source(
    source_id="wechat-2022",
    title="WeChat digest of GPU advice (2022)",
    kind="guide",
    yields=(GuidePlatform, GuideProtocol, GuideRecommendation, *SHARED_RECORDS, Price),
    attribution="WeChat article on GPUs for deep learning, shared on 14 March 2022; it repeats Dettmers, Lambda and Zhihu",
    url="https://mp.weixin.qq.com/s?__biz=MzU0NjgzMDIxMQ==&mid=2247590843&idx=1&sn=a216d4b45758144e8f2051c30f6bfcba",
)


def _platforms(document: Document) -> Iterator[Accepted]:
    for line in document.csv(("platform", "tier", "usd_per_month", "hardware", "limits")):
        yield Accepted(line.locator, line.record(GuidePlatform))
        if line.number_or_none("usd_per_month"):
            yield subscription(line, document, line.text("platform"), f"{line.text('usd_per_month')} USD")


parse = by_file_name(
    {
        "platforms.csv": _platforms,
        "protocol.csv": rows_of(GuideProtocol),
        "recommendations.csv": rows_of(GuideRecommendation),
        **shared_parsers(SOURCE.source_id),
    }
)
