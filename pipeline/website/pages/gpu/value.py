"""What a card's page says of its worth: its places by what money buys, and the days until buying it is cheaper than renting."""

from collections import defaultdict

from pipeline.website.components.database import Database, Row
from pipeline.website.components.queries import Query, run_query

SHOWN_PERCENT = (5, 15, 50, 100)
_PLACES = """
    SELECT gpu_id, basis, value_rental, value_rental_low, value_rental_high, value_purchase_relative,
        value_purchase_relative_low, value_purchase_relative_high, card_price_date,
        CASE WHEN value_rental IS NOT NULL THEN rank() OVER (ORDER BY value_rental DESC NULLS LAST) END AS rental_place,
        count(value_rental) OVER () AS n_rented,
        CASE WHEN value_purchase_relative IS NOT NULL
            THEN rank() OVER (ORDER BY value_purchase_relative DESC NULLS LAST) END AS purchase_place,
        count(value_purchase_relative) OVER () AS n_bought
    FROM value_index
    WHERE family = 'all' AND precision = 'fp16' AND gpu_count = 1
    ORDER BY gpu_id
"""
_DAYS = f"""
    SELECT b.buy_gpu_id AS gpu_id, b.utilisation_percent, b.break_even_days, b.gpu_usd, b.purchase_date, b.cloud_usd_per_hour,
        b.provider, b.rental_date
    FROM break_even b
    JOIN price p ON p.observation_id = b.rental_observation_id
    WHERE NOT b.guide_case AND b.utilisation_percent IN {SHOWN_PERCENT}
    QUALIFY row_number() OVER (
        PARTITION BY b.buy_gpu_id, b.utilisation_percent
        ORDER BY p.stale, p.billing <> 'on_demand', p.usd_per_gpu_hour, b.purchase_date DESC, b.gpu_usd, b.rental_observation_id
    ) = 1
    ORDER BY gpu_id, b.utilisation_percent
"""


class CardValue:
    """The worth of all cards, read once; `of` gives what one card's page shows."""

    def __init__(self, data: Database) -> None:
        self._places, self._days = run_query(data, _PLACES), run_query(data, _DAYS)
        self._worth = {row["gpu_id"]: row for row in self._places.rows}
        self._cases: dict[str, list[Row]] = defaultdict(list)
        for row in self._days.rows:
            self._cases[row["gpu_id"]].append(row)

    def of(self, gpu_id: str) -> dict[str, Row | list[Row] | Query | None]:
        """The places of the card, and a row for each share of hours in use; nothing where nothing is known."""
        worth = self._worth.get(gpu_id)
        known = worth and (worth["rental_place"] or worth["purchase_place"])
        return {
            "worth": worth if known else None,
            "cases": self._cases.get(gpu_id, []),
            "worth_sql": self._places,
            "cases_sql": self._days,
        }
