"""The sentence on buying of a comparison of two GPUs: which prices it compares."""

import datetime as dt
from typing import Any

import pytest

from pipeline.website.pages.pairs.verdict import brief_verdict, verdict

NOTHING = dict.fromkeys(
    (
        "price_date", "marketplace_date", "usd_per_gpu_hour", "marketplace_usd_per_gpu_hour", "small_rank", "small_usd",
        "training_per_usd", "training_low", "training_high", "new_usd_per_token_s", "new_date", "new_current",
        "used_usd_per_token_s", "used_date", "used_current",
    )
)  # fmt: skip
LAST = dt.date(2026, 8, 20)


def gpu(name: str, **known: Any) -> dict[str, Any]:
    return NOTHING | {"brief": name, "name": name} | known


@pytest.mark.parametrize(("days", "is_compared"), [(0, True), (365, True), (366, False)])
def test_prices_to_own_are_at_most_a_year_apart(days: int, is_compared: bool) -> None:
    older = gpu("A", new_usd_per_token_s=10.0, new_date=LAST - dt.timedelta(days))
    text = verdict([older, gpu("B", new_usd_per_token_s=12.0, new_date=LAST)])
    told = "Bought new, the A is cheaper for its speed: $10.00 per token/s with the computer, against $12.00 on the B."
    assert (told in text) is is_compared
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


def test_current_used_prices_decide_before_older_new_ones() -> None:
    known = {"new_date": LAST - dt.timedelta(400), "new_current": False, "used_date": LAST, "used_current": True}
    rows = [
        gpu("A", new_usd_per_token_s=2.0, used_usd_per_token_s=8.0, **known),
        gpu("B", new_usd_per_token_s=1.0, used_usd_per_token_s=9.0, **known),
    ]
    assert verdict(rows).startswith("Bought used, the A is cheaper for its speed: $8.00 ")


def test_marketplace_prices_are_compared_where_one_has_no_price_on_demand() -> None:
    rows = [
        gpu("A", marketplace_usd_per_gpu_hour=0.1, marketplace_date=LAST),
        gpu("B", marketplace_usd_per_gpu_hour=0.2, marketplace_date=LAST, usd_per_gpu_hour=0.05, price_date=LAST),
    ]
    assert verdict(rows) == (
        "On a marketplace, the A is cheaper: $0.10 an hour, against $0.20 on the B. Rental prices of 20 August 2026."
    )


def trained(name: str, value: float, rent: float, lowest: float, error: float = 1.0) -> dict[str, Any]:
    """A GPU with its value for training at one rent, whose speed is known to this factor, and the lowest rent of any variant."""
    training = {"training_per_usd": value, "training_usd_per_gpu_hour": rent}
    training |= {"training_low": value * rent / error, "training_high": value * rent * error}
    return gpu(name, usd_per_gpu_hour=lowest, price_date=LAST, **training)


def test_a_list_leaves_out_the_rents_of_training_where_a_sentence_on_rents_follows() -> None:
    rows = [trained("A", 2.0, 3.0, 1.0), trained("B", 1.0, 4.0, 2.0)]
    better, rent = (
        "For training, the A is better value: 2.00 times the work per dollar of the B.",
        "To rent, the A is cheaper",
    )
    assert brief_verdict(rows) == f"{better} {rent}: $1.00 an hour for its cheapest variant, against $2.00 on the B."
    assert "This is for the A at $3.00 an hour and the B at $4.00 an hour." in verdict(rows)


def test_a_list_names_the_rents_of_training_where_none_follows() -> None:
    rows = [trained("A", 2.0, 3.0, 3.0), trained("B", 1.0, 4.0, 4.0)]
    assert brief_verdict(rows).endswith("This is for the A at $3.00 an hour and the B at $4.00 an hour.")


OVERLAP = "the A is probably better value, though the intervals of the speeds overlap: "


@pytest.mark.parametrize(("error", "words"), [(1.4, "the A is better value: "), (1.5, OVERLAP)])
def test_value_for_training_is_probable_where_the_intervals_overlap(error: float, words: str) -> None:
    text = brief_verdict([trained("A", 2.0, 3.0, 1.0, error), trained("B", 1.0, 4.0, 2.0, error)])
    assert f"For training, {words}2.00 times the work per dollar of the B." in text
