"""What every process beside the build finds imported: MkDocs, the charts and the pages, which the build itself does without."""

from importlib import import_module

from pipeline.website import build, mkdocs_build  # noqa: F401
from pipeline.website.pages import KINDS

for kind in KINDS:
    import_module(f"pipeline.website.pages.{kind}.page")
