"""The guides' measured runs beside today's price of the same card, ready for the answers and the chart of the home page."""

from pipeline.website.components.database import Database, Row
from pipeline.website.components.labels import short_gpu

_RUNS = """
    SELECT r.source_id, r.task, r.machine, r.status, r.seconds, m.gpu_id, m.gpu_count, g.name,
        m.usd_per_hour AS guide_usd_per_hour,
        coalesce(g.architecture, m.generation, 'unknown') AS generation, g.release_date, c.usd_per_run AS guide_usd_per_run,
        c.observed_at AS guide_date
    FROM guide_run r
    JOIN guide_machine m USING (source_id, machine)
    LEFT JOIN gpu g USING (gpu_id)
    LEFT JOIN (SELECT * FROM run_cost WHERE own_price) c USING (source_id, machine, task)
    WHERE m.usd_per_hour IS NOT NULL
    ORDER BY g.release_date NULLS FIRST, r.machine, r.task
"""
PRICE_KEYS = ("usd_median", "n_offers", "n_providers", "provider", "observed_at", "lot")


def measured(data: Database, market: dict[str, Row]) -> list[Row]:
    """Timed runs of one card with the price of its hour. Where no measured card has a current price, the guide's price stands in.

    Each row says by `current` which of the two it is; without either, `usd_per_hour` and `usd_per_run` are empty.
    """
    runs = data.rows(_RUNS)
    current = any(_timed_and_offered(row, market) for row in runs)
    return [_priced(row, market) if current else _as_the_guide_says(row) for row in runs]


def _timed_and_offered(row: Row, market: dict[str, Row]) -> bool:
    return row["gpu_count"] == 1 and row["seconds"] is not None and row["gpu_id"] in market


def _priced(row: Row, market: dict[str, Row]) -> Row:
    found = market.get(row["gpu_id"], {}) if row["gpu_count"] == 1 else {}
    price, seconds = found.get("usd_min"), row["seconds"]
    cost = price * seconds / 3600 if price is not None and seconds is not None else None
    told = {key: found.get(key) for key in PRICE_KEYS}
    return row | told | {"current": True, "card": name(row), "usd_per_hour": price, "usd_per_run": cost}


def _as_the_guide_says(row: Row) -> Row:
    told = dict.fromkeys(PRICE_KEYS) | {"observed_at": row["guide_date"]}
    price = {"usd_per_hour": row["guide_usd_per_hour"], "usd_per_run": row["guide_usd_per_run"]}
    return row | told | price | {"current": False, "card": name(row)}


def name(row: Row) -> str:
    """The card's name; the machine's where the card is not known."""
    return short_gpu(row["name"], row["machine"])


def unbeaten(row: Row, rows: list[Row]) -> bool:
    """Whether no other run of the task is at once as cheap by the hour and as fast."""
    rivals = [one for one in rows if one["task"] == row["task"] and one is not row and one["usd_per_run"] is not None]
    return row["usd_per_run"] is not None and not any(
        one["seconds"] <= row["seconds"] and one["usd_per_hour"] <= row["usd_per_hour"] for one in rivals
    )
