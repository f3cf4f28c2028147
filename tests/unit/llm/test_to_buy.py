"""The order of GPUs to buy for a language model."""

import datetime as dt
from typing import Any

from pipeline.recommend.language_model import NO_PRICE, RankedGpu
from pipeline.recommend.to_buy import to_buy

MACHINES = [{"gpu_count": count, "usd": usd, "assumed": count > 2} for count, usd in ((1, 300), (2, 300), (4, 2000), (8, 8000))]


def gpu(gpu_id: str, speed: float | None = 10, *, gpus: int = 1, unranked: bool = False, reason: str = "") -> RankedGpu:
    return RankedGpu(
        gpu_id=gpu_id, name=gpu_id, memory_gb=24, usable_gb=23, gpus=gpus, tokens_per_s=speed, unranked=unranked, reason=reason
    )


def price(gpu_id: str, usd: float, *, is_old: bool = False, estimated: bool = False) -> dict[str, Any]:
    day = dt.date(2025 if is_old else 2026, 7, 23)
    return {
        "gpu_id": gpu_id, "kind": "purchase_new", "usd": usd, "price_date": day, "estimated": estimated, "is_old": is_old,
    }  # fmt: skip


def test_an_older_price_comes_after_current_ones_however_low_it_is():
    choices = [gpu("current"), gpu("old"), gpu("wide", unranked=True)]
    prices = [price("current", 900), price("old", 300, is_old=True), price("wide", 500)]
    assert [one.choice.gpu_id for one in to_buy(prices, MACHINES, choices)] == ["current", "wide", "old"]


def test_the_first_price_of_a_gpu_that_is_no_estimate_counts():
    prices = [price("a", 50, estimated=True), price("a", 700), price("a", 400)]
    (only,) = to_buy(prices, MACHINES, [gpu("a"), gpu("unpriced"), gpu("slow", speed=None)])
    assert (only.usd, only.machine["usd"], only.usd_per_token_s) == (700, 300, 100)


def test_a_gpu_that_nobody_rents_out_can_be_bought_and_one_that_does_not_fit_cannot():
    choices = [gpu("owned", reason=NO_PRICE), gpu("small", reason="needs 30.0 GB on each of 1 GPUs, 23.0 GB usable")]
    assert [one.choice.gpu_id for one in to_buy([price("owned", 1), price("small", 1)], MACHINES, choices)] == ["owned"]


def test_a_number_of_gpus_that_no_known_machine_holds_is_left_out():
    """Clusters are rented out by 12 or 16, beyond the machines of base_system_cost."""
    choices = [gpu("cluster", gpus=16), gpu("single")]
    assert [one.choice.gpu_id for one in to_buy([price("cluster", 1), price("single", 900)], MACHINES, choices)] == ["single"]


def test_many_cheap_gpus_pay_for_the_machine_that_holds_them():
    choices = [gpu("small", gpus=8), gpu("large", gpus=2)]
    first, second = to_buy([price("small", 100), price("large", 900)], MACHINES, choices)
    assert (first.choice.gpu_id, first.usd_per_token_s) == ("large", (2 * 900 + 300) / 10)
    assert (second.choice.gpu_id, second.usd_per_token_s) == ("small", (8 * 100 + 8000) / 10)
