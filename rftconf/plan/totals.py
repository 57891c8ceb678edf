"""Totals follow from a plan and are never stored; by them two runs are the same, whatever their keys say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isfinite
from typing import Any

from rftconf.base.symbols import Expr, arith, formula, names_in, to_shell
from rftconf.plan.kinds import WITHOUT_ROLLOUTS
from rftconf.plan.ranks import product, rank_sizes

Values = Mapping[str, Any]
BATCH, SYNC, PLACE = "stage.batch.", "stage.sync.", "stage.placement."


@dataclass(frozen=True, slots=True)
class Total:
    """One derived number: what it is called, what it counts, how it comes about, and for which runs it exists.

    `mathematics` is False for what only says how the work is spread.
    """

    name: str
    unit: str
    how: str
    of: Callable[[Values], Any]
    mathematics: bool = True
    rollouts: bool = True
    """True for what only runs with rollouts have."""


def ratio(top: Any, bottom: Any) -> Any:
    """`top / bottom`, exact: an int where it is whole, an expression where a name is unknown, None where one is."""
    if top is None or bottom is None or bottom == 0:
        return None
    if isinstance(top, Expr) or isinstance(bottom, Expr):
        return arith("/", top, bottom)
    exact = Fraction(top) / Fraction(bottom)
    return exact.numerator if exact.denominator == 1 else exact


def times(a: Any, b: Any) -> Any:
    """`one x other`; None where one is."""
    if a is None or b is None:
        return None
    whole = a * b
    return whole.numerator if isinstance(whole, Fraction) and whole.denominator == 1 else whole


def prompts_a_period(v: Values) -> Any:
    """Return B, the prompts of a rollout period."""
    return v.get(BATCH + "prompts_per_rollout")


def sequences_a_period(v: Values) -> Any:
    """S = B*n, or G where nothing is rolled out."""
    if v.get("stage.kind") in WITHOUT_ROLLOUTS:
        return sequences_an_update(v)
    return times(prompts_a_period(v), v.get(BATCH + "responses_per_prompt"))


def sequences_an_update(v: Values) -> Any:
    """Return G, the sequences of an update."""
    return v.get(BATCH + "sequences_per_update")


def updates_a_period(v: Values) -> Any:
    """Return the updates of a rollout period: U = E*S/G."""
    passes = 1 if v.get(BATCH + "passes") is None else v[BATCH + "passes"]
    return ratio(times(passes, sequences_a_period(v)), sequences_an_update(v))


def periods(v: Values) -> Any:
    """Rollout periods of the run; None where only the number of rows would tell."""
    return v.get("stage.run_length.rollouts")


def staleness(v: Values) -> Any:
    """Return how many periods old the weights of a sequence can be when it is learned from."""
    every, ahead = v.get(SYNC + "every_rollouts"), v.get(SYNC + "run_ahead_rollouts")
    if not isinstance(every, int) or not isinstance(ahead, (int, float)):
        return None if every is None or ahead is None else arith("+", arith("-", every, 1), ahead)
    return every - 1 + ceil(ahead)


def ranks(v: Values) -> Any:
    """D: data-parallel ranks of the trainer."""
    sizes = rank_sizes(v.get(PLACE + "actor.backend"))
    return ratio(v.get(PLACE + "actor.gpus"), product(dict(v), "actor", sizes))


def engines(v: Values) -> Any:
    """Return the number of engines that generate."""
    return ratio(v.get(PLACE + "rollout.gpus"), product(dict(v), "rollout", ("tp", "dp", "pp")))


def accumulated(v: Values) -> Any:
    """A = G/(D*micro), for micro-batches of a fixed size."""
    size = v.get(BATCH + "micro.sequences_per_rank")
    if v.get(BATCH + "micro.dynamic") is not False or size is None:
        return None
    return ratio(ratio(sequences_an_update(v), ranks(v)), size)


def _field(path: str) -> Callable[[Values], Any]:
    return lambda v: v.get(path)


TOTALS: tuple[Total, ...] = (
    Total("prompts per period", "prompts", "B", prompts_a_period),
    Total("responses per prompt", "responses", "n", _field(BATCH + "responses_per_prompt")),
    Total("sequences per period", "sequences", "S = B x n", sequences_a_period),
    Total("sequences per update", "sequences", "G", sequences_an_update, rollouts=False),
    Total("prompts per update", "prompts", "m = G / n", lambda v: ratio(sequences_an_update(v), v.get(BATCH + "responses_per_prompt"))),
    Total("updates per period", "updates", "U = E x S / G", updates_a_period),
    Total("periods", "rollout periods", "T", periods, rollouts=False),
    Total("prompts in all", "prompts", "T x B", lambda v: times(periods(v), prompts_a_period(v))),
    Total("sequences in all", "sequences", "T x S", lambda v: times(periods(v), sequences_a_period(v)), rollouts=False),
    Total("updates in all", "updates", "T x U", lambda v: times(periods(v), updates_a_period(v)), rollouts=False),
    Total("staleness at most", "rollout periods", "(periods per sync - 1) + run-ahead, rounded up", staleness),
    Total("data-parallel ranks", "ranks", "D = trainer GPUs / model-parallel size", ranks, mathematics=False, rollouts=False),
    Total("sequences per rank and update", "sequences", "G / D", lambda v: ratio(sequences_an_update(v), ranks(v)),
          mathematics=False, rollouts=False),
    Total("micro-batches per rank and update", "micro-batches", "A = G / (D x micro-batch)", accumulated, mathematics=False,
          rollouts=False),
    Total("engines", "engines", "rollout GPUs / (TP x DP x PP)", engines, mathematics=False),
)  # fmt: skip
"""In the order in which they are shown."""


def totals(values: Values) -> dict[str, Any]:
    """Name to value for one stage; None where the stage has no such number or does not tell."""
    offline = values.get("stage.kind") in WITHOUT_ROLLOUTS
    known = {path: value for path, value in values.items() if path in WORDS or _counts(value)}
    return {total.name: None if offline and total.rollouts else total.of(known) for total in TOTALS}


WORDS = ("stage.kind", PLACE + "actor.backend", BATCH + "micro.dynamic")
"""What totals look at that is no number."""


def _counts(value: Any) -> bool:
    number = isinstance(value, (int, float, Fraction)) and not isinstance(value, bool) and isfinite(value)
    return number or isinstance(value, Expr)


def total_json(value: Any) -> Any:
    """A total as JSON: fractions as `25/4`, expressions as formulas."""
    if isinstance(value, Expr):
        return {"$expr": formula(value), "shell": to_shell(value), "names": sorted(names_in(value))}
    return str(value) if isinstance(value, Fraction) else value
