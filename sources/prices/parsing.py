"""Helpers of the price parsers: strict access to JSON objects and HTML cells, and printed prices as numbers.

The meaning of a source's words belongs in its module. No function returns a value that the source does not state.
"""

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pipeline.readers import RefusedError
from pipeline.readers.text import decode_utf8, remove_invisible
from pipeline.schema.prices import Price
from sources import Accepted, Document, Rejected, UnparsableError, part_locator

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
GB_PER_GIB = 2**30 / 10**9
BY_HOUR: dict[str, Any] = {"kind": "cloud_rental", "price_unit": "hour"}
GPU_BY_HOUR = BY_HOUR | {"price_basis": "per_gpu", "includes_host": True}
INSTANCE_BY_HOUR = BY_HOUR | {"price_basis": "per_instance", "includes_host": True}
NO_OFFER = ("", "-", "–", "—", "n/a", "na", "not available")


def gb_of_gib(gib: float | None) -> float | None:
    """Return a size in GB of one in GiB."""
    return gib * GB_PER_GIB if gib else None


def gb_of_mib(mib: float | None) -> float | None:
    """Return a size in GB of one in MiB."""
    return gb_of_gib(mib / 1024) if mib else None


class Money(NamedTuple):
    """A printed price: number, currency code, and the qualifier `from` where the page states a lowest price."""

    amount: float
    currency: str
    qualifier: str


def parse_money(text: str) -> Money | None:
    """Parse a price such as `$2.50`, `from $0.74**` or `$1,024.00 / hour`; None for any other text."""
    if not (match := _MONEY.fullmatch(text)):
        return None
    currency = _CURRENCIES[match["currency"].upper()]
    return Money(_value(match), currency, "from" if match["low"] else "exact")


def parse_count(text: str) -> int | None:
    """Parse a whole number such as `8`, `4,096` or, with a footnote mark, `4^1`; None for any other text."""
    match = _COUNT.fullmatch(text)
    return int(match["whole"].replace(",", "")) if match else None


def parse_number(text: str) -> float | None:
    """Parse a number such as `61.44`, `4,096` or `80*`; None for ranges and words."""
    match = _NUMBER.fullmatch(text)
    return _value(match) if match else None


def _value(match: re.Match[str]) -> float:
    return float(match["whole"].replace(",", "") + (match["part"] or ""))


def parse_html(document: Document) -> LexborHTMLParser:
    """Parse the file as HTML. Invisible characters are common on pages: `cell_text` drops them instead of refusing the file."""
    try:
        return LexborHTMLParser(decode_utf8(document.raw))
    except RefusedError as refused:
        raise UnparsableError(f"{document.path}: {refused.reason}") from None


def cell_text(node: LexborNode) -> str:
    """Return the text of a node in one line, without footnotes in <sup>."""
    for mark in node.css("sup"):
        mark.decompose()
    return " ".join(remove_invisible(node.text(separator=" ")).split())


def counted_rows(document: Document, items: Iterable[T], name: str = "item") -> Iterator[tuple[str, T]]:
    """Yield locator and item, counted as rows read. A file without items is an error: a price list is never empty."""
    yield from document.rows(items, name)
    if not document.rows_read:
        raise UnparsableError(f"{document.path}: not one {name} was found; the layout has changed or this is an error page")


def json_items(document: Document, *names: str, goes_on_at: str = "") -> Iterator["Item"]:
    """Yield the objects of the list at the path `names` in a JSON file, counted as rows read.

    A file whose field `goes_on_at` is filled has only the first page of a list, and is refused.
    """
    content = document.json()
    if isinstance(content, dict) and content.get(goes_on_at):
        raise UnparsableError(f"{document.path}: the list goes on at {goes_on_at}; fetch all of it")
    for name in names:
        if not isinstance(content, dict) or name not in content:
            raise UnparsableError(f"{document.path}: no field {name!r}; the response is an error or its layout has changed")
        content = content[name]
    if not isinstance(content, list) or not all(isinstance(item, dict) for item in content):
        raise UnparsableError(f"{document.path}: {'.'.join(names) or 'the file'} is not a list of objects")
    for locator, item in counted_rows(document, content):
        yield Item(document, locator, item)


def first_refusal(reject: Callable[[str, str], Rejected], rules: Iterable[tuple[bool, str, str]]) -> Rejected | None:
    """Reject with reason code and reason of the first rule that is broken; return None if none is."""
    return next((reject(code, reason) for is_broken, code, reason in rules if is_broken), None)


class Item(NamedTuple):
    """One object of a JSON file with typed access to its fields; null is None, a missing field is an error."""

    document: Document
    locator: str
    fields: dict[str, Any]

    def fail(self, name: str, wanted: str) -> UnparsableError:
        return UnparsableError(f"{self.document.path} {self.locator}: {name} = {self.fields.get(name)!r} is not {wanted}")

    def value(self, name: str) -> Any:
        if name not in self.fields:
            raise UnparsableError(f"{self.document.path} {self.locator}: no field {name!r}; the layout has changed")
        return self.fields[name]

    def text(self, name: str) -> str:
        value = self.value(name)
        if not isinstance(value, str) or not value.strip():
            raise self.fail(name, "a text")
        return value

    def text_or_none(self, name: str) -> str | None:
        return self.text(name) if self.fields.get(name) not in (None, "") else None

    def number(self, name: str) -> float:
        """Return a number that is not negative; a text such as `"3.95"` is one too."""
        value = self.value(name)
        if isinstance(value, str) and re.fullmatch(r"\d{1,18}(\.\d+)?", value):
            return float(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LARGEST:
            raise self.fail(name, "a number")
        return float(value)

    def number_or_none(self, name: str) -> float | None:
        return self.number(name) if self.fields.get(name) not in (None, "") else None

    def measure(self, name: str) -> float | None:
        """Return a size; None where the host omits it or writes 0 for unknown."""
        return self.number_or_none(name) or None

    def measure_in(self, name: str, field: str) -> float | None:
        """Return a size that the object in a field states; None where the host omits the object too."""
        return self.item(name).measure(field) if self.fields.get(name) else None

    def integer(self, name: str) -> int:
        value = self.number(name)
        if not value.is_integer():
            raise self.fail(name, "a whole number")
        return int(value)

    def item(self, name: str) -> "Item":
        """Return the object in a field; its error messages name the field too."""
        value = self.value(name)
        if not isinstance(value, dict):
            raise self.fail(name, "an object")
        return Item(self.document, f"{self.locator} {name}", value)

    def items(self, name: str) -> list["Item"]:
        """Return the objects of a list in a field; their error messages name this object alone."""
        values = self.value(name)
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise self.fail(name, "a list of objects")
        return [Item(self.document, self.locator, value) for value in values]

    def day_or_none(self, name: str) -> dt.date | None:
        """Return the day of a time like 2026-10-01T00:00:00Z."""
        text = self.text_or_none(name)
        try:
            return dt.date.fromisoformat(text[:10]) if text else None
        except ValueError:
            raise self.fail(name, "a time such as 2026-10-01T00:00:00Z") from None

    def texts(self, name: str) -> list[str]:
        value = self.value(name)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self.fail(name, "a list of texts")
        return value

    def offer(self, name: str, part: str = "", **facts: Any) -> Accepted:
        """Return the price that a field states, dated with the file, with further `facts`; `part` names one of several prices."""
        paid: dict[str, Any] = {"amount": self.number(name), "price_raw": f"{name} {self.fields[name]}"}
        return Accepted(part_locator(self.locator, part), Price(observed_at=self.document.observed_on, **paid | facts))

    def reject(self, code: str, reason: str, part: str = "") -> Rejected:
        """Reject the item, or one price of it named by `part`."""
        return Rejected(part_locator(self.locator, part), json.dumps(self.fields, ensure_ascii=False), code, reason)


class Cells(NamedTuple):
    """A row of an HTML or Markdown table: its locator, and its texts by column name."""

    document: Document
    locator: str
    texts: dict[str, str]

    def reject(self, code: str, reason: str, part: str = "") -> Rejected:
        return Rejected(part_locator(self.locator, part), " | ".join(self.texts.values()), code, reason)

    def offer(self, text: str, part: str = "", **facts: Any) -> Accepted | Rejected:
        """Return the price that a cell prints, dated with the file, with further `facts`; or the rejected row without one."""
        if money := parse_money(text):
            paid = {"observed_at": self.document.observed_on, "price_raw": text, **money._asdict()}
            return Accepted(part_locator(self.locator, part), Price(**paid | facts))
        if "contact" in text.lower() or text.lower() == "call":
            return self.reject("PLACEHOLDER_PRICE", f"the source prints {text!r} in the place of a price", part)
        if text.lower() in NO_OFFER:
            return self.reject("EMPTY", "no price is listed", part)
        return self.reject("PARSE", f"{text!r} is not a price", part)


class PageRow(NamedTuple):
    """A row of a page's tables: the heading above it, its columns (none where they are not printed), and its cells."""

    section: str
    columns: list[str]
    cells: list[str]


def require_columns(document: Document, columns: Iterable[str], required: Iterable[str]) -> None:
    """Raise UnparsableError where a table lacks a column that the parser needs."""
    if missing := sorted(set(required) - set(columns)):
        raise UnparsableError(f"{document.path}: the table lacks the column(s) {', '.join(missing)}; the layout has changed")
