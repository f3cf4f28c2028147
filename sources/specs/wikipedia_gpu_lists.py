"""Values in Wikipedia's lists of graphics cards, read from a JSON copy of the lists."""

from pipeline.schema.prices import Price
from pipeline.schema.spec_statements import SpecValue
from sources import Source
from sources.specs.statements import with_launch_prices

SOURCE = Source(
    source_id="wikipedia-gpu-lists",
    title="Wikipedia: lists of graphics processing units",
    kind="specs",
    yields=(SpecValue, Price),
    url="https://github.com/voidful/gpu-info-api",
    terms_url="https://en.wikipedia.org/wiki/Wikipedia:Text_of_the_Creative_Commons_Attribution-ShareAlike_4.0_International_License",
    licence="CC BY-SA 4.0",
    republish=True,
    attribution="Wikipedia contributors, lists of NVIDIA, AMD and Intel graphics processing units, via voidful/gpu-info-api",
)

parse = with_launch_prices(SOURCE.source_id)
