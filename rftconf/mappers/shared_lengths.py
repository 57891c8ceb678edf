"""A shape for lengths of which one holds for prompt and answer together."""

from __future__ import annotations

from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, OpenKey, arith, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import leave_open, lose_known


@record
class SharedLengths:
    """Tokens of prompt and answer together, of the longest answer, and `short`, the first length that is too long for a prompt.

    An answer that may be as long as both together takes what its prompt leaves: then it has no length of its own, and
    a person gives one. `copies` are keys that hold for both together as well.
    """

    whole: str
    longest: str
    short: str
    copies: tuple[str, ...] = ()
    plans: ClassVar[tuple[str, ...]] = tuple(
        f"stage.length.{name}_max_tokens" for name in ("prompt", "response", "model")
    )

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the keys of all three lengths."""
        return (self.whole, self.longest, self.short, *self.copies)

    @property
    def shared(self) -> str:
        """Ask for a limit of answers: the target counts prompt and answer together."""
        return f"an answer takes what its prompt leaves of {self.whole}: give a length of its own"

    def read(self, r: ReadContext) -> None:
        """Set the lengths; a prompt has at most what the longest answer leaves."""
        prompt, response, model = self.plans
        whole, longest, short = (r.native(key) for key in (self.whole, self.longest, self.short))
        r.set(model, whole, self.whole)
        for copy in self.copies:
            if r.native(copy) != whole and not isinstance(r.native(copy), Expr):
                r.narrowed[copy] = f"the engine has another context than the {formula(whole)} tokens of {self.whole}"
        if longest is None or longest == whole or _is_above(longest, whole):
            longest = OpenKey(self.longest)
            r.set(response, longest, how=self.shared)
            r.note(self.shared)
            if r.written(self.longest):
                r.beyond[self.longest] = r.native(self.longest)
        else:
            r.set(response, longest, self.longest)
        left = arith("-", whole, longest)
        own = None if short is None else arith("-", short, 1)
        fits = own is not None and (_is_above(left, own) or left == own)
        how = f"what {formula(longest)} tokens of an answer leave of {formula(whole)}"
        r.set(prompt, own if fits else left, *((self.short,) if fits else self.natives[:2]), how="" if fits else how)
        if not fits and r.written(self.short):
            r.beyond[self.short] = short

    def write(self, w: WriteContext) -> None:
        """Write the lengths; both together are the source's context, or the longest prompt and the longest answer."""
        prompt, response, model = map(w.plan, self.plans)
        if isinstance(response, OpenKey) and w.same_framework:
            lose_known(w, State.DERIVED, self.shared, *self.plans[:2])
        else:
            if response is not None:
                w.put(self.longest, response, self.plans[1], always=True)
            if prompt is not None:
                w.put(self.short, arith("+", prompt, 1), self.plans[0], state=State.DERIVED, always=True,
                      how="the first length that is too long")  # fmt: skip
        both: Any = None if prompt is None or response is None else arith("+", prompt, response)
        larger = model is not None and (w.same_framework or both is None or not _is_above(both, model))
        if larger:
            w.put(self.whole, model, self.plans[2], always=True)
        elif both is not None:
            paths = [self.plans[2]] if model is not None else []
            less = isinstance(model, int) and model != both
            note = (
                f"a context of {formula(model)} tokens holds neither prompt nor answer at their longest" if less else ""
            )
            how = "the longest prompt and the longest answer"
            state = State.NARROWED if less else State.DERIVED
            w.put(self.whole, both, *paths, state=state, note=note, always=True, how=how)
        elif not w.same_framework:
            leave_open(w, self.whole, "the source does not tell how long prompt and answer are")


def _is_above(number: Any, other: Any) -> bool:
    """True where one known number is above another."""
    return isinstance(number, int) and isinstance(other, int) and number > other
