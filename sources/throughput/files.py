"""Parsers of files that the throughput sources have in common: workloads and machines."""

from collections.abc import Iterator

from pipeline.schema.throughput import SystemInterconnect, WorkloadFamily
from sources import Accepted, Document


def workloads(document: Document) -> Iterator[Accepted]:
    return document.records(WorkloadFamily)


def systems(document: Document) -> Iterator[Accepted]:
    return document.records(SystemInterconnect)
