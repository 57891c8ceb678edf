"""ROLL's way from rewards to advantages: a reward is normalized first, and the KL of each token is taken from it after that (H27).

`roll/utils/functionals.py` has it in four functions that its pipeline calls one after another: reward_postprocess, compute_token_reward,
compute_advantage. Rewards are clipped twice, as one of an answer and as those of its tokens; advantages are clipped last of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from rftconf_runner import advantages
from rftconf_runner.job import Job


def estimated(
    job: Job, rewards: Tensor, penalties: Tensor, values: Tensor, mask: Tensor, parts: Sequence[Tensor]
) -> tuple[Tensor, Tensor]:
    """Return advantages and returns [sequences, tokens]. `rewards` [sequences]; `penalties` and `values` are of tokens; `parts` are the
    sequences that a batch's mean and deviation are taken over."""
    tokens = torch.zeros_like(mask)
    last = mask.cumsum(-1).argmax(-1)
    tokens[torch.arange(len(mask)), last] = _clipped(_normalized(job, rewards, parts), job.reward_clip)
    tokens = _clipped(tokens - penalties, job.reward_clip) * mask
    if job.advantage == "gae":
        return advantages.generalized(tokens, values, mask, job.gamma, job.lam)
    returns = advantages.reinforce(tokens, mask, job.gamma)
    return returns, returns


def _normalized(job: Job, rewards: Tensor, parts: Sequence[Tensor]) -> Tensor:
    """Return rewards less their mean over a group or a batch, divided by a deviation; as they are where the plan names neither."""
    groups, normalized = torch.arange(job.prompts).repeat_interleave(job.responses), rewards.clone()
    for part in parts:
        own = rewards[part]
        if job.advantage in ("grpo", "grpo_mean_only"):
            normalized[part] = advantages.group_relative(own, groups[part], job.scope, job.ddof, job.guard)
        elif job.advantage == "reinforce_pp" and job.batch_norm:
            normalized[part] = (own - own.mean()) / (own.std() + advantages.EPSILON)
    return normalized


def _clipped(rewards: Tensor, most: float) -> Tensor:
    return rewards.clamp(-most, most)
