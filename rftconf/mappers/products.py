"""Shapes for plan fields that are a product of others."""

from __future__ import annotations

from typing import ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.plan.origin import Kind


@record
class AllGpus:
    """The actor's GPUs where every GPU of every node trains, and nobody chooses a number; `keys` say how many there are."""

    keys: tuple[str, str]
    how: str
    path: ClassVar[str] = "stage.placement.actor.gpus"
    sizes: ClassVar[tuple[str, str]] = ("cluster.nodes", "cluster.gpus_per_node")

    @property
    def natives(self) -> tuple[str, ...]:
        """Both keys."""
        return self.keys

    @property
    def plans(self) -> tuple[str, ...]:
        """The plan field."""
        return (self.path,)

    def read(self, r: ReadContext) -> None:
        """Multiply both sizes, where they are known."""
        nodes, each = map(r.plan, self.sizes)
        if nodes is not None and each is not None:
            r.set(self.path, nodes * each, *self.keys, kind=Kind.DERIVED, how=self.how)

    def write(self, w: WriteContext) -> None:
        """Record where the source trains on fewer."""
        nodes, each, gpus = map(w.plan, (*self.sizes, self.path))
        fewer = all(isinstance(number, int) for number in (nodes, each, gpus)) and gpus != nodes * each
        note = f"all GPUs of all nodes train here, the source's {gpus} there" if fewer else self.how
        w.lose(self.path, State.NARROWED if fewer else State.DERIVED, note)
