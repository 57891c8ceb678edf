"""The critic's model: since 0.6 the trainer itself makes it."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.precedence import While, since
from rftconf.mappers.shapes import Behaves, Pair, Shape, Where, together
from rftconf.mappers.trinity import conditions as on

CONFIG = "trainer.trainer_config.critic."
BUILT = (
    "Trinity 0.6 makes the critic's model itself (trainer/verl/trainer.py: HFModelConfig), with checkpointing and "
    "without offload; the key acts with back ends before 0.8"
)


def _option(name: str, *, acts: bool) -> Shape:
    """A key that is heard up to 0.5; `acts`: what it is by default, and what the trainer of 0.6 does."""
    pair = Pair(f"{CONFIG}model.enable_{name}", f"stage.model_options.critic_{name}", acts, unlisted=True)
    # nothing is written for 0.6, whose trainer would hand it to nobody and whose workers stop at what is no model's config
    built = Behaves(
        pair.path,
        acts,
        "trainer/verl/trainer.py: HFModelConfig of the critic",
        otherwise=BUILT,
        as_here="as Trinity's trainer does",
        only_told=True,
        state=State.NO_COUNTERPART,
        idle=(pair.key,),
        idle_why=BUILT,
    )
    return While(on.CRITIC, Where(since("0.6.0"), built, pair))


MODEL_FOLD = together(
    _option("gradient_checkpointing", acts=True),
    _option("activation_offload", acts=False),
    why="trainer/verl/trainer.py",
)
