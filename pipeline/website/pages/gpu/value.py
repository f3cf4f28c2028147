"""Value on the page of a GPU: what it is good for, its ranks for a dollar, and days until buying is cheaper than renting."""

from pipeline.recommend.to_buy import LAST_KNOWN
from pipeline.website.components.market import rent_text
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import plural
from pipeline.website.writing.numbers import day, usd

GOOD_SHARE = 1 / 3
SHOWN_PERCENT = (5, 15, 50, 100)
QUERIES = {
    "verdicts": """
        SELECT v.*, p.rental_usd_per_gpu_hour_min, is_one_device(g.name) AS is_one_device
        FROM gpu_verdict v JOIN gpu g USING (gpu_id) LEFT JOIN gpu_price p USING (gpu_id) ORDER BY gpu_id
    """,
    "places": """
        SELECT v.gpu_id, v.basis, v.value_rental, v.value_rental_low, v.value_rental_high, v.value_purchase_relative,
            v.value_purchase_relative_low, v.value_purchase_relative_high, v.gpu_price_date,
            r.rental_rank AS rental_place, r.n_rented, r.purchase_rank AS purchase_place, r.n_bought
        FROM value_index v
        JOIN value_rank r USING (gpu_id, family, precision, gpu_count)
        WHERE v.family = 'all' AND v.precision = 'fp16' AND v.gpu_count = 1
        ORDER BY v.gpu_id
    """,
    "cases": f"""
        SELECT b.buy_gpu_id AS gpu_id, b.utilisation_percent, b.break_even_days, b.gpu_usd, b.purchase_kind, b.purchase_date,
            b.cloud_usd_per_gpu_hour, b.provider, b.rental_date
        FROM break_even b
        JOIN break_even_default d USING (purchase_id, rental_observation_id)
        WHERE d.purchase_rank = 1 AND b.purchase_current AND b.utilisation_percent IN {SHOWN_PERCENT}
        ORDER BY b.buy_gpu_id, b.utilisation_percent
    """,
    "last_known": LAST_KNOWN,
}
_WORK = {"llm": N_("chat with Llama 3.1 8B in BF16"), "training": N_("training")}


def verdict(name: str, row: Row) -> str:
    """Return what a GPU is good for, with its ranks by value for money and the date of the price. `row` is of gpu_verdict."""
    ranked = [work for work in _WORK if row[f"{work}_rank"]]
    if not ranked:
        return _reason(name, row)
    good = [work for work in ranked if _is_good(row, work)]
    named = _named_first(good, ranked)
    date = day(max(row[f"{work}_date"] for work in ranked))
    ordered = sorted(ranked, key=lambda work: work != named)
    ranks = " ".join(gettext("It ranks {rank}.", rank=_rank(row, work, work == named)) for work in ordered)
    dated = gettext("Rental prices of {date}.", date=date)
    return " ".join(filter(None, (_good_for(name, good, ranked), ranks, dated, _cheaper(row))))


def _named_first(good: list[str], ranked: list[str]) -> str | None:
    """Return the only work that the first sentence names, whose rank follows without naming it again."""
    named = good or ranked
    return named[0] if len(named) == 1 else None


def _reason(name: str, row: Row) -> str:
    """Return why the GPU has no rank, and its rent where it has one."""
    if row["rental_usd_per_gpu_hour_min"] is not None:
        reason = gettext(
            "The {name} rents from {usd} an hour, but is not ranked by rental value, because its speed is not known well enough.",
            name=name,
            usd=usd(row["rental_usd_per_gpu_hour_min"]),
        )
        return f"{reason} {gettext('Rental prices of {date}.', date=day(row['training_date']))}"
    return gettext("The {name} is not ranked by rental value, because no current on-demand offer is for this GPU.", name=name)


def _is_good(row: Row, work: str) -> bool:
    """Return whether the GPU is in the first third, with those before it that are surely cheaper but have no rank."""
    cheaper = (row["llm_n_cheaper"] or 0) if work == "llm" else 0
    share: float = (row[f"{work}_rank"] + cheaper) / (row[f"{work}_ranked"] + cheaper)
    return share <= GOOD_SHARE


def _cheaper(row: Row) -> str:
    """Return how many GPUs without a rank do LLM inference for less."""
    if not row["llm_rank"] or not row["llm_n_cheaper"]:
        return ""
    texts = (
        N_("{count} GPU without a rank runs Llama 3.1 8B for less even at the low end of its predicted speed."),
        N_("{count} GPUs without a rank run Llama 3.1 8B for less even at the low end of their predicted speeds."),
    )
    return gettext(texts[row["llm_n_cheaper"] != 1], count=row["llm_n_cheaper"])


def _rank(row: Row, work: str, is_named: bool) -> str:
    """Return a rank with the rent behind it, and with the work where it is not named before."""
    place = {"rank": row[f"{work}_rank"], "n": row[f"{work}_ranked"]}
    if work == "llm" and row["llm_gpu_count"] > 1:
        machine = {"gpus": plural(row["llm_gpu_count"], "GPU"), "usd": usd(row["llm_usd_per_gpu_hour"])}
        if is_named:
            return gettext("{rank} of {n} on {gpus} at {usd} an hour each", **place, **machine)
        return gettext("{rank} of {n} in chat with Llama 3.1 8B in BF16 on {gpus} at {usd} an hour each", **place, **machine)
    rent = rent_text(row[f"{work}_usd_per_gpu_hour"], row["training_rent_basis"] if work == "training" else None)
    if is_named:
        return gettext("{rank} of {n} {rent}", **place, rent=rent)
    return gettext("{rank} of {n} in {work} {rent}", **place, work=gettext(_WORK[work]), rent=rent)


def _good_for(name: str, good: list[str], ranked: list[str]) -> str:
    """Return the work that the GPU is good value for, of that in which it has a rank."""
    if not good and len(ranked) < len(_WORK):
        return gettext("For {work}, other GPUs do more per dollar than the {name}.", name=name, work=gettext(_WORK[ranked[0]]))
    if not good:
        return gettext("Other GPUs do more work per dollar than the {name}.", name=name)
    if len(good) == len(_WORK):
        return gettext("The {name} is good value for chat with Llama 3.1 8B in BF16 and for training.", name=name)
    return gettext("The {name} is good value for {work}.", name=name, work=gettext(_WORK[good[0]]))
