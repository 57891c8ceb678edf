"""Advantages as the plan names them. Rewards are one number per sequence, or [sequences, tokens] where a KL penalty or a
critic makes them differ by token; a group is the answers to one prompt."""

from __future__ import annotations

import torch
from torch import Tensor

EPSILON = 1e-6
"""Added to a standard deviation before division by it where the plan has no number."""
ENERGY_EPSILON = 1e-8
"""Added by veRL to a sum of variances before division by it."""


def group_relative(
    rewards: Tensor, groups: Tensor, scope: str = "group", ddof: int = 1, guard: float = EPSILON
) -> Tensor:
    """GRPO: the reward less its group's mean, divided by a standard deviation (`scope` group or batch; none: Dr.GRPO).

    `rewards` [sequences], `groups` [sequences] numbers of prompts. A group of one keeps its reward. `ddof` 1 is the
    deviation of a sample, 0 of the population (H38); `guard` is added to it.
    """
    less_mean = centred(rewards, groups)
    if scope == "none":
        return less_mean
    if scope == "batch":
        return less_mean / (rewards.std(correction=ddof) + guard)
    count, of = _sizes(groups)
    means = _added(rewards, of, count) / count
    squares = _added((rewards - means[of]).square(), of, count)
    deviations = torch.where(count > 1, (squares / (count - ddof).clamp(min=1)).sqrt(), 1.0)
    return less_mean / (deviations[of] + guard)


def leave_one_out(rewards: Tensor, groups: Tensor) -> Tensor:
    """RLOO: the reward less the mean of the group's other rewards. A group of one keeps its reward."""
    count = _sizes(groups)[0][_sizes(groups)[1]]
    return centred(rewards, groups) * torch.where(count > 1, count / (count - 1).clamp(min=1), 1.0)


def length_weighted(rewards: Tensor, lengths: Tensor, groups: Tensor) -> Tensor:
    """OPO: the reward less its group's mean, in which answers count by their `lengths` in tokens. A group of one keeps its reward."""
    count, of = _sizes(groups)
    means = _added(rewards * lengths, of, count) / _added(lengths.to(rewards), of, count)
    return torch.where(count[of] > 1, rewards - means[of], rewards)


def less_baseline(rewards: Tensor, baselines: Tensor, mask: Tensor) -> Tensor:
    """ReMax: the return of each token less the reward of the prompt's baseline, an answer of its own (Li et al., 2023).

    `rewards` [sequences, tokens], `baselines` [sequences].
    """
    returns = (rewards * mask).flip(-1).cumsum(-1).flip(-1)
    return returns - spread(baselines, mask)


def amplified(rewards: Tensor, groups: Tensor) -> Tensor:
    """GPG: the reward less its group's mean, times all sequences over those whose reward is not 0."""
    return centred(rewards, groups) * (len(rewards) / rewards.count_nonzero().clamp(min=1))


def reinforce(rewards: Tensor, mask: Tensor, gamma: float) -> Tensor:
    """REINFORCE++, before it is whitened: discounted returns. `rewards` and `mask` [sequences, tokens].

    Tokens that do not count (an environment's answer within a sequence) hand on what comes after them.
    """
    running, returns = torch.zeros_like(rewards[:, 0]), torch.zeros_like(rewards)
    for index in reversed(range(rewards.shape[1])):
        counts = mask[:, index]
        now = rewards[:, index] + gamma * running
        returns[:, index] = now * counts
        running = now * counts + running * (1 - counts)
    return returns


def reinforce_baseline(rewards: Tensor, groups: Tensor, mask: Tensor) -> Tensor:
    """REINFORCE++ with a baseline, before it is whitened: the reward less its group's mean."""
    return spread(centred(rewards, groups), mask)


def generalized(rewards: Tensor, values: Tensor, mask: Tensor, gamma: float, lam: float) -> tuple[Tensor, Tensor]:
    """GAE: advantages, before they are whitened, and the returns that a critic learns. All [sequences, tokens].

    Tokens that do not count are passed over: the next one that counts is the successor.
    """
    following, ahead = torch.zeros_like(rewards[:, 0]), torch.zeros_like(rewards[:, 0])
    advantages = torch.zeros_like(rewards)
    for index in reversed(range(rewards.shape[1])):
        counts = mask[:, index]
        surprise = rewards[:, index] + gamma * following - values[:, index]
        ahead = (surprise + gamma * lam * ahead) * counts + ahead * (1 - counts)
        following = values[:, index] * counts + following * (1 - counts)
        advantages[:, index] = ahead
    return advantages, advantages + values


def token_baseline(
    rewards: Tensor, mask: Tensor, groups: Tensor, old: Tensor, squares: Tensor
) -> tuple[Tensor, Tensor]:
    """Optimal token baseline: the return of each token less a mean over its group's answers that have this token, by the variance of
    the score up to there. `rewards`, `old` log-probs and `squares` (`likelihood.collisions`) are [sequences, tokens].

    The end of a group's longest answer, which no other reaches, keeps its return, and so does an answer of a group of one.
    """
    returns = (rewards * mask).flip(-1).cumsum(-1).flip(-1)
    energies = ((1 - 2 * old.exp() + squares) * mask).cumsum(-1) * mask
    baselines = torch.zeros_like(returns)
    for group in groups.unique():
        own = (groups == group).nonzero().squeeze(-1)
        if len(own) > 1:
            baselines[own] = (returns[own] * energies[own]).sum(0) / (energies[own].sum(0) + ENERGY_EPSILON)
            (longest, second, *_), numbers = mask[own].sum(-1).sort(descending=True)
            if longest > second:
                baselines[own[numbers[0]], int(second) :] = 0.0
    return (returns - baselines) * mask, returns


def spread(per_sequence: Tensor, mask: Tensor) -> Tensor:
    """One number per sequence on each of its tokens that count: [sequences, tokens]."""
    return per_sequence.unsqueeze(-1) * mask


def centred(rewards: Tensor, groups: Tensor) -> Tensor:
    """The reward less its group's mean. A group of one keeps its reward."""
    count, of = _sizes(groups)
    return torch.where(count[of] > 1, rewards - (_added(rewards, of, count) / count)[of], rewards)


def _sizes(groups: Tensor) -> tuple[Tensor, Tensor]:
    """Return how many answers each group has, and which of these groups each answer is in."""
    unique = torch.unique_consecutive if (groups.diff() >= 0).all() else torch.unique
    _, of, count = unique(groups, return_inverse=True, return_counts=True)
    return count.float(), of


def _added(values: Tensor, of: Tensor, like: Tensor) -> Tensor:
    """Add up the values of each group."""
    return torch.zeros_like(like, dtype=values.dtype).index_add(0, of, values)
