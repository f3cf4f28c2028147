"""What every process beside the build finds imported: MkDocs, the charts and the pages, which the build itself does without."""

from pipeline.performance import inputs  # noqa: F401
