"""Shapes for plan fields that are a product: of other fields, or of several keys' counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.plan.origin import Kind
from rftconf.plan.units import exact_quotient


@record
class AllGpus:
    """A role's GPUs where it has every GPU of every node, and nobody chooses a number; `keys` say how many there are.

    `path`: the role's field, the actor's unless said. `told`: the keys count as what tells it, as written or by default. `here`: the sentence for a
    source in which the role has fewer, and for one in which it has all, where they are one.
    """

    keys: tuple[str, str]
    how: str
    path: str = "stage.placement.actor.gpus"
    told: bool = False
    here: str = ""
    sizes: ClassVar[tuple[str, str]] = ("cluster.nodes", "cluster.gpus_per_node")

    @property
    def natives(self) -> tuple[str, ...]:
        """Return both keys that say how many GPUs there are."""
        return self.keys

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the plan field of the role's GPUs."""
        return (self.path,)

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


@record
class UpdateInParts:
    """An update whose sequences nobody writes: those of one pass of a rank, times the ranks, times the passes.

    `part` and `passes` are the keys of the first and the last, `ranks` counts the ranks, and `rank_keys` say them. When it
    is written, a pass is as large as the plan's micro-batch, or the largest below it that cuts a rank's share into whole
    passes; `size` gives another wish where the plan has no micro-batch of fixed size.
    """

    part: str
    passes: str
    ranks: Callable[[Context], Any]
    rank_keys: tuple[str, ...]
    how: str
    size: Callable[[WriteContext], Any] = lambda _: None
    path: ClassVar[str] = "stage.batch.sequences_per_update"
    micro: ClassVar[str] = "stage.batch.micro.sequences_per_rank"

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the key of a rank's part and the key of the passes."""
        return (self.part, self.passes)

    @property
    def plans(self) -> tuple[str, ...]:
        """The update and its micro-batch."""
        return (self.path, self.micro)

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
