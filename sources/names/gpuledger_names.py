"""Names of GPUs and providers: labels of single sources, and the rules for all other labels.

`data/names/<source_id>.csv` maps a source's own labels to GPUs. `data/names/rules/` contains the GPU families and
machine names that `pipeline.gpu_identity` uses, and the names of providers.
"""

from collections.abc import Iterator

from pipeline.schema.prices import ProviderAlias
from pipeline.schema.specs import GpuAlias
from sources import Accepted, Document, Rejected, Source

SOURCE = Source(
    source_id="gpuledger-names",
    title="Labels of GPUs by source, rules for all others, and names of providers, as read by the maintainers",
    kind="names",
    yields=(GpuAlias, ProviderAlias),
    attribution="gpuledger contributors",
    licence="CC BY-SA 4.0",
    republish=True,
    folder="names",
)
PROVIDERS = "providers.csv"
RULES = {
    "families.csv": (("words", "form", "memory_gb", "memory_type"), ("words", "provider", "form", "memory_gb", "memory_type")),
    "instance_types.csv": (("pattern",), ("pattern", "provider", "quantity")),
}


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the labels of one source, or of one file of rules or providers; words.csv has neither and yields no rows."""
    if "/rules/" not in document.path:
        yield from document.records(GpuAlias, scope=document.name.removesuffix(".csv"))
    elif document.name == PROVIDERS:
        yield from document.records(ProviderAlias)
    elif document.name in RULES:
        yield from _rules(document)


def _rules(document: Document) -> Iterator[Accepted | Rejected]:
    naming, columns = RULES[document.name]
    for line in document.csv((*columns, "gpu_id", "reason_code", "rule")):
        alias = " ".join(text for name in naming if (text := line.fields[name]))
        if line.fields["gpu_id"]:
            scope = line.fields["provider"] or "any source"
            for gpu_id in line.text("gpu_id").split():
                yield Accepted(line.locator, GpuAlias(alias=alias, scope=scope, gpu_id=gpu_id, rule=line.text("rule")))
        else:
            yield Rejected(line.locator, alias, line.text("reason_code"), line.text("rule"))
