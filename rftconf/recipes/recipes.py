"""The starting values of each algorithm: values of the plan, and the published example that they are taken from.

Batches, lengths and rates are an example's own. What no example writes is the framework's default and stays so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rftconf.base.errors import UsageError

A, B, OPT = "stage.algorithm.", "stage.batch.", "stage.optim."
LENGTH, SAMPLING, LOSS = "stage.length.", "stage.sampling.train.", A + "policy_loss."


@dataclass(frozen=True, slots=True)
class Recipe:
    """One algorithm. `defining` are the plan paths without which it is another one; `near` may come out narrowed.

    `tokens_per_rank` is the largest micro-batch that the example takes; `gpu_memory_fraction` its engines' share.
    """

    name: str
    title: str
    source: str
    values: Mapping[str, Any]
    defining: tuple[str, ...]
    near: tuple[str, ...] = ()
    tokens_per_rank: int = 24_576
    gpu_memory_fraction: float = 0.6
    notes: tuple[str, ...] = field(default=())


_COMMON: Mapping[str, Any] = {
    B + "passes": 1,
    A + "entropy_coef": 0.0,
    LOSS + "family": "ppo",
    A + "loss_agg": "token-mean",
    OPT + "actor.kind": "adamw",
    OPT + "actor.lr": 1e-6,
    OPT + "actor.grad_clip": 1.0,
    OPT + "actor.schedule": "constant",
    OPT + "actor.warmup_updates": 0,
    SAMPLING + "temperature": 1.0,
    SAMPLING + "top_p": 1.0,
    SAMPLING + "top_k": -1,
    "stage.model_options.gradient_checkpointing": True,
    "stage.model_options.remove_padding": True,
    "stage.cadence.save_rollouts": 20,
    "stage.cadence.eval_rollouts": 5,
    "stage.run_length.epochs": 15,
}
"""What veRL's examples of all these algorithms have in common, written or as that release's default."""
_GROUP = {A + "advantage": "grpo", A + "std_scope": "group", A + "critic.enabled": False}
_PLAIN_CLIP = {LOSS + "clip_low": 0.2, LOSS + "clip_high": 0.2}
_NO_KL = {A + "kl_loss.enabled": False, A + "kl_reward.enabled": False}
_KL_REWARD = {
    A + "kl_loss.enabled": False,
    A + "kl_reward.enabled": True,
    A + "kl_reward.estimator": "k1",
    A + "kl_reward.coef": 0.001,
    A + "kl_reward.controller": "fixed",
}
_ESTIMATOR = (A + "advantage", A + "critic.enabled", LOSS + "family")


def _sizes(prompts: int, per_update: int, responses: int, prompt: int, response: int) -> dict[str, Any]:
    return {
        B + "prompts_per_rollout": prompts,
        B + "responses_per_prompt": responses,
        B + "sequences_per_update": per_update * responses,
        LENGTH + "prompt_max_tokens": prompt,
        LENGTH + "response_max_tokens": response,
        LENGTH + "overlong_prompt": "drop_gt",
    }


GRPO = Recipe(
    "grpo",
    "GRPO",
    "veRL, examples/grpo_trainer/run_qwen3_8b_fsdp.sh",
    {
        **_COMMON, **_sizes(1024, 256, 5, 1024, 2048), **_GROUP, **_PLAIN_CLIP,
        A + "kl_reward.enabled": False,
        A + "kl_loss.enabled": True,
        A + "kl_loss.estimator": "k3_clamped",
        A + "kl_loss.coef": 0.001,
    },
    (*_ESTIMATOR, A + "std_scope"),
)  # fmt: skip
DAPO = Recipe(
    "dapo",
    "DAPO",
    "veRL, docs/algo/dapo.md; batches, lengths, rate and warm-up of Trinity-RFT, examples/dapo_math/dapo.yaml; "
    "epochs and cadence as veRL's examples of the others",
    {
        **_COMMON, **_sizes(512, 32, 16, 1024, 20480), **_GROUP, **_NO_KL,
        LOSS + "clip_low": 0.2,
        LOSS + "clip_high": 0.28,
        OPT + "actor.warmup_updates": 20,
        A + "filters[0].kind": "zero_std",
        A + "filters[0].metric": "acc",
        A + "filters[0].action": "refill",
    },
    (*_ESTIMATOR, A + "std_scope", LOSS + "clip_low", LOSS + "clip_high"),
    near=(A + "filters[0].kind", A + "filters[0].action"),
    tokens_per_rank=22_000,
    notes=("the penalty for overlong answers belongs to the reward: add it there",),
)  # fmt: skip
PPO = Recipe(
    "ppo",
    "PPO",
    "veRL, examples/ppo_trainer/run_qwen3_8b_fsdp.sh",
    {
        **_COMMON, **_sizes(1024, 256, 1, 1024, 2048), **_PLAIN_CLIP, **_NO_KL,
        A + "advantage": "gae",
        A + "gamma": 1.0,
        A + "lam": 1.0,
        A + "critic.enabled": True,
        A + "critic.value_clip": 0.5,
        B + "critic_sequences_per_update": 256,
        B + "critic_passes": 1,
        OPT + "critic.kind": "adamw",
        OPT + "critic.lr": 1e-5,
        OPT + "critic.grad_clip": 1.0,
        OPT + "critic.schedule": "constant",
        OPT + "critic.warmup_updates": 0,
        "stage.model_options.critic_gradient_checkpointing": True,
        "stage.model_options.critic_remove_padding": True,
    },
    (*_ESTIMATOR, OPT + "critic.lr"),
)  # fmt: skip
RLOO = Recipe(
    "rloo",
    "RLOO",
    "veRL, examples/rloo_trainer/run_qwen3_8b_fsdp.sh",
    {
        **_COMMON, **_sizes(1024, 256, 5, 1024, 2048), **_PLAIN_CLIP, **_KL_REWARD,
        A + "advantage": "rloo",
        A + "critic.enabled": False,
    },
    _ESTIMATOR,
)  # fmt: skip
REINFORCE_PP = Recipe(
    "reinforce++",
    "REINFORCE++",
    "veRL, examples/reinforce_plus_plus_trainer/run_qwen3_8b_fsdp.sh",
    {
        **_COMMON, **_sizes(1024, 1024, 8, 1024, 2048), **_PLAIN_CLIP, **_KL_REWARD,
        A + "advantage": "reinforce_pp",
        A + "whiten_advantage": True,
        A + "critic.enabled": False,
        A + "gamma": 1.0,
        OPT + "actor.lr": 3e-6,
    },
    _ESTIMATOR,
)  # fmt: skip
GSPO = Recipe(
    "gspo",
    "GSPO",
    "veRL, examples/gspo_trainer/run_qwen3_8b_fsdp.sh",
    {
        **_COMMON, **_sizes(512, 128, 16, 2048, 8192), **_GROUP, **_NO_KL,
        LOSS + "family": "gspo",
        LOSS + "clip_low": 3e-4,
        LOSS + "clip_high": 4e-4,
        A + "loss_agg": "seq-mean-token-mean",
        "stage.run_length.epochs": 10,
        "stage.cadence.eval_rollouts": 10,
    },
    (*_ESTIMATOR, A + "std_scope", LOSS + "clip_low", LOSS + "clip_high"),
    tokens_per_rank=20_480,
)  # fmt: skip

RECIPES: Mapping[str, Recipe] = {r.name: r for r in (GRPO, DAPO, PPO, RLOO, REINFORCE_PP, GSPO)}
_SPELLINGS = {"reinforce_plus_plus": "reinforce++", "reinforce_pp": "reinforce++", "reinforceplusplus": "reinforce++"}


def recipe(name: str) -> Recipe:
    """The recipe called `name`, in any case. Raises UsageError when there is none."""
    key = name.strip().lower()
    recipe = RECIPES.get(_SPELLINGS.get(key, key))
    if recipe is None:
        raise UsageError(f"no recipe is called {name!r}; known: {', '.join(RECIPES)}")
    return recipe
