"""The code location that `test_dagster` opens: the graph of this project and one more source, which the test serves itself.

The addresses and limits come from the test: `GPULEDGER_DATA` is a copy of the data, `GPULEDGER_TEST_HOST` the host of the source.
"""

import datetime as dt
import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import dagster as dg

from pipeline.fetch.client import Limits, Web
from pipeline.schema.guides import GuideRun
from sources import Accepted, Document, Rejected, Source, discover
from tests.unit.fetch.fetcher import Module

LIMITS = Limits(attempts=1, timeout_s=4, deadline_s=60, interval_s=0)


class Fake(Module):
    """Rows of several snapshots differ, because the table has no dates."""

    def parse(self, document: Document) -> Iterator[Accepted | Rejected]:
        version = hashlib.sha256(document.raw).hexdigest()[:8]
        for item in super().parse(document):
            yield Accepted(item.locator, replace(item.row, machine=f"{item.row.machine} of {version}"))


def fake_source(host: str) -> Source:
    """Return the description of the source, which is served at `host`."""
    return Source(
        source_id="fake", title="A fake", kind="prices", yields=(GuideRun,), attribution="no one", url=host,
        licence="CC0-1.0", automated_access="allowed", terms_url="https://example.org/terms",
        daily_from=dt.date(2026, 9, 1), daily_url=f"{host}/{{day}}.json",
    )  # fmt: skip


@dg.definitions
def defs() -> dg.Definitions:
    """Return the graph. The source must be there before the modules of the graph are imported."""
    discover()["fake"] = Fake(fake_source(os.environ["GPULEDGER_TEST_HOST"]))
    from pipeline.orchestration import graph, resources

    resources.Web = partial(Web, limits=LIMITS)
    return graph.make_definitions(resources.BuildResource.configure_at_launch())
