"""Verdict at the head of a GPU's page: what it is good for, and its rank for a dollar."""

from typing import Any

from pipeline.website.components.labels import listed, short_gpu
from pipeline.website.components.market import rent_text
from pipeline.website.components.queries import run_query
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.numbers import day

GOOD_SHARE = 1 / 3
_VERDICTS = """
    SELECT *, training_usd_per_gpu_hour IS NOT NULL AS has_price FROM gpu_verdict ORDER BY gpu_id
"""
_WORK = {"llm": N_("LLM inference"), "training": N_("training")}


class GpuVerdict:
    """The verdicts of all GPUs, read once; `of` returns that of one."""

    def __init__(self, data: Database) -> None:
        self._query = run_query(data, _VERDICTS)
        self._rows = {row["gpu_id"]: row for row in self._query.rows}

    def of(self, gpu: Row) -> dict[str, Any]:
        """Return the sentences of a GPU and the query behind them."""
        row, name = self._rows[gpu["gpu_id"]], short_gpu(gpu["name"], gpu["gpu_id"])
        sentences = [_value(name, row), _models(row)]
        return {"verdict": " ".join(sentence for sentence in sentences if sentence), "verdict_sql": self._query.sql}


def _value(name: str, row: Row) -> str:
    """Return what the GPU is good for, with its ranks by value for money and the date of the price."""
    ranked = [work for work in _WORK if row[f"{work}_rank"]]
    if not ranked:
        if row["has_price"]:
            return gettext("The {name} is not ranked by value, because its speed is not known well enough.", name=name)
        return gettext("The {name} is not ranked by value, because it has no current rental price.", name=name)
    ranks = {work: _rank(row, work) for work in ranked}
    good = [work for work in ranked if row[f"{work}_rank"] <= GOOD_SHARE * row[f"{work}_ranked"]]
    date = day(max(row[f"{work}_date"] for work in ranked))
    return f"{_good_for(name, good)} {_ranks(ranks, date)}"


def _rank(row: Row, work: str) -> str:
    """Return a rank with the rent behind it."""
    basis = row["training_rent_basis"] if work == "training" else None
    return gettext(
        "{rank} of {n} in {work} {rent}",
        rank=row[f"{work}_rank"],
        n=row[f"{work}_ranked"],
        work=gettext(_WORK[work]),
        rent=rent_text(row[f"{work}_usd_per_gpu_hour"], basis),
    )


def _good_for(name: str, good: list[str]) -> str:
    if not good:
        return gettext("Other GPUs do more work per dollar than the {name}.", name=name)
    if len(good) == len(_WORK):
        return gettext("The {name} is good value for LLM inference and for training.", name=name)
    return gettext("The {name} is good value for {work}.", name=name, work=gettext(_WORK[good[0]]))


def _ranks(ranks: dict[str, str], date: str) -> str:
    return gettext("It ranks {ranks}. Rental prices of {date}.", ranks=listed(list(ranks.values())), date=date)


def _models(row: Row) -> str:
    """Return the largest language models that one GPU runs."""
    if row["largest_16_bit"] and row["largest_4_bit"]:
        return gettext(
            "For one user, one GPU runs language models up to {large} with 16-bit weights and {larger} with 4-bit weights.",
            large=row["largest_16_bit"],
            larger=row["largest_4_bit"],
        )
    if row["largest_16_bit"]:
        return gettext(
            "For one user, one GPU runs language models up to {large} with 16-bit weights.", large=row["largest_16_bit"]
        )
    if row["largest_4_bit"]:
        return gettext("For one user, one GPU runs language models up to {large} with 4-bit weights.", large=row["largest_4_bit"])
    return ""
