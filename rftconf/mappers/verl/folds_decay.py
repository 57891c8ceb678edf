"""veRL's learning rates decay over the steps asked for, or over a length that Megatron's scheduler is given."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.horizons import Horizon
from rftconf.mappers.shapes import together
from rftconf.mappers.verl.folds_schedule import LENGTHS, STEPS_ASKED, horizon, own_length, periods
from rftconf.plan.units import Unit


@record
class Lengths(Horizon):
    """The same where each optimizer may have a key of its own for the length, which only Megatron's scheduler reads."""

    @property
    def natives(self) -> tuple[str, ...]:
        """The key of the run and those of the optimizers."""
        return (self.key, *LENGTHS.values())

    def read(self, r: ReadContext) -> None:
        """Read the length of all, then what an optimizer says of itself."""
        Horizon.read(self, r)
        for role, key in LENGTHS.items():
            length = own_length(r, role)
            if length is None:
                continue
            if r.plan(f"stage.optim.{role}.schedule") not in ("constant", None):
                path = f"stage.optim.{role}.decay_updates"
                r.set(path, _unless_whole(r, length), key, how=f"{formula(length)} scheduler ticks")
            elif not _warms_by_share(r, key):
                r.inactive[key] = "a constant learning rate decays over no length"

    def write(self, w: WriteContext) -> None:
        """Write ticks for Megatron, and record that no other engine has the length."""
        for role, key in LENGTHS.items():
            updates = w.plan(f"stage.optim.{role}.decay_updates")
            ticks = None if updates is None else w.convert(updates, Unit.UPDATES, Unit.LR_TICKS)
            if w.backend != "megatron" or not isinstance(ticks, (int, Expr)):
                continue
            how = f"{formula(updates)} updates as scheduler ticks"
            w.put(key, ticks, f"stage.optim.{role}.decay_updates", state=State.DERIVED, always=True, how=how)
        if not any(key in w.out for key in LENGTHS.values()):
            Horizon.write(self, w)


def _unless_whole(r: ReadContext, length: Any) -> Any:
    """The updates of so many ticks; None where the run has as many anyway."""
    updates, whole = r.convert(length, Unit.LR_TICKS, Unit.UPDATES), periods(r)
    return None if whole is not None and updates == r.convert(whole, Unit.ROLLOUTS, Unit.UPDATES) else updates


def _warms_by_share(r: ReadContext, key: str) -> bool:
    block = key.rpartition(".")[0]
    steps = r.native(f"{block}.lr_warmup_steps", -1)
    shared = steps is None or (not isinstance(steps, Expr) and steps <= 0)
    return shared and r.native(f"{block}.lr_warmup_steps_ratio", 0.0) not in (0, 0.0, None)


def _unreached_length(r: ReadContext) -> int | None:
    """Steps beyond the epochs never come, but learning rates are planned for them (H68)."""
    limit, run = horizon(r), r.plan("stage.run_length.rollouts")
    return limit if isinstance(limit, int) and isinstance(run, int) and limit > run else None


DECAY = together(
    Lengths(STEPS_ASKED, _unreached_length, Unit.ROLLOUTS, ", veRL over the length of the run", name="periods"),
    why="trainer: optim.total_training_steps is the steps asked for (H68); megatron_utils: lr_decay_steps before it",
)
