"""Rewards by the user's own function, in a process of its own with a time limit."""

from __future__ import annotations

import importlib.util
import inspect
import math
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import ray

from rftconf_runner.columns import Block, Column
from rftconf_runner.framework_rewards import OWN
from rftconf_runner.job_rewards import Grader, RewardSource
from rftconf_runner.score_columns import BadRewardError, Score, Scores
from rftconf_runner.scores.pool import LATE, Pool
from rftconf_runner.scoring_requests import Question, ScoringRequest, requests_of

JUDGE_PROMPT, ROUTER = "judge_prompt", "reward_router_address"
"""The function beside compute_score that says what a judge is asked; and what veRL tells a function instead."""


@ray.remote(num_cpus=0)
class Scorer:
    """Holds the functions, so that what they import and break stays in their process."""

    def __init__(
        self, rewards: Sequence[RewardSource], graders: Sequence[Grader] = (), answer_seconds: float = 10.0, tokenizer: str = "", early: bool = False
    ) -> None:  # fmt: skip
        self.rewards, modules = (
            {source.domain: source for source in rewards},
            {source.path: _load(source.path) for source in rewards},
        )
        self.modules = {source.domain: modules[source.path] for source in rewards}
        self.judges = [grader for grader in graders if grader.kind == "judge"]
        self.pool = Pool(answer_seconds)
        self.tokenizer: Any = None
        self.tokenizer_path, self.early = tokenizer, early

    def check(self) -> None:
        """Raises BadRewardError where a function wants a server, or no function asks a judge that the plan has."""
        if self.early:
            self._reader()
        for domain, source in self.rewards.items():
            function = getattr(self.modules[domain], source.name, None)
            if function is None:
                raise BadRewardError(f"{source.path} has no function {source.name}")
            parameters = inspect.signature(function).parameters
            if ROUTER in parameters and parameters[ROUTER].default is inspect.Parameter.empty:
                reason = f"{source.name} asks a server at {ROUTER}, and here is none"
                raise BadRewardError(f"{source.path}: {reason}; a function {JUDGE_PROMPT} says what a judge is asked")
        for judge in self.judges:
            modules = [self._module(judge.domain)] if judge.domain else list(self.modules.values())
            if not any(hasattr(module, JUDGE_PROMPT) for module in modules):
                files = ", ".join(sorted({str(module.__file__) for module in modules}))
                raise BadRewardError(
                    f"{files}: no function {JUDGE_PROMPT}, and the judge {judge.model} has to be asked"
                )

    def of_blocks(
        self, questions: Sequence[tuple[Any, ...]], question_numbers: Any, column: Column, *blocks: Block
    ) -> Scores:
        """Return the scores of answers in blocks of the store, of which number i is to the question `question_numbers[i]`."""
        pairs = [
            (
                Question(*questions[number]),
                blocks[block].answers[row].tolist(),
                blocks[block].prompts[blocks[block].prompt_numbers[row]].tolist(),
            )
            for number, block, row in zip(
                question_numbers.tolist(), column.of.tolist(), column.rows.tolist(), strict=True
            )
        ]
        return Scores.of(self.scores(requests_of(self.rewards, pairs, self._reader())))

    def _reader(self) -> Any:
        if self.tokenizer is None:
            from transformers import AutoTokenizer

            self.tokenizer = AutoTokenizer.from_pretrained(self.tokenizer_path)
        return self.tokenizer

    def scores(self, requests: Sequence[ScoringRequest]) -> list[Score]:
        """One per answer. Raises BadRewardError with the answer it was about."""
        sources = [self._source(request) for request in requests]
        pooled = [index for index, source in enumerate(sources) if source.path in OWN]
        came = self.pool.came(
            [
                (
                    f"{OWN[sources[index].path]}:{sources[index].name}",
                    {**requests[index].reward_arguments(), **requests[index].words, **sources[index].arguments},
                )
                for index in pooled
            ]
        )
        scores = {index: _pooled(requests[index], *result) for index, result in zip(pooled, came, strict=True)}
        for source in self.rewards.values():
            mine = [index for index, own in enumerate(sources) if own is source and source.batched]
            scores |= dict(zip(mine, self._of_batch([requests[index] for index in mine], source), strict=True))
        return [scores[index] if index in scores else self._score(request) for index, request in enumerate(requests)]

    def _of_batch(self, requests: Sequence[ScoringRequest], source: RewardSource) -> list[Score]:
        """Ask a function once for all of its answers, as veRL's manager `batch` does. Raises BadRewardError."""
        if not requests:
            return []
        extras = [{**request.extra, "rollout_reward_scores": {}} for request in requests]
        own: dict[str, Any] = {
            "data_sources": [request.source for request in requests],
            "solution_strs": [request.text for request in requests],
            "ground_truths": [request.truth for request in requests],
            "extra_infos": extras,
        }
        try:
            results = list(getattr(self._module(source.domain), source.name)(**own, **source.arguments))
        except Exception as error:
            raise BadRewardError(f"{source.path}: {source.name}: {type(error).__name__}: {error}") from error
        if len(results) != len(requests):
            raise BadRewardError(
                f"{source.path}: {source.name} gave {len(results)} rewards for {len(requests)} answers"
            )
        return [_scored(request, result) for request, result in zip(requests, results, strict=True)]

    def prompts(self, requests: Sequence[ScoringRequest], template: str) -> list[Any]:
        """Return the question to a judge about each answer: chat messages, or the text of one; None where the answer's
        function asks no judge. Raises BadRewardError."""
        asks = [hasattr(self._module(request.domain), JUDGE_PROMPT) for request in requests]
        called = partial(self._called, name=JUDGE_PROMPT, template=template)
        return [
            called(request, prompt=request.prompt) if it else None for request, it in zip(requests, asks, strict=True)
        ]

    def _source(self, request: ScoringRequest) -> RewardSource:
        return self.rewards[request.domain if request.domain in self.rewards else ""]

    def _module(self, domain: str) -> Any:
        return self.modules[domain if domain in self.modules else ""]

    def _called(self, request: ScoringRequest, name: str, **more: Any) -> Any:
        """Return the result of a function of the answer's reward. Raises BadRewardError where the function raises."""
        try:
            return getattr(self._module(request.domain), name)(
                **request.reward_arguments(), **more, **self._source(request).arguments
            )
        except Exception as error:
            raise BadRewardError(f"the reward of {request.text[:80]!r}: {type(error).__name__}: {error}") from error

    def _score(self, request: ScoringRequest) -> Score:
        return _scored(request, self._called(request, self._source(request).name))


def _pooled(request: ScoringRequest, done: bool, result: Any) -> Score:
    """Turn a pooled result into a score. Raises BadRewardError with the words of the rule's error."""
    if done:
        return _scored(request, result)
    if result == LATE:
        return Score(0.0, {"acc": 0.0, "score": 0.0}, late=True)
    raise BadRewardError(f"the reward of {request.text[:80]!r}: {result}")


def _scored(request: ScoringRequest, result: Any) -> Score:
    """Turn what a function returned into numbers. Raises BadRewardError where the reward is no finite number."""
    value = _number(result.get("score") if isinstance(result, dict) else result)
    if value is None or not math.isfinite(value):
        raise BadRewardError(f"the reward of {request.text[:80]!r} is {result!r}, and no finite number")
    more = result if isinstance(result, dict) else {"acc": value}
    return Score(value, {name: number for name, of in more.items() if (number := _number(of)) is not None})


def _load(path: str) -> Any:
    """The file's module, under a name of its own by which its data classes find it while it is executed."""
    name = f"reward_of_the_user_{sha256(os.path.realpath(path).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadRewardError(f"stage.reward.function_path: {path} is no Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _number(value: Any) -> float | None:
    """A bool, int or float, also as NumPy and PyTorch wrap a single one; None for anything else."""
    try:
        plain = value.item() if hasattr(value, "item") else value
        return float(plain) if isinstance(plain, (bool, int, float)) else None
    except (TypeError, ValueError, RuntimeError):  # of several, or of none
        return None
    except OverflowError:  # a whole number beyond every float
        return math.inf


def scored(scorer: Any, requests: Sequence[ScoringRequest], seconds: float, late: float = 0.0) -> list[Score]:
    """Scores in the order asked. Raises BadRewardError, also where the function takes longer than `seconds`, or than `late` where
    rules that have limits of their own may take longer."""
    scores: list[Score] = _within(max(seconds, late), requests, lambda: scorer.scores.remote(requests))
    return scores


def prompted(scorer: Any, requests: Sequence[ScoringRequest], judge: Grader, seconds: float) -> list[Any]:
    """Return the questions to a judge about each answer, with the same limit of time in seconds."""
    return _within(seconds, requests, lambda: scorer.prompts.remote(requests, judge.template))


def score_blocks(
    scorer: Any, questions: Sequence[Question], question_numbers: Any, column: Column, seconds: float
) -> Scores:
    """Score answers that lie in the store, and return the scores in order. Raises BadRewardError as `scored` does."""
    blocks = [block if isinstance(block, ray.ObjectRef) else ray.put(block) for block in column.blocks]
    plain = tuple(map(tuple, questions))
    without_blocks = Column((), column.of, column.rows)
    return _within(seconds, column, lambda: scorer.of_blocks.remote(plain, question_numbers, without_blocks, *blocks))


def _within(seconds: float, requests: Sequence[ScoringRequest] | Column, begun: Callable[[], Any]) -> Any:
    try:
        results = ray.get(begun(), timeout=seconds) if len(requests) else []
    except ray.exceptions.GetTimeoutError:
        raise BadRewardError(
            f"the reward function took longer than {seconds:g} s for {len(requests)} answers"
        ) from None
    return results
