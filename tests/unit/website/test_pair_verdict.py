"""The sentence on buying of a comparison of two GPUs: which prices it compares."""

import datetime as dt
from typing import Any

import pytest

from pipeline.website.pages.pairs.verdict import verdict

NOTHING = dict.fromkeys(
    (
        "price_date", "marketplace_date", "usd_per_hour", "marketplace_usd_per_hour", "small_rank", "small_usd",
        "training_per_usd", "new_usd_per_token_s", "new_date", "used_usd_per_token_s", "used_date",
    )
)  # fmt: skip
LAST = dt.date(2026, 8, 20)


def gpu(name: str, **known: Any) -> dict[str, Any]:
    return NOTHING | {"brief": name, "name": name} | known


@pytest.mark.parametrize(("days", "is_compared"), [(0, True), (365, True), (366, False)])
def test_prices_to_own_are_at_most_a_year_apart(days: int, is_compared: bool) -> None:
    older = gpu("A", new_usd_per_token_s=10.0, new_date=LAST - dt.timedelta(days))
    text = verdict([older, gpu("B", new_usd_per_token_s=12.0, new_date=LAST)])
    assert ("Bought new, the A is cheaper for its speed: $10.00 per token/s, against $12.00 on the B." in text) is is_compared
    assert text.count("20 August 2026") == is_compared


def test_a_used_gpu_is_not_compared_with_a_new_one() -> None:
    rows = [gpu("A", new_usd_per_token_s=10.0, new_date=LAST), gpu("B", used_usd_per_token_s=12.0, used_date=LAST)]
    assert verdict(rows) == ""


def test_used_prices_decide_where_new_ones_are_too_far_apart() -> None:
    used = {"used_date": LAST, "new_date": LAST}
    rows = [
        gpu("A", new_usd_per_token_s=1.0, used_usd_per_token_s=9.0, **used),
        gpu("B", new_usd_per_token_s=2.0, used_usd_per_token_s=8.0, **(used | {"new_date": dt.date(2023, 1, 1)})),
    ]
    assert verdict(rows).startswith("Bought used, the B is cheaper")


def test_marketplace_prices_are_compared_where_one_has_no_price_on_demand() -> None:
    rows = [
        gpu("A", marketplace_usd_per_hour=0.1, marketplace_date=LAST),
        gpu("B", marketplace_usd_per_hour=0.2, marketplace_date=LAST, usd_per_hour=0.05, price_date=LAST),
    ]
    assert verdict(rows) == (
        "On a marketplace, the A is cheaper: $0.10 an hour, against $0.20 on the B. Rental prices of 20 August 2026."
    )
