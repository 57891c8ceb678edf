"""What every answer earns: by the reward function, by a classifier, or by the function on what a judge said of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import ray

from rftconf_runner.drawing import Group
from rftconf_runner.framework_rewards import has_rules
from rftconf_runner.job import Grader, Job
from rftconf_runner.places import Places
from rftconf_runner.reward import Asked, BadRewardError, Score, prompted, scored, shaped

GRADER_SECONDS = 3600.0
"""How long a model may take for a period's answers, unless `--reward-seconds` is more: it answers in words of its own, for
which a function's minute is too short, and an hour is what a hang is known by."""


def graded(job: Job, groups: Sequence[Group], places: Places, tokenizer: Any) -> list[list[Score]]:
    """Score the answers of each group, the baseline's last. The same answers earn the same, whatever was scored before."""
    pairs = [(group.prompt, sample) for group in groups for sample in group.answers]
    tokens = [list(sample.answer) for _, sample in pairs]
    texts = tokenizer.batch_decode(tokens, skip_special_tokens=True)
    asked = [
        Asked(prompt.domain, prompt.source, text, prompt.truth, prompt.extra, prompt.asked)
        for (prompt, _), text in zip(pairs, texts, strict=True)
    ]
    graders = [_grader_of(job, one.domain) for one in asked]
    found: dict[int, Score] = {}
    for grader in job.graders:
        mine = [at for at, one in enumerate(graders) if one is grader]
        if grader.kind == "classifier":
            answers = [tokenizer.decode(tokens[at]).replace(tokenizer.eos_token or "", "") for at in mine]
            told = [(asked[at].prompt, answer) for at, answer in zip(mine, answers, strict=True)]
            found |= dict(zip(mine, map(_score, _shared(job, grader, places, "scores", told)), strict=True))
        else:
            questions = prompted(places.scorer, [asked[at] for at in mine], grader, job.reward_seconds)
            put = [(at, question) for at, question in zip(mine, questions, strict=True) if question is not None]
            words = [(question, pairs[at][1].number) for at, question in put]
            for (at, _), reply in zip(put, _shared(job, grader, places, "replies", words), strict=True):
                asked[at] = replace(asked[at], reply=reply)
    rest = [at for at in range(len(asked)) if at not in found]
    late = job.answer_seconds * len(rest) * has_rules(job)
    found |= dict(zip(rest, scored(places.scorer, [asked[at] for at in rest], job.reward_seconds, late), strict=True))
    whole = shaped([found[at] for at in range(len(asked))], [len(s.answer) for _, s in pairs], job.shaping)
    each = job.responses + bool(job.baseline)
    return [whole[at : at + each] for at in range(0, len(whole), each)]


def _grader_of(job: Job, domain: str) -> Grader | None:
    """The domain's own, else the one of all: a judge anyway, a classifier where the domain has no function."""
    own = next((one for one in job.graders if one.domain and one.domain == domain), None)
    apart = {one.domain for one in job.rewards}
    common = (one for one in job.graders if not one.domain and (one.kind == "judge" or domain not in apart))
    return own or next(common, None)


def _shared(job: Job, grader: Grader, places: Places, method: str, asked: Sequence[Any]) -> list[Any]:
    """What its processes say, each to an equal share. Raises BadRewardError with the name of one that hangs."""
    names = [name for name, one in job.posts if one is grader]
    size = max(-(-len(asked) // len(names)), 1)
    shares = [asked[at : at + size] for at in range(0, len(asked), size)]
    refs = {
        getattr(places.graders[name], method).remote(share): name for name, share in zip(names, shares, strict=False)
    }
    seconds = max(job.reward_seconds, GRADER_SECONDS)
    try:
        return [one for found in ray.get([*refs], timeout=seconds) for one in found]
    except ray.exceptions.GetTimeoutError:
        _, late = ray.wait([*refs], num_returns=len(refs), timeout=0)
        who = " and ".join(refs[ref] for ref in late) or grader.kind
        told = f"{who} ({grader.model}) took longer than {seconds:g} s for {len(asked)} answers"
        raise BadRewardError(f"{told}; --reward-seconds gives more") from None


def _score(value: float) -> Score:
    if not math.isfinite(value):
        raise BadRewardError(f"a reward model gave {value}, and no finite number")
    return Score(value, {})
