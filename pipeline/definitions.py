"""Definitions that Dagster loads."""

import dagster as dg

from pipeline.orchestration.graph import make_definitions
from pipeline.orchestration.resources import BuildResource


@dg.definitions
def defs() -> dg.Definitions:
    """Return the graph, whose runs take their folders and options from the run's configuration."""
    return make_definitions(BuildResource.configure_at_launch())
