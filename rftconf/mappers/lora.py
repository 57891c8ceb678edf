"""A shape for adapters (LoRA): a rank, a scale, the modules, and what switches them on."""

from __future__ import annotations

from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import OfKeys, carry, lose_known
from rftconf.plan.fused_layers import FUSED_LAYERS, layers_of_transformers

NONE = "there are no adapters"


@record
class Adapters(OfKeys):
    """Adapters by their rank, their alpha and their modules, of which one alone is no list in the plan.

    `switch` is a key that turns them on; where there is none a rank of 0 turns them off. `more`: further keys that do
    nothing without adapters.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("switch", "rank", "alpha", "targets")
    rank: str
    alpha: str
    targets: str
    switch: str = ""
    more: tuple[str, ...] = ()
    plans: ClassVar[tuple[str, ...]] = tuple(
        f"stage.model_options.lora.{name}" for name in ("rank", "alpha", "targets")
    )

    def read(self, r: ReadContext) -> None:
        """Set rank, alpha and modules where adapters are on."""
        rank, alpha, targets = self.plans
        tells = self.switch or self.rank
        value = r.native(tells)
        if not isinstance(value, Expr) and not value:
            idle = (*((self.rank,) if self.switch else ()), self.alpha, self.targets, *self.more)
            off = "false" if self.switch else "0"
            r.inactive.update(dict.fromkeys(idle, f"{NONE}: {tells} is {off}"))
            r.set(rank, None, tells)
            return
        modules = r.native(self.targets)
        r.set(rank, r.native(self.rank), *filter(None, (self.switch,)), self.rank)
        r.set(alpha, r.native(self.alpha), self.alpha)
        r.set(targets, modules[0] if isinstance(modules, list) and len(modules) == 1 else modules, self.targets)

    def write(self, w: WriteContext) -> None:
        """Write adapters where the plan has a rank above 0."""
        rank, alpha, targets = self.plans
        modules: Any = w.plan(targets)
        if w.plan(rank) in (0, None):
            lose_known(w, State.DEFAULT, NONE, *self.plans)
            return
        if self.switch:
            w.put(self.switch, True, rank, always=True)
        w.put(self.rank, w.plan(rank), rank, always=True)
        carry(w, self.alpha, alpha, always=True)
        if modules is not None:
            layers, state, note = transformers_layers([modules] if isinstance(modules, str) else modules)
            w.put(self.targets, layers, targets, state=state, note=note, always=True)


def transformers_layers(modules: Any) -> tuple[Any, State, str]:
    """Return the modules as transformers names them, the state of that, and a note on Megatron's layers that hold several."""
    names = [modules] if isinstance(modules, str) else modules
    own = layers_of_transformers(names) if isinstance(names, list) else names
    if own == names:
        return modules, State.EXACT, ""
    fused = ", ".join(str(name) for name in names if len(FUSED_LAYERS.get(name, ())) > 1)
    parts = (
        f"; the source's adapter to {fused} is one of all that is in it, here each part has its own" if fused else ""
    )
    return own, State.NARROWED if fused else State.DERIVED, f"Megatron's layers by transformers' names{parts}"
