"""Indices of cards that nobody measured: model and interval chosen by leaving out, for known and for new generations."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pipeline.performance.predict import MODELS, NEEDED, Cards, Labels, choose, half_width, left_out, predict, predictable

FEWEST_KNOWN = 10


@dataclass(frozen=True, slots=True)
class Forecast:
    """One card: log index, half width of the 90% interval (log; None = none), and the model that gave it."""

    gpu_id: str
    effect: float
    half_width: float | None
    model: str
    note: str


def forecasts(cards: Cards, vendor: Labels) -> list[Forecast]:
    """A forecast for every card without a measured effect (NaN) whose needed specifications are known.

    `vendor` is in the order of `cards`. A card of a generation that was measured gets the model, and the interval, that
    leaving out single cards chooses; one of a new generation those that leaving out generations chooses. Never a
    narrower interval for a card that lacks a feature. Empty where fewer than ten cards are known.
    """
    usable, done = predictable(cards), np.isfinite(cards.effect)
    known, asked = cards[usable & done], cards[usable & ~done]
    if len(known.ids) < FEWEST_KNOWN:
        return []
    near, far = _Chosen(known, known.ids), _Chosen(known, known.generation)
    measured_maker = np.isin(vendor[usable & ~done], np.unique(vendor[usable & done]))
    new = ~np.isin(asked.generation, np.unique(known.generation))
    effect = np.where(new, predict(far.model, known, asked), predict(near.model, known, asked))
    return [
        _forecast(asked[np.array([at])], float(effect[at]), bool(measured_maker[at]), (near, far) if new[at] else (near,))
        for at in range(len(asked.ids))
    ]


class _Chosen:
    """The model chosen when groups are left out, and the widths of its interval by which features a card has."""

    def __init__(self, known: Cards, groups: Labels) -> None:
        self.known, self.groups = known, groups
        self.model, self.errors = choose(known, groups)
        self.widths: dict[tuple[bool, ...], float] = {(True,) * known.features.shape[1]: half_width(self.errors, groups)}

    def width(self, has: NDArray[np.bool_]) -> float:
        """Half width for a card with these features, never narrower than with all of them."""
        key = tuple(has.tolist())
        if key not in self.widths:
            blind = replace(self.known, features=np.where(has, self.known.features, np.nan))
            errors = left_out(blind, self.groups)[MODELS.index(self.model)]
            self.widths[key] = max(half_width(errors, self.groups), half_width(self.errors, self.groups))
        return self.widths[key]


def _forecast(one: Cards, effect: float, measured_maker: bool, chosen: tuple[_Chosen, ...]) -> Forecast:
    has = ~np.isnan(one.features[0])
    width = max(each.width(has) for each in chosen) if measured_maker else None
    return Forecast(str(one.ids[0]), effect, width, chosen[-1].model.name, _note(len(chosen) > 1, measured_maker, has))


def _note(new: bool, measured_maker: bool, has: NDArray[np.bool_]) -> str:
    if not measured_maker:
        return "no interval: no card of this maker was measured"
    generation = "of a generation of which no card was measured" if new else "of a generation that was measured"
    return generation if has[NEEDED] else f"{generation}; power limit unknown"
