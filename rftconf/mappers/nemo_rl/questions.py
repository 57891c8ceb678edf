"""Questions about runs that NeMo-RL cannot take as they are, and about settings that its keys do not tell."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.base.symbols import formula
from rftconf.mappers.adapting import REWARD_MODULE
from rftconf.mappers.context import WriteContext
from rftconf.mappers.placing import Target

TARGET = Target(True, 0.6, "the engine shares its GPUs with the trainer, as in NeMo-RL's own examples", either=True)
ENVIRONMENT = "data.default.env_name"
TRAINED, SCORED = "policy.train_micro_batch_size", "policy.logprob_batch_size"
LARGE = 4
"""Tensor parallelism from which on NeMo-RL stops at two sizes of micro-batches (lm_policy.py: Policy.__init__)."""


def complete(w: WriteContext) -> None:
    """Give both micro-batches one size where large tensor parallelism asks for it, and name what a conversion wrote."""
    _name_the_converted_reward(w)
    sizes = (w.plan("stage.placement.actor.mesh.tp"), w.plan("stage.placement.actor.megatron.tp"))
    large = any(isinstance(size, int) and size >= LARGE for size in sizes)
    if large and w.effective(TRAINED) != w.effective(SCORED):
        how = "one size for training and scoring, which NeMo-RL asks for from tensor parallelism of 4 on"
        paths = [path for path in ("stage.batch.log_prob.sequences_per_rank",) if w.plan(path) is not None]
        w.put(SCORED, w.effective(TRAINED), *paths, always=True, how=how)


def _name_the_converted_reward(w: WriteContext) -> None:
    """Name the environment and the prompts that a conversion wrote; NeMo-RL finds both by name."""
    path, name = (f"stage.reward.function_{part}" for part in ("path", "name"))
    if w.plan(path) is None or not w.chosen(path):
        return
    w.put(ENVIRONMENT, REWARD_MODULE, path, name, always=True)
    w.put("data.default.processor", REWARD_MODULE, path, always=True, how="it takes the converted rows apart")
    w.put(f"env.{REWARD_MODULE}", {}, path, always=True, how="the environment has no settings")


def questions(w: WriteContext) -> list[Decision]:
    """Ask about the reward, which is the environment of a data set."""
    own = w.plan("stage.reward.function_path")
    source = f"the source's {formula(own)}" if own is not None else "the source's reward"
    why = f"{source} is not carried over: an environment scores answers here, and {ENVIRONMENT} names it (math by default)"
    return [
        Decision(
            ENVIRONMENT,
            why,
            ("math: answers are compared with math_verify", "an environment of your own, registered with register_env"),
        )
    ]
