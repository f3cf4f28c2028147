"""One page of each kind, and the number of charts on it."""

from typing import Any

PAGES = {
    "home": "index.html",
    "comparison": "compare/index.html",
    "gpus": "gpus/index.html",
    "gpu": "gpus/nvidia-a100-pcie-40gb/index.html",
    "history": "gpus/nvidia-h100-sxm5-80gb/index.html",
    "pairs": "pairs/index.html",
    "pair": "pairs/v100-vs-a100/index.html",
    "offers": "offers/index.html",
    "prices": "prices/index.html",
    "trends": "trends/index.html",
    "providers": "providers/index.html",
    "provider": "providers/aws/index.html",
    "value": "value/index.html",
    "workloads": "workloads/index.html",
    "workload": "workloads/stylegan-xl-training/index.html",
    "language models": "llm/index.html",
    "model family": "llm/llama/index.html",
    "llm speed": "llm/inference/index.html",
    "llm memory": "llm/memory/index.html",
    "fine-tuning": "llm/fine-tuning/index.html",
    "speedups": "speedups/index.html",
    "uploaded": "runs/index.html",
    "sources": "sources/index.html",
    "source": "sources/gpurentalprices/index.html",
    "rejects": "rejects/index.html",
    "guides": "guides/index.html",
    "guide of paperspace": "guides/paperspace-2022/index.html",
    "guide of autodl": "guides/autodl-2022/index.html",
    "guide of professional GPUs": "guides/pro-vs-consumer-2023/index.html",
    "guide of 2020": "guides/dettmers-2020/index.html",
    "guide on wechat": "guides/wechat-2022/index.html",
    "audit": "audit/index.html",
    "break-even": "break-even/index.html",
    "calculators": "calculators/index.html",
    "data": "data/index.html",
    "table": "dictionary/price/index.html",
    "changes": "changes/index.html",
    "versions": "changes/versions/index.html",
    "glossary": "glossary/index.html",
    "sql": "sql/index.html",
}
WRITTEN_BY_HAND = {"method": "method/index.html", "benchmarks": "benchmarks.html"}
CHARTS = {
    "home": 1,
    "prices": 1,
    "trends": 2,
    "provider": 1,
    "value": 2,
    "speedups": 3,
    "gpu": 1,
    "history": 1,
    "pair": 1,
    "workload": 1,
    "audit": 1,
    "break-even": 1,
    "data": 1,
    "llm speed": 1,
}
LANGUAGES = {"en": "", "zh": "zh/"}


def type_query(page: Any, text: str) -> None:
    """Type into the site's search once its index is loaded."""
    page.click(".md-search__input")
    ready = "() => !/Initializing|初始化/.test(document.querySelector('.md-search-result__meta').textContent)"
    page.wait_for_function(ready)  # the worker answers a query that comes earlier with a warning
    page.locator(".md-search__input").press_sequentially(text, delay=30)
