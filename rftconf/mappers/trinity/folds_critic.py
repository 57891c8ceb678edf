"""The critic's model and its micro-batches: since 0.6 the trainer itself makes the one, and hands the other on by half."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.base.ledger import State
from rftconf.mappers.codecs import counts
from rftconf.mappers.context import Context, ReadContext, When, WriteContext
from rftconf.mappers.rows import Fold, rows_of
from rftconf.mappers.rows_for_role import rows_for_role
from rftconf.mappers.shapes import settle, take
from rftconf.mappers.supposing import could_hold, put_to_sleep
from rftconf.mappers.trinity import conditions as on
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Batch
    from rftconf.schemas.trinity.model import TrainerTrainerConfigCriticMegatron

CONFIG = "trainer.trainer_config.critic."
OPTIONS = "stage.model_options.critic_"
MODEL = {
    CONFIG + "model.enable_gradient_checkpointing": (OPTIONS + "gradient_checkpointing", True),
    CONFIG + "model.enable_activation_offload": (OPTIONS + "activation_offload", False),
}
"""Key of the critic's model to its plan field, and what the trainer of 0.6 does whatever the key says."""
BUILT = (
    "Trinity 0.6 makes the critic's model itself (trainer/verl/trainer.py: HFModelConfig), with checkpointing and "
    "without offload; the key acts with back ends before 0.8"
)


def _has_critic(context: Context) -> bool:
    return on.CRITIC.test(context) or (context.open and could_hold(on.CRITIC, context))


def read_model(r: ReadContext) -> None:
    """The keys act up to 0.5."""
    for key, (path, does) in MODEL.items():
        if not _has_critic(r):
            put_to_sleep(r, on.CRITIC, key)
            r.set(path, None, key)
        elif r.since("0.6.0"):
            r.inactive[key] = BUILT
            r.set(path, does, kind=Kind.DEFAULT, how="trainer/verl/trainer.py: HFModelConfig of the critic")
        else:
            take(r, key, path, does)


def write_model(w: WriteContext) -> None:
    """Nothing is written for 0.6, whose trainer would hand it to nobody and whose workers stop at what is no model's config."""
    for key, (path, does) in MODEL.items():
        value = w.plan(path)
        if value is None:
            continue
        if not _has_critic(w):
            w.lose(path, State.DEAD_IN_TARGET, on.CRITIC.otherwise)
        elif w.since("0.6.0"):
            settle(w, path, value == does, "as Trinity's trainer does", BUILT, state=State.NO_COUNTERPART)
        else:
            w.put(key, value, path, default=does)


MODEL_FOLD = Fold(
    tuple(MODEL), tuple(path for path, _ in MODEL.values()), read_model, write_model, "trainer/verl/trainer.py"
)

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
    engine(lambda c: c.micro_batch_size_per_gpu, lambda p: p.critic.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK), default=None,
           alias=True, why="TrainingWorker.train_batch: the engine's own size, which Trinity's trainer leaves empty"),
    engine(lambda c: c.infer_micro_batch_size_per_gpu, lambda p: p.critic_infer.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK),
           default=None, alias=True, why="TrainingWorker.infer_batch: the engine's own size, which Trinity's trainer leaves empty"),
)  # fmt: skip
ENGINE_ROWS = (
    *rows_for_role(ENGINE, native=CONFIG + "fsdp", plan="stage.batch", when=ENGINE_FSDP),
    *rows_for_role(ENGINE, native=CONFIG + "megatron", plan="stage.batch", when=ENGINE_MEGATRON),
)
"""What a critic of fixed micro-batches needs since 0.6 beside `ppo_micro_batch_size_per_gpu`, which its config demands."""
