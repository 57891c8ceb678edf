"""The measure of a difference between two plans: its tier, its size and a sentence with the numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import IntEnum
from math import inf, log2
from typing import TYPE_CHECKING, Any, NamedTuple

from rftconf.base.symbols import MISSING, Expr, OpenKey, arith, formula, is_symbolic
from rftconf.plan.index import unit_of
from rftconf.plan.spelling import spelled

if TYPE_CHECKING:
    from rftconf.diff.sides import Statement

Values = Mapping[str, Any]
Y, L, LENGTH = "stage.sync.", "stage.algorithm.", "stage.length."
_LONGEST = 60


class Tier(IntEnum):
    """The part of the learning that a difference touches, from the most important one."""

    OBJECTIVE = 0
    """Another function is minimised: a term is gone, or new."""
    SCALE = 1
    """The same function with another weight, step or schedule."""
    UNMEASURED = 2
    """A setting of one framework's own, which acts; by how much is not computed."""
    SAMPLES = 3
    """Other answers, prompts or rewards are learned from."""
    CHANCE = 4
    """Other random numbers, roundings or an order; nothing that moves an average."""


class Pair(NamedTuple):
    """Two plans, what differs between them of one cause, and how the two are called.

    `names`: how a sentence ends that tells a side's value, as `("in the source", "here")`. `keys`: plan field to the
    second run's key.
    """

    a: Values
    b: Values
    paths: tuple[str, ...]
    names: tuple[str, str]
    keys: Mapping[str, str]

    def both(self, path: str) -> tuple[Any, Any]:
        """A field's two values: as a side says it, else as what it says under another field's name comes to."""
        a, b = (spelled(values).get(path) if values.get(path) is None else values[path] for values in (self.a, self.b))
        return a, b

    def key(self, path: str) -> str:
        """Return the second run's key for a field; empty where it has none."""
        return self.keys.get(path, "")


class Measured(NamedTuple):
    """The size of a cause's effect, with its sentence.

    `doublings`: how often a weight, a step or a count doubles or halves; `inf` where something is gone or new, None where
    a number is missing that would tell. `remedy` names keys of the second run, or what to do to the data.
    """

    tier: Tier
    says: str
    doublings: float | None = 0.0
    remedy: str = ""
    whole: bool = False
    """True where nothing need be added that the second framework says of its own behaviour."""


Measure = Callable[[Pair], Measured]


WORDS: Mapping[str, Mapping[str, str]] = {
    Y + "old_logprob": {
        "recompute_at_rollout": "recomputed by the trainer each period",
        "recompute_at_update": "recomputed by the trainer each update",
        "rollout_engine": "the engine's own",
        "current": "the policy's own, so that every ratio is 1",
    },
    Y + "driver": {
        "lockstep": "in lock-step", "trainer": "when the trainer says so", "explorer": "when the explorer says so",
        "free": "each side by itself",
    },
    Y + "in_flight": {"finish": "after answers have ended", "interrupt": "in the middle of answers"},
    LENGTH + "overlong_prompt": {
        "keep": "kept", "drop_gt": "dropped", "drop_ge": "dropped, also those as long as the limit",
        "mask_dummy": "kept as an answer of reward 0",
    },
    "stage.run_length.last_partial": {
        "drop": "dropped", "carry": "carried into the next epoch", "cycle": "filled up with rows from the start",
    },
    "stage.data.mixing": {
        "concat": "joined", "proportional": "interleaved by their sizes", "weighted": "drawn by weights",
    },
    L + "advantage_scope": {"rollout": "over the whole period", "update": "over each update"},
    L + "std_scope": {"none": "nothing", "group": "the prompt's answers", "batch": "the batch", "running": "all so far"},
    L + "kl_loss.estimator": {"k3_clamped": "k3, clamped"},
    L + "kl_reward.estimator": {"k3_clamped": "k3, clamped"},
    "stage.model.thinking": {"template": "as the template does by itself", "on": "told to", "off": "told not to"},
    "stage.reward.manager": {"naive": "the reward code's own score"},
    "stage.algorithm.filters[].action": {"drop": "dropped", "refill": "replaced by new ones", "duplicate": "doubled"},
}  # fmt: skip
"""What the plan's words mean; other values stand for themselves."""


def in_words(value: Any, path: str) -> str | None:
    """Return the meaning of a word of the plan field at `path`; None where a value stands for itself."""
    words = WORDS.get(re.sub(r"\[\d+\]", "[]", path), {})
    return words.get(value) if isinstance(value, str) else None


def words_without_key(path: str, value: Any, statement: Statement | None) -> str | None:
    """Return a plan word's meaning where no framework's key gives it; such a key would have a word of its own."""
    return in_words(value, path) if statement is not None and not statement.keys else None


def render_value(value: Any, path: str = "") -> str:
    """A value in a sentence; `path` is its plan field."""
    words = in_words(value, path)
    if words is not None:
        return words
    if value is None:
        return "not set"
    if isinstance(value, OpenKey) or value == MISSING:
        return "still open"
    text = _value_text(value) or '""'
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _value_text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if is_symbolic(value):
        return formula(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value_text, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_value_text(item)}" for key, item in value.items()) + "}"
    return str(value)


def factor(a: Any, b: Any) -> tuple[str, float | None]:
    """Return the ratio b / a: `×4` and its doublings |log2|; a formula where a name is unknown, none where `a` is 0."""
    if not (is_number(a) and is_number(b)) or a == 0:
        return "", None
    if isinstance(a, Expr) or isinstance(b, Expr):
        return f"×({formula(arith('/', b, a))})", None
    return f"×{float(b) / float(a):.3g}", abs(log2(float(b) / float(a))) if b / a > 0 else inf


def is_number(value: Any) -> bool:
    """True for a number, and for an expression, which may be one."""
    return isinstance(value, (int, float, Expr)) and not isinstance(value, bool)


def sides(pair: Pair, what: str, a: Any, b: Any, path: str = "") -> str:
    """Two values in a sentence; `path` is the plan field whose words they may be."""
    return f"{what}: {render_value(a, path)} {pair.names[0]}, {render_value(b, path)} {pair.names[1]}"


def lead_of(pair: Pair) -> tuple[Any, Any]:
    """The two values of the first field that differs."""
    return pair.both(pair.paths[0])


def changed(tier: Tier, what: str, remedy: str = "", *, whole_sentence: bool = False) -> Measure:
    """Fields that are compared and not measured: what they are, and the first one's two values.

    `whole_sentence`: `what` says all of the field, and its name is not told.
    """

    def measure(pair: Pair) -> Measured:
        a, b = lead_of(pair)
        factor = inf if tier is Tier.OBJECTIVE else None if tier is Tier.SCALE else 0.0
        first = pair.paths[0].rpartition(".")[2]
        others = [name for path in pair.paths[1:] if (name := _named_with_parts(pair, path)) != first]
        more = f"; also its {', '.join(dict.fromkeys(others))}" if others else ""
        named = what if whole_sentence else f"{what} ({first})"
        return Measured(tier, sides(pair, named, a, b, pair.paths[0]) + more, factor, remedy, whole=bool(remedy))

    return measure


def _named_with_parts(pair: Pair, path: str) -> str:
    """A field's last name, and in brackets what stands in it, where it holds several settings."""
    holders = (value for value in pair.both(path) if isinstance(value, Mapping))
    parts = dict.fromkeys(str(name) for value in holders for name in value)
    return path.rpartition(".")[2] + (f" ({', '.join(parts)})" if parts else "")


def scaled(what: str, tier: Tier = Tier.SCALE) -> Measure:
    """Return a measure for a number whose ratio of the two sides is the effect."""

    def measure(pair: Pair) -> Measured:
        a, b = lead_of(pair)
        times, doublings = factor(a, b)
        vanished = 0 in (a, b) and a != b and None not in (a, b)
        sentence = f"{what} {times} ({render_value(a)} {pair.names[0]}, {render_value(b)} {pair.names[1]})"
        text = sentence if times and not vanished else sides(pair, what, a, b)
        key = pair.key(pair.paths[0]) if unit_of(pair.paths[0]) is None else ""
        remedy = f"set {key}={render_value(a)}" if key and a is not None and b is not None else ""
        return Measured(tier, text, inf if vanished else doublings, remedy)

    return measure


def term(what: str, switch: str, coef: str) -> Measure:
    """A term of the loss or the reward with a weight: gone, new, or weighed otherwise."""

    def measure(pair: Pair) -> Measured:
        on = [side.get(switch, True) is not False and side.get(coef) not in (None, 0, 0.0) for side in (pair.a, pair.b)]
        (a, b), key = pair.both(coef), pair.key(coef)
        if on[0] != on[1]:
            says = (
                f"is gone (weight {render_value(a)} {pair.names[0]})"
                if on[0]
                else f"is new (weight {render_value(b)} {pair.names[1]})"
            )
            remedy = f"set {key}={render_value(a)}" if on[0] else f"set {key}=0 to be without it"
            return Measured(Tier.OBJECTIVE, f"{what} {says}", inf, remedy if key else "")
        times, doublings = factor(a, b)
        if a != b and times:
            return Measured(
                Tier.SCALE, f"{what} weighs {times}", doublings, f"set {key}={render_value(a)}" if key else ""
            )
        return Measured(
            Tier.SCALE, sides(pair, f"{what} ({pair.paths[0].rpartition('.')[2]})", *lead_of(pair), pair.paths[0]), None
        )

    return measure
