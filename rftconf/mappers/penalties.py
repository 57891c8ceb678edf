"""A shape for one KL penalty that is a term of the loss, or with a switch is taken off the rewards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import Context, ReadContext, When, WriteContext
from rftconf.mappers.shapes import leave_open, lose_known

A = "stage.algorithm."
REWARD = tuple(
    f"{A}kl_reward.{name}" for name in ("enabled", "estimator", "coef", "controller", "target", "horizon", "order")
)
LOSS = tuple(f"{A}kl_loss.{name}" for name in ("enabled", "estimator", "coef"))


@record
class Penalty:
    """A penalty with a coefficient, a kind, and a switch `moves` that takes it off the rewards, where some run `takes` it there.

    `words`: kinds to the plan's words, by the release and its clamps. `more`: keys that do nothing without a penalty in the
    loss. `narrows` is what no other framework does with a penalty in the loss; empty where others do so.
    """

    title: str
    coef: str
    kind: str
    moves: str
    takes: When
    words: Callable[[Context], Mapping[str, str]]
    order: Callable[[Context], str]
    more: tuple[str, ...] = ()
    narrows: Callable[[ReadContext], str] = field(default=lambda _: "")
    plans: ClassVar[tuple[str, ...]] = (*REWARD, *LOSS)

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the coefficient, the kind and the switch."""
        return (self.coef, self.kind, self.moves)

    def read(self, r: ReadContext) -> None:
        """Set the penalty where it is; at 0 there is none."""
        coef, kind, moves = (r.native(key) for key in self.natives)
        none = not isinstance(coef, Expr) and not coef
        off = moves is None or moves is False
        rewarded = False if none or off or not self.takes.test(r) else moves
        in_loss = False if none else off if not isinstance(moves, Expr) else moves
        word = self.words(r).get(kind, kind) if isinstance(kind, str) else kind
        for on, paths in ((rewarded, REWARD), (in_loss, LOSS)):
            r.set(paths[0], on, self.coef, self.moves)
            r.set(paths[1], word if on is not False else None, self.kind)
            r.set(paths[2], coef if on is not False else None, self.coef)
        acts = rewarded is not False
        r.set(REWARD[3], "fixed" if acts else None, self.coef)
        r.set(REWARD[6], self.order(r) if acts else None, self.moves)
        for path in REWARD[4:6]:
            r.set(path, None)
        self._note_idle(r, none=none, lost=not none and not off and rewarded is False)
        why = "" if none or in_loss is False else self.narrows(r)
        if why:
            r.narrowed[self.kind] = why

    def _note_idle(self, r: ReadContext, *, none: bool, lost: bool) -> None:
        if none:
            r.inactive.update(
                dict.fromkeys((self.kind, self.moves, *self.more), f"{self.coef} is 0: there is no reference")
            )
        if lost:
            r.note(f"{self.moves} takes the penalty out of the loss, and {self.takes.otherwise}: there is none at all")

    def write(self, w: WriteContext) -> None:
        """Write the one penalty; where the source has both, the one in the loss stays."""
        rewards, loss = w.plan(REWARD[0]), w.plan(LOSS[0])
        if isinstance(rewards, Expr) or isinstance(loss, Expr):
            note = "whether there is a KL penalty, and where, depends on a value nobody tells"
            leave_open(w, self.coef, note, REWARD[0], LOSS[0])
            return
        if not rewards and not loss:
            known = [path for path in (REWARD[0], LOSS[0]) if w.plan(path) is not None]
            if known:
                w.put(self.coef, 0.0, *known, always=True)
            lose_known(w, State.DEFAULT, "there is no penalty", *REWARD[1:], *LOSS[1:])
            return
        paths, others = (LOSS, REWARD) if loss else (REWARD, LOSS)
        taken = bool(loss) or self.takes.test(w)
        lost = f"{self.title} has one KL penalty, and the source's in the loss is written"
        in_loss = f"{self.takes.otherwise}: the penalty is a term of the loss instead"
        state = State.EXACT if taken else State.NARROWED
        coef = w.plan(paths[2])
        known = [path for path in (paths[0], paths[2]) if w.plan(path) is not None]
        w.put(self.coef, 0.0 if coef is None else coef, *known, state=state, note="" if taken else in_loss, always=True)
        if not loss and taken:
            w.put(self.moves, True, paths[0], always=True)
        self._write_word(w, paths[1], "" if taken else in_loss)
        both = bool(rewards) and bool(loss)
        why = lost if both else "the penalty is the other one" if taken else in_loss
        lose_known(w, State.NARROWED if both or not taken else State.DEFAULT, why, *others)
        self._settle_rest(w)

    def _write_word(self, w: WriteContext, path: str, moved: str) -> None:
        word, words = w.plan(path), self.words(w)
        if word is None:
            return
        back = {plan: native for native, plan in words.items()}
        near = next((native for native in words if str(word).removeprefix("corrected_").startswith(native)), "k3")
        exact = word in back
        other = f"{self.title} has {', '.join(dict.fromkeys(back))}, where the source has {formula(word)}"
        note = moved if exact else other
        state = State.NARROWED if note else State.EXACT
        w.put(self.kind, back.get(word, near), path, state=state, note=note)

    def _settle_rest(self, w: WriteContext) -> None:
        """A controller, and the order of penalty and norm, have no keys here."""
        adapts = w.plan(REWARD[3]) == "adaptive"
        state = State.NARROWED if adapts else State.DEFAULT
        lose_known(w, state, "the coefficient is fixed here" if adapts else "a fixed coefficient", *REWARD[3:6])
        same = w.plan(REWARD[6]) == self.order(w)
        lose_known(
            w, State.DEFAULT if same else State.NARROWED, f"the penalty is taken off {self.order(w)} here", REWARD[6]
        )
