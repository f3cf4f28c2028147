"""What the price parsers share: JSON objects and HTML cells read strictly, printed prices as numbers.

What one source's words mean belongs in its module. Nothing here gives a value that the source does not state.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pipeline.readers import RefusedError
from pipeline.readers.text import decode_utf8, remove_invisible
from sources import Document, Rejected, UnparsableError

T = TypeVar("T")
_FIGURE = r"(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?P<part>\.\d+)?"
_NOTES = r"(?:\s*(?:\*+|†+|‡+|\^\d+|[¹²³⁴⁵⁶⁷⁸⁹]+))?"
_CURRENCIES = {"$": "USD", "USD": "USD", "€": "EUR", "EUR": "EUR", "CNY": "CNY", "₪": "ILS", "ILS": "ILS", "£": "GBP"}
_SIGN = "|".join(map(re.escape, _CURRENCIES))
_MONEY = re.compile(
    rf"(?P<low>from|starting from|starting at|as low as)?\s*(?P<currency>{_SIGN})\s*{_FIGURE}{_NOTES}"
    r"\s*(?:/\s*(?:h|hr|hour|gpu[- ]?hour|gpu/h))?",
    re.IGNORECASE,
)
_COUNT = re.compile(rf"(?P<whole>\d{{1,3}}(?:,\d{{3}})+|\d+){_NOTES}")
_NUMBER = re.compile(rf"{_FIGURE}{_NOTES}")
LARGEST = 1e18
NO_OFFER = ("", "-", "–", "—", "n/a", "na", "not available")


class Money(NamedTuple):
    """A printed price: number, currency code, and `from` where the page says that it is the lowest."""

    amount: float
    currency: str
    qualifier: str


def money(text: str) -> Money | None:
    """The price that a text such as `$2.50`, `from $0.74**` or `$1,024.00 / hour` prints; None where it is no price."""
    if not (match := _MONEY.fullmatch(text)):
        return None
    currency = _CURRENCIES[match["currency"].upper()]
    return Money(_value(match), currency, "from" if match["low"] else "exact")


def count(text: str) -> int | None:
    """A whole number such as `8`, `4,096` or, with the mark of a footnote, `4^1`."""
    match = _COUNT.fullmatch(text)
    return int(match["whole"].replace(",", "")) if match else None


def number(text: str) -> float | None:
    """A number such as `61.44`, `4,096` or `80*`; None for ranges and words."""
    match = _NUMBER.fullmatch(text)
    return _value(match) if match else None


def _value(match: re.Match[str]) -> float:
    return float(match["whole"].replace(",", "") + (match["part"] or ""))


def page(document: Document) -> LexborHTMLParser:
    """The file as HTML. Invisible characters are common on pages, so `cell` drops them instead of refusing the file."""
    try:
        return LexborHTMLParser(decode_utf8(document.raw))
    except RefusedError as refused:
        raise UnparsableError(f"{document.path}: {refused.reason}") from None


def cell(node: LexborNode) -> str:
    """Text of a node without footnotes in <sup>, in one line."""
    for mark in node.css("sup"):
        mark.decompose()
    return " ".join(remove_invisible(node.text(separator=" ")).split())


def rows(document: Document, items: Iterable[T], name: str = "item") -> Iterator[tuple[str, T]]:
    """The items, counted; a file without any is an error, since a price list never is empty."""
    yield from document.rows(items, name)
    if not document.rows_read:
        raise UnparsableError(f"{document.path}: not one {name} was found; the layout has changed or this is an error page")


def listing(document: Document, *names: str) -> Iterator["Item"]:
    """The objects of the list that stands under `names` in a JSON file, counted."""
    found = document.json()
    for name in names:
        if not isinstance(found, dict) or name not in found:
            raise UnparsableError(f"{document.path}: no field {name!r}; the answer is an error or its form has changed")
        found = found[name]
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise UnparsableError(f"{document.path}: {'.'.join(names) or 'the file'} is no list of objects")
    for locator, item in rows(document, found):
        yield Item(document, locator, item)


class Item(NamedTuple):
    """One object of a JSON file with typed access to its fields; null is None, a missing field is an error."""

    document: Document
    locator: str
    fields: dict[str, Any]

    def fail(self, name: str, wanted: str) -> UnparsableError:
        return UnparsableError(f"{self.document.path} {self.locator}: {name} = {self.fields.get(name)!r} is not {wanted}")

    def value(self, name: str) -> Any:
        if name not in self.fields:
            raise UnparsableError(f"{self.document.path} {self.locator}: no field {name!r}; the form has changed")
        return self.fields[name]

    def text(self, name: str) -> str:
        value = self.value(name)
        if not isinstance(value, str) or not value.strip():
            raise self.fail(name, "a text")
        return value

    def text_or_none(self, name: str) -> str | None:
        return self.text(name) if self.fields.get(name) not in (None, "") else None

    def number(self, name: str) -> float:
        """A number that is not negative, also where it is written as a text such as `"3.95"`."""
        value = self.value(name)
        if isinstance(value, str) and re.fullmatch(r"\d{1,18}(\.\d+)?", value):
            return float(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LARGEST:
            raise self.fail(name, "a number")
        return float(value)

    def number_or_none(self, name: str) -> float | None:
        return self.number(name) if self.fields.get(name) not in (None, "") else None

    def measure(self, name: str) -> float | None:
        """A size that the host may leave out or write as 0 where it does not know it."""
        return self.number_or_none(name) or None

    def integer(self, name: str) -> int:
        value = self.number(name)
        if not value.is_integer():
            raise self.fail(name, "a whole number")
        return int(value)

    def item(self, name: str) -> "Item":
        """The object in a field; messages then name the field too."""
        value = self.value(name)
        if not isinstance(value, dict):
            raise self.fail(name, "an object")
        return Item(self.document, f"{self.locator} {name}", value)

    def texts(self, name: str) -> list[str]:
        value = self.value(name)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self.fail(name, "a list of texts")
        return value

    def reject(self, code: str, reason: str, part: str = "") -> Rejected:
        """The item, or one price of it named by `part`, as a rejected row."""
        return Rejected(part_of(self.locator, part), json.dumps(self.fields, ensure_ascii=False), code, reason)


def part_of(locator: str, part: str) -> str:
    """Locator of one of several prices in a row."""
    return f"{locator}, {part}" if part else locator


class Cells(NamedTuple):
    """A row of an HTML or Markdown table: its texts by the names of their columns, and its place."""

    locator: str
    texts: dict[str, str]

    def reject(self, code: str, reason: str, part: str = "") -> Rejected:
        return Rejected(part_of(self.locator, part), " | ".join(self.texts.values()), code, reason)

    def price(self, text: str, part: str = "") -> Money | Rejected:
        """The price that a cell prints, or the row rejected for want of one."""
        if not (paid := money(text)):
            return self._refuse(text, part)
        return paid if paid.amount else self.reject("ZERO_PRICE", f"the source prints {text!r}", part)

    def _refuse(self, text: str, part: str) -> Rejected:
        if "contact" in text.lower() or text.lower() == "call":
            return self.reject("PLACEHOLDER_PRICE", f"the source prints {text!r} in the place of a price", part)
        if text.lower() in NO_OFFER:
            return self.reject("EMPTY", "no price is listed", part)
        return self.reject("PARSE", f"{text!r} is not a price", part)


def same_columns(document: Document, found: Iterable[str], wanted: Iterable[str]) -> None:
    """Raises where a table lacks a column that the parser needs."""
    if missing := sorted(set(wanted) - set(found)):
        raise UnparsableError(f"{document.path}: the table lacks the column(s) {', '.join(missing)}; the layout has changed")
