"""Name, licence and citation of the published dataset."""

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
    """Return the version of the data of a date, as MAJOR.MINOR.PATCH (year.month.day)."""
    return f"{as_of.year}.{as_of.month}.{as_of.day}"


def citation(as_of: dt.date) -> str:
    """Return the citation of the data of a date, in one line."""
    return f"{AUTHORS}, {TITLE}, version {version(as_of)}, data of {as_of.isoformat()}"


def bibtex(as_of: dt.date, address: str = "") -> str:
    """Return the citation as a BibTeX entry, with the address of the site where it is known."""
    lines = {
        "author": f"{{{AUTHORS}}}",
        "title": f"{TITLE}: GPU specifications, prices and benchmark figures",
        "version": version(as_of),
        "year": str(as_of.year),
        "month": str(as_of.month),
        "note": f"Data of {as_of.isoformat()}",
    }
    lines |= {"url": address} if address else {}
    return "@misc{gpuledger,\n" + "".join(f"  {key} = {{{value}}},\n" for key, value in lines.items()) + "}"
