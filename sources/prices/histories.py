"""Rows of compiled price histories: one row per offer and unchanged price, from the first to the last day on which it was seen.

The files come from stored versions of a publisher's repository. Their rows name the versions, which the locator repeats.
The meaning of a publisher's words belongs in the module of its source.
"""

from typing import Any

from sources import Line, Rejected, part_locator

TERMS: dict[str, dict[str, Any]] = {
    "on_demand": {"billing": "on_demand"},
    "spot": {"billing": "spot"},
    "commit_1y": {"billing": "reserved", "commitment_months": 12},
    "commit_3y": {"billing": "reserved", "commitment_months": 36},
    "sustained_use_month": {"billing": "sustained_use"},
}
FORBIDDEN = ("runpod", "vast")


def interval(line: Line, days: str = "observed_days") -> dict[str, Any]:
    """Return the dates of a price: first and last day on which it was seen, and the number of days between them that saw it."""
    first, last = line.day("first_seen"), line.day("last_seen")
    if last < first:
        raise line.fail("last_seen", "a day from first_seen on")
    return {"observed_at": last, "effective_from": first, "effective_to": last, "days_observed": line.integer(days)}


def versions_locator(line: Line) -> str:
    """Return the locator of a row with the first and the last version of the upstream file that states the price."""
    return part_locator(line.locator, _versions(line))


def _versions(line: Line) -> str:
    return f"{line.text('first_commit')}..{line.text('last_commit')}"


def reject(line: Line, code: str, reason: str) -> Rejected:
    """Reject a row of a compiled history."""
    return line.reject(code, reason, _versions(line))


def terms(line: Line) -> dict[str, Any]:
    """Return billing and commitment of a row. Raises UnparsableError for a word that is not known."""
    if (billing := line.text("billing")) not in TERMS:
        raise line.fail("billing", f"one of {', '.join(TERMS)}")
    return TERMS[billing]


def count_whole_gpus(line: Line) -> int | None:
    """Return the number of GPUs; None where it is not stated, or less than one, which the name of the machine states too."""
    count = line.number_or_none("gpu_count")
    return int(count) if count and count.is_integer() else None


def is_forbidden(provider: str) -> bool:
    """Return True for a provider whose terms forbid the use of its prices in comparisons."""
    return provider.lower().startswith(FORBIDDEN)


FORBIDDEN_REASON = "the provider's terms forbid comparisons of its prices"


def reject_forbidden(locator: str, provider: str) -> Rejected:
    """Reject a row of such a provider, whose prices the list of rejected rows leaves out too."""
    return Rejected(locator, f"{provider}: row left out", "TERMS", FORBIDDEN_REASON)
