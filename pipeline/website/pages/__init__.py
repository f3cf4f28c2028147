"""Pages made from data, one folder per kind, each with `write(writer)` and its templates, and the files for programs.

The modules are imported when their pages are written: what starts a build and waits for its pages needs none of them.
"""

from pipeline.website.writing.page_writer import PageArtifacts, PageWriter

_LISTS = ("gpu_list", "pairs", "offers", "prices", "trends", "providers", "value", "workloads", "llm")
_ANSWERS = ("speedups", "uploads", "guides", "guide", "audit", "break_even", "calculators")
_ABOUT = ("data", "sql", "quality", "changes", "glossary", "compare")
KINDS = ("gpu", "home", "documents", *_LISTS, *_ANSWERS, *_ABOUT)


def write_machine_readable(writer: PageWriter) -> None:
    """Write the machine-readable files of the site, after all pages."""
    from pipeline.website.components import figures  # noqa: PLC0415  # as the modules of pages
    from pipeline.website.pages.data import data_json  # noqa: PLC0415

    figures.write_chart_metadata(writer)
    data_json.write(writer)


__all__ = ["KINDS", "PageArtifacts", "PageWriter", "write_machine_readable"]
