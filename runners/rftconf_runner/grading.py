"""The reward of every answer: from the reward function, a classifier, or the function applied to a judge's reply."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import ray

from rftconf_runner.data import Prompt
from rftconf_runner.drawing import Group
from rftconf_runner.framework_rewards import has_rules
from rftconf_runner.job import Job
from rftconf_runner.job_rewards import Grader
from rftconf_runner.places import Places
from rftconf_runner.reward import prompted, score_blocks, scored
from rftconf_runner.samples import Samples, join_samples
from rftconf_runner.score_columns import BadRewardError, GroupScores, Score, Scores
from rftconf_runner.scoring_requests import TOKENS_HERE, question_of, requests_of

GRADER_SECONDS = 3600.0
"""How long a model may take for a period's answers, unless `--reward-seconds` is more: it answers in words of its own, for
which a function's minute is too short, and an hour is what a hang is known by."""


def graded(job: Job, groups: Sequence[Group], places: Places, tokenizer: Any) -> GroupScores:
    """Score the answers of each group, the baseline's last. The same answers earn the same, whatever was scored before."""
    each = job.responses + bool(job.baseline)
    samples = join_samples(
        [Samples.of(part) for group in groups for part in (group.samples, group.baselines) if len(part)]
    )
    if job.graders or samples.tokens <= TOKENS_HERE:
        prompts = [group.prompt for group in groups for _ in range(each)]
        scores = Scores.of(_scored_here(job, prompts, samples, places, tokenizer))
    else:
        questions = tuple(question_of(group.prompt) for group in groups)
        seconds = max(job.reward_seconds, job.answer_seconds * len(samples) * has_rules(job))
        scores = score_blocks(places.scorer, questions, np.arange(len(samples)) // each, samples.at, seconds)
    return GroupScores(scores.shaped(samples.numbers.tokens.tolist(), job.shaping), each)


def _scored_here(job: Job, prompts: Sequence[Prompt], samples: Samples, places: Places, tokenizer: Any) -> list[Score]:
    """Score answers whose tokens are fetched: models that score are asked too."""
    own = [(question_of(prompt), sample) for prompt, sample in zip(prompts, samples, strict=True)]
    triples = [
        (question, np.asarray(sample.answer).tolist(), np.asarray(sample.prompt).tolist()) for question, sample in own
    ]
    requests = requests_of({source.domain: source for source in job.rewards}, triples, tokenizer)
    graders = [_grader_of(job, request.domain) for request in requests]
    scores: dict[int, Score] = {}
    for grader in job.graders:
        mine = [index for index, own_grader in enumerate(graders) if own_grader is grader]
        if grader.kind == "classifier":
            answers = [tokenizer.decode(triples[index][1]).replace(tokenizer.eos_token or "", "") for index in mine]
            classified = [(requests[index].prompt, answer) for index, answer in zip(mine, answers, strict=True)]
            scores |= dict(zip(mine, map(_score, _shared(job, grader, places, "scores", classified)), strict=True))
        else:
            questions = prompted(places.scorer, [requests[index] for index in mine], grader, job.reward_seconds)
            put = [(index, question) for index, question in zip(mine, questions, strict=True) if question is not None]
            words = [(question, own[index][1].number) for index, question in put]
            for (index, _), reply in zip(put, _shared(job, grader, places, "replies", words), strict=True):
                requests[index] = replace(requests[index], reply=reply)
    others = [index for index in range(len(requests)) if index not in scores]
    late = job.answer_seconds * len(others) * has_rules(job)
    scores |= dict(
        zip(others, scored(places.scorer, [requests[index] for index in others], job.reward_seconds, late), strict=True)
    )
    return [scores[index] for index in range(len(requests))]


def _grader_of(job: Job, domain: str) -> Grader | None:
    """The domain's own, else the one of all: a judge anyway, a classifier where the domain has no function."""
    own = next((grader for grader in job.graders if grader.domain and grader.domain == domain), None)
    domains = {source.domain for source in job.rewards}
    common = (
        grader for grader in job.graders if not grader.domain and (grader.kind == "judge" or domain not in domains)
    )
    return own or next(common, None)


def _shared(job: Job, grader: Grader, places: Places, method: str, questions: Sequence[Any]) -> list[Any]:
    """Return the replies of a grader's processes to equal shares. Raises BadRewardError naming one that hangs."""
    names = [name for name, post_grader in job.posts if post_grader is grader]
    size = max(-(-len(questions) // len(names)), 1)
    shares = [questions[index : index + size] for index in range(0, len(questions), size)]
    refs = {
        getattr(places.graders[name], method).remote(share): name for name, share in zip(names, shares, strict=False)
    }
    seconds = max(job.reward_seconds, GRADER_SECONDS)
    try:
        return [result for results in ray.get([*refs], timeout=seconds) for result in results]
    except ray.exceptions.GetTimeoutError:
        _, late = ray.wait([*refs], num_returns=len(refs), timeout=0)
        who = " and ".join(refs[ref] for ref in late) or grader.kind
        reason = f"{who} ({grader.model}) took longer than {seconds:g} s for {len(questions)} answers"
        raise BadRewardError(f"{reason}; --reward-seconds gives more") from None


def _score(value: float) -> Score:
    if not math.isfinite(value):
        raise BadRewardError(f"a reward model gave {value}, and no finite number")
    return Score(value, {})
