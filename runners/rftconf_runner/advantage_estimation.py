"""The credit of each sampled token: rewards, less a KL penalty, through the plan's estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from rftconf_runner import advantages, after_norm, losses
from rftconf_runner.columns import Array, Column, Ragged
from rftconf_runner.corrections import importance
from rftconf_runner.job import OPTIMAL_BASELINE, Job, KlPenalty
from rftconf_runner.lessons import Row, Sample
from rftconf_runner.masked import masked_mean, whitened_in_parts
from rftconf_runner.samples import Lessons, Samples
from rftconf_runner.sequences import grid, mask_of

COEF_STEP = 0.2
"""The largest relative error that an adaptive coefficient answers to (Ziegler et al., 2019)."""

BY_TOKEN = {"remax", "reinforce_pp", OPTIMAL_BASELINE, "gae"}
"""Advantages that may differ between the tokens of an answer."""
Rows = Sequence[Row] | Column


@dataclass(frozen=True, slots=True)
class Credit:
    """Advantages and a critic's returns [sequences, tokens], or without a `mask` advantages [sequences] alone; importance
    weights where the plan corrects, and the mean KL of the period from the reference, of those who drew: None where the plan takes none.
    `teaching` is false for answers that are masked; it is empty where the plan masks none."""

    advantages: Tensor
    returns: Tensor | None
    weights: Tensor | None
    mask: Tensor | None
    kl: float | None
    teaching: list[bool] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    @property
    def more(self) -> dict[str, float]:
        """Return the period's further metrics: the mean KL, the mean importance weight, the share of masked answers, where there are any."""
        weighs = (
            {}
            if self.weights is None or self.mask is None
            else {"importance": float(masked_mean(self.weights, self.mask))}
        )
        masks = {"masked_answers": 1 - sum(self.teaching) / len(self.teaching)} if self.teaching else {}
        return {**({} if self.kl is None else {"kl": self.kl}), **weighs, **masks}


def credit(
    job: Job,
    samples: Sequence[Sample],
    rewards: Sequence[float],
    old: Rows | None,
    reference: Rows | None,
    values: Rows | None,
    coef: float,
    baselines: Sequence[float] = (),
    scores: Sequence[float] = (),
    origins: Sequence[str] = (),
    kl: float | None = None,
) -> Credit:
    """Give the credit of one period. `old`, `reference` and `values` (`updates.values_of`) hold a number for each token, None where nobody
    asks; `coef` weighs the KL in the reward; `baselines` hold a number for each sample where the advantage is ReMax's, `scores` where answers
    are masked by them, `origins` a domain for each; `kl` is what a KL loss begins with."""
    if _is_by_answer(job):
        return _of_answers(job, Samples.of(samples), torch.tensor(rewards), scores, kl)
    mask = mask_of(samples)
    parts = _parts(origins if job.by_domain and origins else [""] * len(samples))
    teaching = _teaching(job, Samples.of(samples), scores)
    counts = mask * torch.tensor(teaching or [True] * len(samples)).unsqueeze(-1)
    penalties = torch.zeros_like(mask)
    if job.kl_reward:
        gaps = losses.kl(_grid(old, mask), _grid(reference, mask), job.kl_reward.estimator) * mask
        penalties = coef * gaps
        kl = float(torch.stack([masked_mean(row, own) for row, own in zip(gaps, mask, strict=True)]).mean())
    of_values, whole = _grid(values, mask) if values is not None and len(values) else mask, torch.tensor(rewards)
    if job.after_norm:
        estimated, returns = after_norm.estimated(job, whole, penalties, of_values, counts, parts)
    else:
        tokens = torch.zeros_like(mask)
        tokens[torch.arange(len(samples)), mask.sum(-1).long() - 1] = whole
        before = _grid(old, mask) if job.advantage == OPTIMAL_BASELINE else mask
        estimated, returns = _estimated(job, tokens - penalties, mask, of_values, torch.tensor(baselines), before)
    if job.whitens:
        estimated = whitened_in_parts(estimated, counts, parts) * counts
    estimated = estimated.clamp(-job.advantage_clip, job.advantage_clip)
    weights = None
    if job.correction and not job.correction.now:
        weights = importance(_grid(old, mask), _grid(Samples.of(samples).drawn, mask), mask, job.correction)
    return Credit(estimated, returns, weights, mask, kl, teaching, list(scores))


def _parts(origins: Sequence[str]) -> list[Tensor]:
    """Return the numbers of the sequences of each domain."""
    return [
        torch.tensor([number for number, own in enumerate(origins) if own == origin])
        for origin in dict.fromkeys(origins)
    ]


def lessons_of(
    samples: Sequence[Sample], credited: Credit, old: Rows | None, reference: Rows | None, values: Rows | None
) -> Lessons:
    """Return a lesson for each sample: the sample with its rows of log-probs and credit."""
    columns = {"old": old, "reference": reference, "values": values}
    more: dict[str, Column | Ragged | Array] = {
        name: rows if isinstance(rows, Column) else Ragged.of(rows)
        for name, rows in columns.items()
        if rows is not None and len(rows)
    }
    gains = {"advantages": credited.advantages, "returns": credited.returns, "weights": credited.weights}
    more |= {name: _column(of, credited.mask) for name, of in gains.items() if of is not None}
    teaching = np.array(credited.teaching or [True] * len(samples))
    return Lessons(Samples.of(samples), more, teaching, np.array(credited.scores or [0.0] * len(samples)))


def _column(of: Tensor, mask: Tensor | None) -> Ragged | Array:
    """Return numbers of answers as they are, and those of tokens in rows."""
    if mask is None:
        return of.numpy()
    return Ragged(of[mask.bool()].numpy(), mask.sum(-1).long().cumsum(-1).numpy())


def _grid(rows: Rows | None, mask: Tensor) -> Tensor:
    """Rows of all answers as [sequences, tokens], 0 behind their ends."""
    if not isinstance(rows, Column):
        return grid(rows or (), mask)
    rows_grid = torch.zeros_like(mask)
    rows_grid[mask.bool()] = torch.from_numpy(rows.flat()).to(mask)
    return rows_grid


def _is_by_answer(job: Job) -> bool:
    """True where all tokens of an answer have the same credit, for which nobody looks at tokens."""
    late = job.correction is None or job.correction.now
    return late and job.advantage not in BY_TOKEN and not (job.kl_reward or job.after_norm or job.whitens or job.critic)


def _of_answers(job: Job, samples: Samples, rewards: Tensor, scores: Sequence[float], kl: float | None) -> Credit:
    """Give the credit of whole answers: a number for each."""
    lengths = torch.from_numpy(samples.numbers.tokens.astype("float32"))
    estimated = _by_answer(job, rewards, lengths, _groups(job)).clamp(-job.advantage_clip, job.advantage_clip)
    return Credit(estimated, None, None, None, kl, _teaching(job, samples, scores), list(scores))


def _teaching(job: Job, samples: Samples, scores: Sequence[float]) -> list[bool]:
    """Return for each answer whether it teaches; nothing where the plan masks none."""
    lengths = samples.numbers.tokens.tolist()
    return job.masks.teaching(scores, lengths, job.response_tokens, job.responses) if job.masks else []


def _groups(job: Job) -> Tensor:
    return torch.arange(job.prompts).repeat_interleave(job.responses)


def _by_answer(job: Job, rewards: Tensor, lengths: Tensor, groups: Tensor) -> Tensor:
    """Return advantages that are a number for each answer, of its reward, its length in tokens and its group."""
    match job.advantage:
        case "rloo":
            return advantages.leave_one_out(rewards, groups)
        case "opo":
            return advantages.length_weighted(rewards, lengths, groups)
        case "reinforce":
            return rewards
        case "gpg":
            return advantages.amplified(rewards, groups)
        case "reinforce_pp_baseline":
            return advantages.centred(rewards, groups)
        case _:
            return advantages.group_relative(rewards, groups, job.scope, job.ddof, job.guard)


def _estimated(
    job: Job, tokens: Tensor, mask: Tensor, values: Tensor, baselines: Tensor, old: Tensor
) -> tuple[Tensor, Tensor]:
    groups, whole = _groups(job), tokens.sum(-1)
    match job.advantage:
        case "remax":
            spread_advantages = advantages.less_baseline(tokens, baselines, mask)
        case "reinforce_pp":
            spread_advantages = advantages.reinforce(tokens, mask, job.gamma)
        case "optimal_token_baseline":
            return advantages.token_baseline(tokens, mask, groups, old, values)
        case "gae":
            return advantages.generalized(tokens, values, mask, job.gamma, job.lam)
        case _:
            spread_advantages = advantages.spread(_by_answer(job, whole, mask.sum(-1), groups), mask)
    return spread_advantages, spread_advantages


def next_coef(penalty: KlPenalty, coef: float, kl: float, sequences: int) -> float:
    """The coefficient after a period: constant, or drawn to where the KL is the plan's target."""
    if not penalty.horizon:
        return coef
    error = min(max(kl / penalty.target - 1, -COEF_STEP), COEF_STEP)
    return coef * (1 + error * sequences / penalty.horizon)
