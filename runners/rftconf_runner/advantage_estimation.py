"""The credit of each sampled token: rewards, less a KL penalty, through the plan's estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from rftconf_runner import advantages, after_norm, losses
from rftconf_runner.corrections import importance
from rftconf_runner.job import OPTIMAL_BASELINE, Job, KlPenalty
from rftconf_runner.masked import masked_mean, whitened_in_parts
from rftconf_runner.sequences import Lesson, Row, Sample, grid, mask_of, ragged

COEF_STEP = 0.2
"""The largest relative error that an adaptive coefficient answers to (Ziegler et al., 2019)."""


@dataclass(frozen=True, slots=True)
class Credit:
    """Advantages and a critic's returns [sequences, tokens], importance weights where the plan corrects, and the mean KL of
    the period from the reference, of those who drew: None where the plan takes none. `teaching` is false for answers that are masked; it is
    empty where the plan masks none."""

    advantages: Tensor
    returns: Tensor
    weights: Tensor | None
    mask: Tensor
    kl: float | None
    teaching: list[bool] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    @property
    def more(self) -> dict[str, float]:
        """Return the period's further metrics: the mean KL, the mean importance weight, the share of masked answers, where there are any."""
        weighs = {} if self.weights is None else {"importance": float(masked_mean(self.weights, self.mask))}
        masks = {"masked_answers": 1 - sum(self.teaching) / len(self.teaching)} if self.teaching else {}
        return {**({} if self.kl is None else {"kl": self.kl}), **weighs, **masks}


def credit(
    job: Job,
    samples: Sequence[Sample],
    rewards: Sequence[float],
    old: Sequence[Sequence[float]],
    reference: Sequence[Sequence[float]],
    values: Sequence[Sequence[float]],
    coef: float,
    baselines: Sequence[float] = (),
    scores: Sequence[float] = (),
    origins: Sequence[str] = (),
) -> Credit:
    """Give the credit of one period. `old`, `reference` and `values` (`updates.values_of`) hold a number for each token; `coef` weighs the KL in the reward;
    `baselines` hold a number for each sample where the advantage is ReMax's, `scores` where answers are masked by them, `origins` a domain for each."""
    mask = mask_of(samples)
    parts = _parts(origins if job.by_domain and origins else [""] * len(samples))
    teaching = list[bool]()
    if job.masks:
        lengths = [len(sample.answer) for sample in samples]
        teaching = job.masks.teaching(scores, lengths, job.response_tokens, job.responses)
    counts = mask * torch.tensor(teaching or [True] * len(samples)).unsqueeze(-1)
    penalties, kl = torch.zeros_like(mask), None
    if job.kl_reward:
        gaps = losses.kl(grid(old, mask), grid(reference, mask), job.kl_reward.estimator) * mask
        penalties = coef * gaps
        kl = float(torch.stack([masked_mean(row, own) for row, own in zip(gaps, mask, strict=True)]).mean())
    elif job.kl_loss:
        gaps = losses.kl(grid([sample.drawn for sample in samples], mask), grid(reference, mask), job.kl_loss.estimator)
        kl = float(masked_mean(gaps, mask))
    of_values, whole = grid(values, mask) if values else mask, torch.tensor(rewards)
    if job.after_norm:
        estimated, returns = after_norm.estimated(job, whole, penalties, of_values, counts, parts)
    else:
        tokens = torch.zeros_like(mask)
        tokens[torch.arange(len(samples)), mask.sum(-1).long() - 1] = whole
        before = grid(old, mask) if job.advantage == OPTIMAL_BASELINE else mask
        estimated, returns = _estimated(job, tokens - penalties, mask, of_values, torch.tensor(baselines), before)
    if job.whitens:
        estimated = whitened_in_parts(estimated, counts, parts) * counts
    estimated = estimated.clamp(-job.advantage_clip, job.advantage_clip)
    drawn = grid([sample.drawn for sample in samples], mask)
    early = job.correction is not None and not job.correction.now
    weights = importance(grid(old, mask), drawn, mask, job.correction) if job.correction and early else None
    return Credit(estimated, returns, weights, mask, kl, teaching, list(scores))


def _parts(origins: Sequence[str]) -> list[Tensor]:
    """Return the numbers of the sequences of each domain."""
    return [
        torch.tensor([number for number, own in enumerate(origins) if own == origin])
        for origin in dict.fromkeys(origins)
    ]


def lessons_of(
    samples: Sequence[Sample],
    credited: Credit,
    old: Sequence[Row],
    reference: Sequence[Row],
    values: Sequence[Row],
) -> list[Lesson]:
    """Return a lesson for each sample: the sample with its rows of log-probs and credit."""
    gains, returns = (ragged(of, credited.mask) for of in (credited.advantages, credited.returns))
    nothing: Sequence[Row] = [()] * len(samples)
    weights = nothing if credited.weights is None else ragged(credited.weights, credited.mask)
    teaching = credited.teaching or [True] * len(samples)
    columns = (
        samples,
        gains,
        old,
        reference or nothing,
        values or nothing,
        returns,
        weights,
        teaching,
        credited.scores or [0.0] * len(samples),
    )
    return [Lesson(*row) for row in zip(*columns, strict=True)]


def _estimated(
    job: Job, tokens: Tensor, mask: Tensor, values: Tensor, baselines: Tensor, old: Tensor
) -> tuple[Tensor, Tensor]:
    groups = torch.arange(job.prompts).repeat_interleave(job.responses)
    whole = tokens.sum(-1)
    match job.advantage:
        case "rloo":
            spread_advantages = advantages.spread(advantages.leave_one_out(whole, groups), mask)
        case "opo":
            spread_advantages = advantages.spread(advantages.length_weighted(whole, mask.sum(-1), groups), mask)
        case "reinforce":
            spread_advantages = advantages.spread(whole, mask)
        case "remax":
            spread_advantages = advantages.less_baseline(tokens, baselines, mask)
        case "gpg":
            spread_advantages = advantages.spread(advantages.amplified(whole, groups), mask)
        case "reinforce_pp":
            spread_advantages = advantages.reinforce(tokens, mask, job.gamma)
        case "reinforce_pp_baseline":
            spread_advantages = advantages.reinforce_baseline(whole, groups, mask)
        case "optimal_token_baseline":
            return advantages.token_baseline(tokens, mask, groups, old, values)
        case "gae":
            return advantages.generalized(tokens, values, mask, job.gamma, job.lam)
        case _:
            spread_advantages = advantages.spread(advantages.group_relative(whole, groups, job.scope, job.ddof), mask)
    return spread_advantages, spread_advantages


def next_coef(penalty: KlPenalty, coef: float, kl: float, sequences: int) -> float:
    """The coefficient after a period: constant, or drawn to where the KL is the plan's target."""
    if not penalty.horizon:
        return coef
    error = min(max(kl / penalty.target - 1, -COEF_STEP), COEF_STEP)
    return coef * (1 + error * sequences / penalty.horizon)
