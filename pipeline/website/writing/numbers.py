"""Number formats of the site. An unknown value is empty."""

import datetime as dt
import math
from collections.abc import Callable

from markupsafe import Markup

from pipeline.website.i18n.language import N_, gettext

_MONTHS = (
    *(N_("January"), N_("February"), N_("March"), N_("April"), N_("May"), N_("June")),
    *(N_("July"), N_("August"), N_("September"), N_("October"), N_("November"), N_("December")),
)


def number(value: float | None, digits: int = 4) -> Markup:
    """Format a number with significant digits and thousands separators; whole numbers keep all digits."""
    if value is None or not math.isfinite(value):
        return Markup("")
    if value == int(value) and abs(value) < 1e15:
        return Markup(f"{int(value):,}")  # noqa: S704
    if abs(value) >= 1e15:
        return Markup(f"{value:.{digits}g}".replace("e+", "e"))  # noqa: S704
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{min(places, 12)}f}"
    return Markup(text.rstrip("0").rstrip(".") if "." in text else text)  # noqa: S704


def bare(value: float) -> str:
    """Format a number for scripts with seven digits, to keep pages small; large numbers keep all digits."""
    return f"{value:.7g}" if abs(value) < 1e7 else str(value)


def short(value: float | None) -> str:
    """Format a figure as the first value of an input; empty if unknown."""
    return "" if value is None else f"{value:.6g}"


def ratio(value: float | None) -> Markup:
    """Format a ratio with two decimals, so that columns of ratios line up."""
    return Markup("") if value is None or not math.isfinite(value) else Markup(f"{value:,.2f}")  # noqa: S704


def in_brackets(low: float | None, high: float | None, show: Callable[[float], str]) -> str:
    """Return an interval to print after its value; nothing where it is unknown or a point."""
    if low is None or high is None or low == high:
        return ""
    return gettext(" ({low} to {high})", low=show(low), high=show(high))


def after_comma(low: float | None, high: float | None) -> str:
    """Return an interval of ratios to print after other words; nothing where it is unknown."""
    return "" if low is None else gettext(", {ci_low} to {ci_high}", ci_low=ratio(low), ci_high=ratio(high))


def percent(part: float | None, places: int = 1) -> Markup:
    """Format a fraction in percent; below zero with a minus sign."""
    if part is None or not math.isfinite(part):
        return Markup("")
    text = f"{abs(100 * part):,.{places}f}%"
    below = part < 0 and text.strip("0.%") != ""
    return Markup(f"\N{MINUS SIGN}{text}" if below else text)  # noqa: S704


def usd(value: float | None) -> Markup:
    """Format USD: cents from one dollar, three digits below it, whole dollars from a thousand and for round hundreds."""
    if value is None or not math.isfinite(value):
        return Markup("")
    size = abs(value)
    if size >= 0.995:
        return Markup(f"${value:,.{0 if size >= 1000 or (size >= 100 and value == int(value)) else 2}f}")  # noqa: S704
    if size == 0:
        return Markup("$0")
    places = 2 - math.floor(math.log10(size))
    whole, _, cents = f"{value:.{places}f}".partition(".")
    return Markup(f"${whole}.{cents.rstrip('0'):0<2}")  # noqa: S704


def cost(value: float | None) -> Markup:
    """Format the cost of a job in USD; in cents below a tenth of a dollar, of 1,000 jobs below a cent."""
    if value is None or not 0 < value < 0.1:
        return usd(value)
    if is_tiny(value):
        return Markup(gettext("{usd} per 1,000 runs", usd=usd(thousand(value))))  # noqa: S704
    return Markup(f"{number(100 * value, 2)}¢")  # noqa: S704


def is_tiny(value: float | None) -> bool:
    """Return True for a cost below a cent, which readers need for 1,000 jobs."""
    return value is not None and 0 < value < 0.01


def thousand(value: float | None) -> float | None:
    """Return the cost of 1,000 jobs."""
    return None if value is None else 1000 * value


def day(value: dt.date | dt.datetime | None) -> Markup:
    """Format a date in words."""
    if not value:
        return Markup("")
    return Markup(gettext("{day} {month} {year}", day=value.day, month=month_name(value), year=value.year))  # noqa: S704


def month_name(value: dt.date) -> str:
    """Return the name of the month of a date."""
    return gettext(_MONTHS[value.month - 1])


def duration(seconds: float | None) -> Markup:
    """Format a duration in seconds, minutes or hours."""
    if seconds is None:
        return Markup("")
    if seconds < 100:
        return Markup(gettext("{seconds} s", seconds=number(seconds, 3)))  # noqa: S704
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return Markup(gettext("{minutes} min {seconds} s", minutes=minutes, seconds=f"{rest:02d}"))  # noqa: S704
    return Markup(gettext("{hours} h {minutes} min", hours=minutes // 60, minutes=f"{minutes % 60:02d}"))  # noqa: S704


def size(count: int) -> Markup:
    """Format a file size."""
    for unit, factor in (("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return Markup(f"{count / factor:,.1f} {unit}")  # noqa: S704
    return Markup(f"{count} B")  # noqa: S704


def share(part: float, whole: float) -> Markup:
    """Format a part of a whole in percent, rounded to 0 or 100 only if it is exactly that."""
    if not whole:
        return Markup("")
    percent = 100 * part / whole
    rounded = min(max(round(percent), 1 if part else 0), 100 if part == whole else 99)
    return Markup(f"{rounded}%")  # noqa: S704
