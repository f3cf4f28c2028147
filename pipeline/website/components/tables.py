"""Headings of the columns of a table, made from their names."""

from pipeline.website.writing.labels import words

_UNITS = {"usd", "gb", "w", "days", "mhz", "mb", "kb", "tflops", "tops"}


def label(name: str, unit: str = "x") -> str:
    """Return the heading of a column: its name without the unit, which is printed separately."""
    if not unit:
        return words(name)
    parts = name.removesuffix("_gb_per_s").split("_")
    return words("_".join(part for part in parts if part not in _UNITS) or name)
