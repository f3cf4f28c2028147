"""On-demand prices of AWS machines in the tables that Karpenter, the node autoscaler, generates from the vendor's price list.

A table is Go code with a map of machine types by region; the rows of accelerated machines are read. The history was
compiled from versions of these tables (2022 to 2026, us-east-1 and GovCloud) and of ec2instances.info (2013 to 2017).
"""

from collections.abc import Iterator

from sources import Accepted, Document, Download, Get, Rejected, Source
from sources.prices import go_tables, histories

SOURCE = Source(
    source_id="karpenter-aws",
    title="AWS on-demand prices (Karpenter tables, ec2instances.info)",
    attribution="aws/karpenter-provider-aws, Apache-2.0; vantage-sh/ec2instances.info, MIT",
    url="https://raw.githubusercontent.com/aws/karpenter-provider-aws/main/pkg/providers/pricing",
    terms_url="https://github.com/aws/karpenter-provider-aws/blob/main/LICENSE",
    licence="Apache-2.0; MIT",
    republish=True,
    automated_access="allowed",
    limit_days=100,
    own_list_of="aws",
)
PROVIDER = {"provider": "aws", "gpu_context": "AWS instance type"}
HISTORY = "aws_gpu_2013_2026.csv"
TABLES = ("zz_generated.pricing_aws.go", "zz_generated.pricing_aws_us_gov.go")
COLUMNS = (
    "instance_type", "region", "billing", "os", "usd_per_hour", "covers", "gpu_label", "gpu_memory_gb", "gpu_count",
    "usd_per_gpu_hour", "first_seen", "last_seen", "observed_days", "gap_days_max", "first_commit", "last_commit", "source",
    "source_path", "licence", "gpu_count_from",
)  # fmt: skip
ACCELERATED = r"(?:p|g|gr|cg|dl|inf|trn)\d[^.]*\..+"


def fetch(get: Get) -> Iterator[Download]:
    """Download the tables of the commercial regions and of GovCloud; that of China is in yuan and left out."""
    for name in TABLES:
        yield go_tables.download(get, f"{SOURCE.url}/{name}")


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the prices of the history, or of the accelerated machines in a table."""
    if document.name == HISTORY:
        for line in document.csv(COLUMNS):
            yield Accepted(histories.versions_locator(line), go_tables.history_price(line, PROVIDER))
        return
    for locator, row in go_tables.rows(document, ACCELERATED):
        yield Accepted(locator, go_tables.listed_price(document, row, PROVIDER))
