"""What the published dataset is called, on what terms it is given, and how to name it."""

import datetime as dt

TITLE = "gpuledger"
DESCRIPTION = (
    "Specifications, prices and benchmark figures of GPUs with the source of every value, figures derived from "
    "them, and a recomputation of what published GPU guides state."
)
LICENCE = {"name": "CC-BY-SA-4.0", "path": "https://creativecommons.org/licenses/by-sa/4.0/", "title": "CC BY-SA 4.0"}
CITATION = "gpuledger contributors: gpuledger, a ledger of GPU specifications, prices and benchmark figures."
KEYWORDS = ("GPU", "deep learning", "prices", "benchmarks", "price-performance")
AUTHORS = "gpuledger contributors"


def version(as_of: dt.date) -> str:
    """The version of the data of a day, as MAJOR.MINOR.PATCH (year.month.day)."""
    return f"{as_of.year}.{as_of.month}.{as_of.day}"


def citation(as_of: dt.date) -> str:
    """How to name the data of a day, in one line."""
    return f"{AUTHORS}, {TITLE}, data of {as_of.isoformat()}"


def bibtex(as_of: dt.date) -> str:
    """The same as a BibTeX entry."""
    lines = {"author": f"{{{AUTHORS}}}", "title": f"{TITLE}, data of {as_of.isoformat()}", "year": str(as_of.year)}
    return "@misc{gpuledger,\n" + "".join(f"  {key} = {{{value}}},\n" for key, value in lines.items()) + "}"
