"""Shapes for plan fields that are a product: of other fields, or of several keys' counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.shapes import OneField, leave_open
from rftconf.plan.origin import Kind
from rftconf.plan.units import exact_quotient


@record
class AllGpus(OneField):
    """A role's GPUs where it has every GPU of every node, and nobody chooses a number; `keys` say how many there are.

    `path`: the role's field, the actor's unless said. `told`: the keys count as what tells it, as written or by default. `here`: the sentence for a
    source in which the role has fewer, and for one in which it has all, where they are one.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("keys",)
    keys: tuple[str, str]
    how: str
    path: str = "stage.placement.actor.gpus"
    told: bool = False
    here: str = ""
    sizes: ClassVar[tuple[str, str]] = ("cluster.nodes", "cluster.gpus_per_node")

    def read(self, r: ReadContext) -> None:
        """Multiply both sizes, where they are known."""
        nodes, each = map(r.plan, self.sizes)
        if nodes is not None and each is not None:
            kind = None if self.told else Kind.DERIVED
            r.set(self.path, nodes * each, *self.keys, kind=kind, how=self.how)

    def write(self, w: WriteContext) -> None:
        """Record where the source trains on fewer."""
        nodes, each = map(w.effective, self.keys) if self.told else map(w.plan, self.sizes)
        gpus = w.plan(self.path)
        fewer = all(isinstance(number, int) for number in (nodes, each, gpus)) and gpus != nodes * each
        note = f"all GPUs of all nodes train here, the source's {gpus} there" if fewer else self.how
        w.lose(self.path, State.NARROWED if fewer else State.DERIVED, self.here or note)


ENGINE_SIZES = tuple(f"stage.placement.rollout.{name}" for name in ("tp", "dp", "pp"))


@record
class SpreadExperts(OneField):
    """A switch that spreads experts over all GPUs of an engine, for which the plan has their number.

    `gpus` counts the GPUs of an engine; `unlisted`: no catalogue has the key, which is off by default.
    """

    key: str
    gpus: Callable[[Context], Any]
    unlisted: bool = False
    path: str = "stage.placement.rollout.ep"

    def read(self, r: ReadContext) -> None:
        """Set the size: all GPUs of an engine, or one."""
        on = r.native(self.key, False)
        r.set(self.path, on if isinstance(on, Expr) else self.gpus(r) if on is True else 1, self.key)

    def write(self, w: WriteContext) -> None:
        """Switch it on for any size above 1."""
        size, whole = w.plan(self.path), self.gpus(w)
        if size is None:
            return
        if isinstance(size, Expr) and not w.same_framework:
            leave_open(w, self.key, f"it is on where {formula(size)} is above 1", self.path)
            return
        other = not isinstance(size, Expr) and not isinstance(whole, Expr) and size not in (1, whole)
        note = (
            f"experts spread over {size} GPUs are spread over all {formula(whole)} of an engine here" if other else ""
        )
        on = size if isinstance(size, Expr) else size > 1
        more: dict[str, Any] = {"default": False} if self.unlisted else {}
        state = State.NARROWED if other else State.DERIVED
        w.put(self.key, on, self.path, state=state, note=note, always=on is not False, **more)


@record
class EnginesOfGpus(OneField):
    """A number of engines, for which the plan has the GPUs of all of them; an engine has the product of its sizes."""

    key: str
    path: str = "stage.placement.rollout.gpus"
    why: str = ""

    def read(self, r: ReadContext) -> None:
        """Multiply the engines and the GPUs of one."""
        engines, size = r.native(self.key, 1), engine_gpus(r)
        r.set(self.path, engines * size, self.key, how=f"{formula(engines)} engines of {formula(size)} GPUs")

    def write(self, w: WriteContext) -> None:
        """Divide the GPUs by those of an engine."""
        gpus, size = w.plan(self.path), engine_gpus(w)
        if gpus is not None:
            how = f"{formula(gpus)} GPUs / {formula(size)} an engine{self.why}"
            w.put(self.key, arith("/", gpus, size), self.path, state=State.DERIVED, always=True, how=how)


def engine_gpus(context: Context) -> Any:
    """Return the GPUs of one engine."""
    size: Any = 1
    for path in ENGINE_SIZES:
        size = size * (context.plan(path) or 1)
    return size


@record
class UpdateInParts(OneField):
    """An update whose sequences nobody writes: those of one pass of a rank, times the ranks, times the passes.

    `part` and `passes` are the keys of the first and the last, `ranks` counts the ranks, and `rank_keys` say them. When it
    is written, a pass is as large as the plan's micro-batch, or the largest below it that cuts a rank's share into whole
    passes; `size` gives another wish where the plan has no micro-batch of fixed size.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("part", "passes")
    FIELDS: ClassVar[tuple[str, ...]] = ("path", "micro")
    part: str
    passes: str
    ranks: Callable[[Context], Any]
    rank_keys: tuple[str, ...]
    how: str
    size: Callable[[WriteContext], Any] = lambda _: None
    path: str = "stage.batch.sequences_per_update"
    micro: str = "stage.batch.micro.sequences_per_rank"

    def read(self, r: ReadContext) -> None:
        """Multiply one rank's part, the ranks and the passes to the sequences of an update."""
        part, passes = r.native(self.part), r.native(self.passes)
        update = arith("*", arith("*", part, self.ranks(r)), passes)
        r.set(self.path, update, self.part, self.passes, *self.rank_keys, how=self.how)
        r.set(self.micro, part, self.part)

    def write(self, w: WriteContext) -> None:
        """Split an update into the three. Raises RefusedError where ranks have no equal shares of it."""
        update, ranks = w.plan(self.path), self.ranks(w)
        if update is None or ranks is None:
            return
        if ranks == 0:
            raise RefusedError(
                "the source gives its trainer no GPU, so no rank takes a share of an update",
                choices=("GPUs that train",),
            )
        share: Any = exact_quotient(update, ranks)
        wish = w.plan(self.micro)
        _refuse_unequal_shares(update, ranks, share)
        size = self.size(w) if wish is None else wish
        part: Any = _part_of(share, size)
        micro = (self.micro,) if wish is not None else ()
        cuts = f"{formula(wish)} does not cut the {formula(share)} sequences of a rank into whole passes"
        state, note = (State.ROUNDED, cuts) if micro and part != wish else (State.EXACT, "")
        w.put(self.part, part, *micro, state=state, note=note, always=True)
        how = f"{formula(update)} sequences an update: {formula(part)} x {formula(ranks)} ranks x this"
        w.put(self.passes, exact_quotient(share, part), self.path, state=State.DERIVED, always=True, how=how)


def _refuse_unequal_shares(update: Any, ranks: Any, share: Any) -> None:
    """Raise RefusedError where a known update is no whole number of sequences on each rank."""
    if isinstance(share, (Expr, int)):
        return
    near = [size for size in (update // ranks * ranks, (update // ranks + 1) * ranks) if size]
    raise RefusedError(
        f"an update takes {update} sequences, and {ranks} ranks have no equal shares of it",
        choices=(*(f"{size} sequences an update" for size in near), "another number of GPUs that train"),
    )


def _part_of(share: Any, wish: Any) -> Any:
    """The wish where it may divide the share, else the largest number below it that does; 1 where nobody wishes."""
    wish = 1 if wish is None else wish if isinstance(wish, Expr) else max(1, int(wish))
    if isinstance(wish, Expr) or isinstance(share, Expr):
        return wish
    return max(size for size in range(1, min(wish, share) + 1) if share % size == 0)


@record
class TimesAnother(OneField):
    """A plan field that is another one times a key; with 1 it is nothing of its own."""

    key: str
    path: str
    other: str

    def read(self, r: ReadContext) -> None:
        """Multiply the other field by the key."""
        factor, other = r.native(self.key, 1), r.plan(self.other)
        more = factor not in (None, 1) and other is not None
        product: Any = arith("*", other, factor) if more else None
        r.set(self.path, int(product) if isinstance(product, float) else product, self.key)

    def write(self, w: WriteContext) -> None:
        """Divide the field by the other one."""
        value, other = w.plan(self.path), w.plan(self.other)
        if value is not None and other is not None:
            how = f"{formula(value)} / {formula(other)}"
            w.put(self.key, arith("/", value, other), self.path, state=State.DERIVED, how=how)
