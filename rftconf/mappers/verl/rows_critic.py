"""The critic's micro-batches: its section's own up to 0.7, its engine's since 0.8, which only hears of caps in tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.codecs import counts, same
from rftconf.mappers.context import When
from rftconf.mappers.rows import Fold, Row, rows_of
from rftconf.mappers.rows_for_role import rows_for_role
from rftconf.mappers.verl import conditions as on
from rftconf.mappers.verl.folds_critic import CRITIC_CAPS
from rftconf.mappers.verl.ranks import CRITIC_TOTAL
from rftconf.mappers.verl.rows_engines import CRITIC_TORCHTITAN, CRITIC_VEOMNI
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Batch, Run
    from rftconf.schemas.verl.model import CriticFsdp, Verl

row = rows_of["Verl", "Run"]()
engine = rows_of["CriticFsdp", "Batch"]()

CHECKED = "since 0.8 only the config's check reads it; the critic's engine reads its own block: set {} there"


def _own(when: When, live: str) -> When:
    """Up to 0.7 the critic's worker reads its section itself."""
    return When(lambda c: not c.since("0.8.0") and when.test(c), f"{when.otherwise}; {CHECKED.format(live)}")


def _of_engine(when: When) -> When:
    """Since 0.8 an engine reads its block."""
    return When(lambda c: c.since("0.8.0") and when.test(c), f"{when.otherwise}, or a release before 0.8")


OWN_SWITCH = _own(on.CRITIC, "use_dynamic_bsz")
OWN_SIZE = _own(on.CRITIC_STATIC, "micro_batch_size_per_gpu")
OWN_INFER_SIZE = When(
    lambda c: not c.since("0.8.0") and on.CRITIC_STATIC_FSDP.test(c),
    f"{on.CRITIC_STATIC_FSDP.otherwise}; nothing reads it since 0.8: set infer_micro_batch_size_per_gpu in the engine's block",
)

ENGINE = (
    engine(lambda e: e.use_dynamic_bsz, lambda b: b.critic.dynamic, same, alias=True, default=True,
           why="TrainingWorker.train_batch: the engine's own switch, which the trainer leaves True"),
    engine(lambda e: e.micro_batch_size_per_gpu, lambda b: b.critic.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK), alias=True, default=None,
           when=on.CRITIC_STATIC, why="TrainingWorker.train_batch: the engine's own size, which the trainer leaves empty"),
    engine(lambda e: e.infer_micro_batch_size_per_gpu, lambda b: b.critic_infer.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK),
           alias=True, default=None, when=on.CRITIC_STATIC, why="TrainingWorker.infer_batch: the engine's own size, which the trainer leaves empty"),
)  # fmt: skip
CRITIC_BLOCKS = {name: f"critic.{name}" for name in ("fsdp", "megatron", "veomni", "torchtitan")}
"""Trainer to the block of its critic's engine."""
_ENGINES = zip(
    CRITIC_BLOCKS.values(), (on.CRITIC_FSDP, on.CRITIC_MEGATRON, CRITIC_VEOMNI, CRITIC_TORCHTITAN), strict=True
)

CRITIC_ROWS: tuple[Row | Fold, ...] = (
    row(lambda c: c.critic.use_dynamic_bsz, lambda p: p.stage.batch.critic.dynamic, same, when=OWN_SWITCH, mirror=True, why="critic's own switch up to 0.7"),
    row(lambda c: c.critic.ppo_micro_batch_size_per_gpu, lambda p: p.stage.batch.critic.sequences_per_rank,
        counts(Unit.SEQUENCES_PER_RANK), when=OWN_SIZE, mirror=on.CRITIC_STATIC, why="critic up to 0.7: micro-batch of one rank"),
    row(lambda c: c.critic.ppo_micro_batch_size, lambda p: p.stage.batch.critic.sequences_per_rank, CRITIC_TOTAL,
        when=on.total(on.CRITIC_STATIC), alias=True, read_only=True, why="up to 0.7: over all ranks, divided by them"),
    row(lambda c: c.critic.forward_micro_batch_size_per_gpu, lambda p: p.stage.batch.critic_infer.sequences_per_rank,
        counts(Unit.SEQUENCES_PER_RANK), when=OWN_INFER_SIZE, why="critic up to 0.7: micro-batch of the values"),
    row(lambda c: c.critic.forward_micro_batch_size, lambda p: p.stage.batch.critic_infer.sequences_per_rank,
        CRITIC_TOTAL, when=on.total(on.CRITIC_STATIC), alias=True, read_only=True, why="up to 0.7: over all ranks, divided by them"),
    *(block_row for block, when in _ENGINES for block_row in rows_for_role(ENGINE, native=block, plan="stage.batch", when=_of_engine(when))),
    CRITIC_CAPS,
)  # fmt: skip
