"""A shape for micro-batches of a fixed size, or filled up to a number of tokens by one of two switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import leave_open, lose_known, settle_known

B = "stage.batch."
FIELDS = DYNAMIC, SIZE, TOKENS = "dynamic", "sequences_per_rank", "tokens_per_rank"
REMOVES = "stage.model_options.remove_padding"


@record
class Filled:
    """A switch that fills micro-batches up to a number of tokens, with the keys of these numbers by role of the plan."""

    switch: str
    tokens: Mapping[str, str]


@record
class FilledBatches:
    """Micro-batches by `sizes`, keys by role of the plan; `packed` fills them without padding, `sorted` with little of it.

    `alike`: roles to the one that their sizes are those of. `longest` is the longest sequence, which has to fit.
    """

    title: str
    sizes: Mapping[str, str]
    packed: Filled
    sorted: Filled
    alike: Mapping[str, str]
    longest: str = "stage.length.model_max_tokens"
    removes: ClassVar[str] = REMOVES

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the switches, and the keys of all sizes."""
        both = (self.packed, self.sorted)
        return (*self.sizes.values(), *(key for filled in both for key in (filled.switch, *filled.tokens.values())))

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the fields of all roles, and whether padding is removed."""
        return (*(f"{B}{role}.{name}" for role in (*self.sizes, *self.alike) for name in FIELDS), REMOVES)

    def read(self, r: ReadContext) -> None:
        """Set sizes by sequences or by tokens, as the switches say."""
        packs, sorts = r.native(self.packed.switch), r.native(self.sorted.switch)
        fills = True if packs is True or sorts is True else packs if isinstance(packs, Expr) else sorts
        filled = self.sorted if sorts is True and packs is not True else self.packed
        switches = (self.packed.switch, self.sorted.switch)
        r.set(REMOVES, packs, self.packed.switch)
        for role, size in self.sizes.items():
            values: Any = (fills, None, r.native(filled.tokens[role])) if fills else (False, r.native(size), None)
            keys = (switches, (size, *switches), (filled.tokens[role], size))
            for field, value, told_by in zip(FIELDS, values, keys, strict=True):
                for other in (role, *(name for name, of in self.alike.items() if of == role)):
                    r.set(f"{B}{other}.{field}", value, *told_by)
        self._note_idle(r, packs, sorts)

    def _note_idle(self, r: ReadContext, packs: Any, sorts: Any) -> None:
        for filled, on in ((self.packed, packs), (self.sorted, sorts)):
            if on is False:
                r.inactive.update(dict.fromkeys(filled.tokens.values(), f"{filled.switch} is off"))
        for role, size in self.sizes.items():
            on = self.packed if packs is True else self.sorted if sorts is True else None
            if on is not None and r.written(on.tokens[role]):
                r.inactive[size] = f"{on.switch} fills micro-batches up to {on.tokens[role]}"

    def write(self, w: WriteContext) -> None:
        """Write a switch with its tokens, or the sizes by sequences."""
        fills = w.plan(f"{B}micro.{DYNAMIC}")
        if isinstance(fills, Expr):
            leave_open(
                w, self.packed.switch, "how micro-batches are made hangs on a value nobody tells", f"{B}micro.{DYNAMIC}"
            )
            return
        sorts = fills is True and w.plan(REMOVES) is False
        if fills is not None:
            packs = bool(fills) and not sorts
            w.put(self.packed.switch, packs, f"{B}micro.{DYNAMIC}", always=True)
            padded = "micro-batches of a fixed size are padded here"
            settle_known(w, REMOVES, w.plan(REMOVES) is packs, "packing removes padding", padded, alike=State.DERIVED)
            w.put(self.sorted.switch, sorts, always=sorts)
        else:
            lose_known(w, State.DEFAULT, "packing removes padding", REMOVES)
        filled = self.sorted if sorts else self.packed
        for role, size in self.sizes.items():
            self._write_role(w, role, size, filled.tokens[role], by_tokens=fills is True)
        for role, other in self.alike.items():
            size, most = (w.plan(f"{B}{other}.{name}") for name in (SIZE, TOKENS))
            sizes = (True, None, self._fitting(w, most)) if fills is True else (False, size, None)
            for name, mine in zip(FIELDS, sizes, strict=True):
                own, near = f"{B}{role}.{name}", f"it has the sizes of {other} here: {formula(mine)}"
                settle_known(w, own, w.plan(own) == mine, f"as {other} has it", near, alike=State.DERIVED)

    def _write_role(self, w: WriteContext, role: str, size: str, tokens: str, *, by_tokens: bool) -> None:
        dynamic, count, most = (f"{B}{role}.{name}" for name in FIELDS)
        if role != "micro":
            settle_known(w, dynamic, w.plan(dynamic) == by_tokens, "one switch for every role", alike=State.DERIVED)
        if by_tokens:
            wish = w.plan(most)
            fits = self._fitting(w, wish)
            note = (
                ""
                if fits == wish
                else f"{formula(wish)} tokens hold no sequence of {formula(fits)}; wrote {formula(fits)}"
            )
            if wish is not None:
                w.put(tokens, fits, most, state=State.ROUNDED if note else State.EXACT, note=note, always=True)
            lose_known(w, State.DEAD_IN_TARGET, f"micro-batches are filled up to {tokens}", count)
            return
        if w.plan(count) is not None:
            w.put(size, w.plan(count), count, always=True)
        lose_known(w, State.NARROWED, f"micro-batches have {size} sequences", most)

    def _fitting(self, w: WriteContext, wish: Any) -> Any:
        """Tokens of a micro-batch that hold the longest sequence."""
        longest: Any = w.plan(self.longest)
        known = all(isinstance(number, int) for number in (wish, longest))
        return longest if known and longest > wish else wish
