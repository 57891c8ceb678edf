"""The critic's micro-batches: since 0.6 the trainer hands its section on, and leaves the sizes of its engine empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.codecs import counts
from rftconf.mappers.context import When
from rftconf.mappers.rows import rows_of
from rftconf.mappers.rows_for_role import rows_for_role
from rftconf.mappers.trinity import conditions as on
from rftconf.mappers.trinity.folds_critic import CONFIG
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Batch
    from rftconf.schemas.trinity.model import TrainerTrainerConfigCriticMegatron

ENGINE_FSDP = When(
    lambda c: c.since("0.6.0") and on.CRITIC_STATIC_FSDP.test(c),
    f"{on.CRITIC_STATIC_FSDP.otherwise}, or a release before 0.6",
)
ENGINE_MEGATRON = When(
    lambda c: c.since("0.6.0") and on.CRITIC_STATIC.test(c) and not on.FSDP.test(c),
    f"{on.CRITIC_STATIC.otherwise}, no Megatron critic, or a release before 0.6",
)
engine = rows_of["TrainerTrainerConfigCriticMegatron", "Batch"]()
ENGINE = (
    engine(lambda c: c.micro_batch_size_per_gpu, lambda p: p.critic.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK),
           alias=True, always=True, why="TrainingWorker.train_batch: the engine's own size, which Trinity's trainer leaves empty"),
    engine(lambda c: c.infer_micro_batch_size_per_gpu, lambda p: p.critic_infer.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK),
           alias=True, always=True, why="TrainingWorker.infer_batch: the engine's own size, which Trinity's trainer leaves empty"),
)  # fmt: skip
ENGINE_ROWS = (
    *rows_for_role(ENGINE, native=CONFIG + "fsdp", plan="stage.batch", when=ENGINE_FSDP),
    *rows_for_role(ENGINE, native=CONFIG + "megatron", plan="stage.batch", when=ENGINE_MEGATRON),
)
"""The engine of a critic with fixed micro-batches takes its sizes here since 0.6; the config demands `ppo_micro_batch_size_per_gpu` too."""
