"""The critic's model: since 0.6 the trainer itself makes it."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import settle, take
from rftconf.mappers.supposing import could_hold, put_to_sleep
from rftconf.mappers.trinity import conditions as on
from rftconf.plan.origin import Kind

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
