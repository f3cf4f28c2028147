"""GPUs to buy for a language model, by what a token a second costs with the rest of the machine, at their last known price.

`site/docs/assets/llm-advice.js` does the same in the browser.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.recommend.language_model import NO_PRICE, RankedGpu

# last known price of each kind: the newest street price, new before used of one day, then the launch price; as in offer_current
LAST_KNOWN = """
    SELECT gpu_id, kind, usd_per_gpu AS usd, observed_at AS price_date, estimated, stale OR kind = 'msrp' AS is_old
    FROM purchase_metric
    WHERE last_known
    ORDER BY gpu_id, kind = 'msrp', observed_at DESC, kind
"""
# what the rest of a machine costs, by its number of GPUs; as in scenario_rank
MACHINES = "SELECT gpu_count, base_cost_usd AS usd, assumed FROM base_system_cost ORDER BY gpu_count"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToBuy:
    """A choice with the price of all its GPUs (LAST_KNOWN), of the rest of the machine (MACHINES), and of a token a second."""

    choice: RankedGpu
    price: Mapping[str, Any]
    machine: Mapping[str, Any]
    usd: float
    usd_per_token_s: float


def to_buy(
    prices: Sequence[Mapping[str, Any]], machines: Sequence[Mapping[str, Any]], choices: Sequence[RankedGpu]
) -> list[ToBuy]:
    """Return the choices with a speed, a price and a machine of known price, cheapest per token a second first.

    Those whose price is older than 12 months follow, as prices of different years do not compare, and in both parts those without
    a rank. `prices` are the rows of LAST_KNOWN, of which the first of a GPU that is no estimate counts.
    """
    first = {row["gpu_id"]: row for row in reversed(prices) if not row["estimated"]}
    by_count = {row["gpu_count"]: row for row in machines}
    found = [
        _purchase(one, first[one.gpu_id], by_count[one.gpus or 1])
        for one in choices
        if one.tokens_per_s and one.gpu_id in first and (one.gpus or 1) in by_count and one.reason in ("", NO_PRICE)
    ]
    return sorted(found, key=lambda one: (one.price["is_old"], one.choice.unranked, one.usd_per_token_s, one.choice.gpu_id))


def _purchase(one: RankedGpu, price: Mapping[str, Any], machine: Mapping[str, Any]) -> ToBuy:
    usd = (one.gpus or 1) * price["usd"]
    per_token_s = (usd + machine["usd"]) / (one.tokens_per_s or 1)
    return ToBuy(choice=one, price=price, machine=machine, usd=usd, usd_per_token_s=per_token_s)
