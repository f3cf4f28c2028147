"""What every process beside the build finds imported: MkDocs, the charts and the pages, which the build itself does without."""

from importlib import import_module

from pipeline import framing, website  # noqa: F401
from pipeline.pages import KINDS

for kind in KINDS:
    import_module(f"pipeline.pages.{kind}")
