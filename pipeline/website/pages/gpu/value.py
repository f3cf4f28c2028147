"""Value on the page of a GPU: ranks by value for money, and days until buying is cheaper than renting."""

from pipeline.website.components.purchases import LAST_KNOWN, last_known_text
from pipeline.website.writing.database import Database, Query, Row, group_by

SHOWN_PERCENT = (5, 15, 50, 100)
_PLACES = """
    SELECT v.gpu_id, v.basis, v.value_rental, v.value_rental_low, v.value_rental_high, v.value_purchase_relative,
        v.value_purchase_relative_low, v.value_purchase_relative_high, v.gpu_price_date,
        r.rental_rank AS rental_place, r.n_rented, r.purchase_rank AS purchase_place, r.n_bought
    FROM value_index v
    JOIN value_rank r USING (gpu_id, family, precision, gpu_count)
    WHERE v.family = 'all' AND v.precision = 'fp16' AND v.gpu_count = 1
    ORDER BY v.gpu_id
"""
_DAYS = f"""
    SELECT b.buy_gpu_id AS gpu_id, b.utilisation_percent, b.break_even_days, b.gpu_usd, b.purchase_date, b.cloud_usd_per_hour,
        b.provider, b.rental_date
    FROM break_even b
    JOIN break_even_default d USING (purchase_id, rental_observation_id)
    WHERE d.purchase_rank = 1 AND b.purchase_current AND b.utilisation_percent IN {SHOWN_PERCENT}
    ORDER BY b.buy_gpu_id, b.utilisation_percent
"""


class GpuValue:
    """The value of all GPUs, read once; `of` returns that of one."""

    def __init__(self, data: Database) -> None:
        self._places, self._days = data.query(_PLACES), data.query(_DAYS)
        self._last_known = group_by(data.rows(LAST_KNOWN), "gpu_id")
        self._values = {row["gpu_id"]: row for row in self._places.rows}
        self._cases = group_by(self._days.rows, "gpu_id")

    def of(self, gpu_id: str) -> dict[str, Row | list[Row] | Query | str | None]:
        """Return the ranks of a GPU and one row per utilization; empty where nothing is known."""
        worth = self._values.get(gpu_id)
        has_rank = worth and (worth["rental_place"] or worth["purchase_place"])
        return {
            "worth": worth if has_rank else None,
            "cases": self._cases.get(gpu_id, []),
            "last_known": self._last_known.get(gpu_id, []),
            "last_known_text": last_known_text(self._last_known.get(gpu_id, [])),
            "worth_sql": self._places,
            "cases_sql": self._days,
        }
