"""The order of prompts: data sets one behind the other, interleaved by their sizes, or domains by their shares."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate

from rftconf_runner.job_data import Share


class Epochs:
    """Prompts without end: each epoch is all of them in an order of its own. `interleaves` keeps each set's order to
    itself and draws which set is next, each as often as it has prompts; else they are one set."""

    def __init__(self, sets: Sequence[int], used: int, seed: int, *, shuffles: bool, interleaves: bool) -> None:
        self.sets = sets if interleaves else (sum(sets),)
        self.used, self.seed, self.shuffles = used, seed, shuffles
        self.orders: dict[int, list[int]] = {}

    def at(self, number: int) -> int:
        """Return the index of the prompt that is drawn at this number; the sets' prompts count one behind the other."""
        epoch = number // self.used
        if epoch not in self.orders:
            self.orders[epoch] = self._order(epoch)
            self.orders.pop(epoch - 2, None)
        return self.orders[epoch][number % self.used]

    def _order(self, epoch: int) -> list[int]:
        own = []
        for index, (first, size) in enumerate(zip(accumulate((0, *self.sets)), self.sets, strict=False)):
            order = list(range(first, first + size))
            if self.shuffles:
                _drawn(f"{self.seed}/{epoch}" + (f"/{index}" if self.sets[1:] else "")).shuffle(order)
            own.append(iter(order))
        turns = [index for index, size in enumerate(self.sets) for _ in range(size)]
        if self.sets[1:]:
            _drawn(f"{self.seed}/{epoch}/turns").shuffle(turns)
        return [next(own[index]) for index in turns]


class Shares:
    """Every period draws from each domain as many prompts as its share has, domain behind domain; each domain is read
    anew, in another order, when it is through."""

    def __init__(self, shares: Sequence[Share], domains: Sequence[str], seed: int, *, shuffles: bool) -> None:
        self.drawn = [share for share in shares if share.prompts]
        self.rows = {
            share.name: [index for index, name in enumerate(domains) if name == share.name] for share in self.drawn
        }
        for share in self.drawn:
            if len(self.rows[share.name]) < share.prompts:
                count_text = f"{len(self.rows[share.name])} prompts, and {share.prompts} are drawn in every period"
                raise ValueError(f"stage.data.domains: {share.name} has {count_text}")
        self.whole = sum(share.prompts for share in self.drawn)
        self.epochs = {
            name: Epochs([len(rows)], len(rows), seed, shuffles=shuffles, interleaves=False)
            for name, rows in self.rows.items()
        }

    def at(self, number: int) -> int:
        """Return the index, among all prompts, of the one that is drawn at this number."""
        period, place = divmod(number, self.whole)
        for share in self.drawn:
            if place < share.prompts:
                own = self.epochs[share.name].at(period * share.prompts + place)
                return self.rows[share.name][own]
            place -= share.prompts
        raise AssertionError


def counts(weights: Sequence[float], prompts: int) -> list[int]:
    """Count a period's whole prompts for each weight, as ROLL does: rounded down, and the rest for the last."""
    rounded = [int(weight * prompts) for weight in weights[:-1]]
    return [*rounded, prompts - sum(rounded)]


def domain_of(domain: object, tag: object, shares: Sequence[Share]) -> str:
    """A row's domain: what its own column says, else the one that has its tag. Raises ValueError where none has."""
    named = str(domain) if domain else next((share.name for share in shares if tag in share.tags), "")
    if named not in {share.name for share in shares}:
        what = f"domain {domain!r}" if domain else f"tag {tag!r}"
        raise ValueError(
            f"a row's {what} is of none of stage.data.domains ({', '.join(share.name for share in shares)})"
        )
    return named


def _drawn(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - an order, no secret
