"""A shape for clusters of which the engines get a part: GPUs of the only node, or whole nodes."""

from __future__ import annotations

from typing import Any, ClassVar

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import leave_open, settle_known
from rftconf.plan.origin import Kind


@record
class EngineGpus:
    """Engines share all GPUs with the trainer while `shared` is on; else they get `gpus` of the only node, or `nodes`.

    `cluster` are the keys of the cluster's nodes and of the GPUs of each, whose own rows write them.
    """

    title: str
    shared: str
    gpus: str
    nodes: str
    cluster: tuple[str, str]
    layout: ClassVar[str] = "stage.placement.layout"
    trainer: ClassVar[str] = "stage.placement.actor.gpus"
    engines: ClassVar[str] = "stage.placement.rollout.gpus"
    sizes: ClassVar[tuple[str, str]] = ("cluster.nodes", "cluster.gpus_per_node")

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the switch and the keys of the engines' part."""
        return (self.shared, self.gpus, self.nodes)

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the layout, and the GPUs of both roles."""
        return (self.layout, self.trainer, self.engines)

    def read(self, r: ReadContext) -> None:
        """Set who shares GPUs, and how many each role has."""
        shared = r.native(self.shared)
        nodes, each = map(r.plan, self.sizes)
        r.set(
            self.layout, shared if isinstance(shared, Expr) else "colocated" if shared else "disaggregated", self.shared
        )
        total: Any = None if nodes is None or each is None else arith("*", nodes, each)
        if shared is True:
            r.inactive.update(dict.fromkeys((self.gpus, self.nodes), f"{self.shared} is on: engines share all GPUs"))
        mine: Any = total if shared is not False else self._part(r, nodes)
        keys = self.cluster if shared is not False else self.natives
        r.set(self.engines, mine, *keys, kind=Kind.DERIVED if shared is not False else None)
        rest: Any = total if shared is not False or None in (total, mine) else arith("-", total, mine)
        r.set(self.trainer, rest, *keys, *self.cluster, kind=Kind.DERIVED, how="what the engines leave of all GPUs")

    def _part(self, r: ReadContext, nodes: Any) -> Any:
        """GPUs of the engines: some of the only node, or whole nodes."""
        own: Any = r.native(self.nodes)
        each: Any = r.native(self.gpus)
        if each is None:
            r.note(f"{self.shared} is off and {self.gpus} is not given: {self.title} stops")
            return None
        if nodes == 1 and not isinstance(nodes, Expr):
            r.inactive[self.nodes] = f"there is one node: {self.gpus} says how many of its GPUs generate"
            return each
        if own is None:
            return each
        return arith("*", own, each)

    def write(self, w: WriteContext) -> None:
        """Write the layout, and the engines' part of the cluster. Raises RefusedError where it is no whole part."""
        layout, trainer, engines = map(w.plan, self.plans)
        if isinstance(layout, Expr):
            leave_open(w, self.shared, "who shares GPUs hangs on a value the source does not tell", self.layout)
        elif layout is not None:
            self._write_layout(w, layout)
        if layout in ("disaggregated", "lendable"):
            known = self._write_part(w, engines)
            self._settle_trainer(w, trainer, known=known)
            return
        total = self._total(w)
        for path, value in ((self.trainer, trainer), (self.engines, engines)):
            other = f"all {formula(total)} GPUs train and generate here, the source's {formula(value)} there"
            fewer = isinstance(total, int) and isinstance(value, int) and value != total
            settle_known(w, path, not fewer, "all GPUs of all nodes", other, alike=State.DERIVED)

    def _settle_trainer(self, w: WriteContext, trainer: Any, *, known: bool) -> None:
        """Record that the trainer takes the GPUs that the engines leave; where the source has another number, record both."""
        left, how = self.left(w), "what the engines leave of all GPUs"
        more = isinstance(left, int) and isinstance(trainer, int) and left != trainer
        other = f"the engines leave {formula(left)} GPUs, and the source trains on {formula(trainer)}" if more else how
        state = State.NARROWED if more else State.UNRESOLVED
        settle_known(w, self.trainer, known and not more, how, other, state, State.DERIVED)

    def left(self, w: WriteContext) -> Any:
        """Return the number of GPUs that train as it is written; None where nobody tells."""
        total, nodes = self._total(w), w.plan(self.sizes[0])
        if total is None or w.effective(self.shared) is not False:
            return total
        each, own = w.effective(self.gpus), w.effective(self.nodes)
        if not isinstance(each, int):
            return None
        return arith("-", total, each if nodes == 1 or not isinstance(own, int) else each * own)

    def _total(self, w: WriteContext) -> Any:
        nodes, each = map(w.plan, self.sizes)
        return None if nodes is None or each is None else arith("*", nodes, each)

    def _write_layout(self, w: WriteContext, layout: Any) -> None:
        note = "engines keep their GPUs here, which the source lends to the trainer" if layout == "lendable" else ""
        state = State.NARROWED if note else State.EXACT
        w.put(self.shared, layout == "colocated", self.layout, state=state, note=note, always=layout != "colocated")

    def _write_part(self, w: WriteContext, engines: Any) -> bool:
        """Write the engines' part; true where it is known."""
        nodes, each = map(w.plan, self.sizes)
        if engines is None or isinstance(engines, Expr) or not isinstance(nodes, int) or not isinstance(each, int):
            paths = [self.engines] if engines is not None else []
            leave_open(w, self.gpus, "how many GPUs generate hangs on values the source does not tell", *paths)
            return False
        trainer: Any = w.plan(self.trainer)
        left = nodes * each - trainer if isinstance(trainer, int) else engines
        note = ""
        if nodes > 1 and engines % each and left > engines and left % each == 0:
            note = f"engines take whole nodes: {left} GPUs, and {engines} in the source"
            engines = left
        if nodes == 1:
            self._refuse(engines >= each, f"engines take {engines} of {each} GPUs, and leave the trainer none")
            w.put(self.gpus, engines, self.engines, always=True)
            return True
        self._refuse(
            engines % each != 0 or engines // each >= nodes,
            f"engines take {engines} GPUs of {nodes} nodes with {each} each; {self.title} gives them whole nodes, and leaves some to train",
        )
        state = State.NARROWED if note else State.DERIVED
        w.put(self.nodes, engines // each, self.engines, state=state, note=note, always=True)
        w.put(self.gpus, each, always=True, how="whole nodes generate")
        return True

    def _refuse(self, wrong: bool, sentence: str) -> None:
        if wrong:
            raise RefusedError(
                sentence, choices=("--rollout-gpus with as many GPUs as whole nodes have", "one layout on all GPUs")
            )
