"""The requests that rewards are asked about: each answer as text, with what its row says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rftconf_runner.framework_rewards import asks_in_text, reads_marks
from rftconf_runner.job import Job
from rftconf_runner.job_rewards import RewardSource

if TYPE_CHECKING:
    from rftconf_runner.data import Prompt


TOKENS_HERE = 1 << 20
"""So many tokens of a period's answers the driver reads as text itself, before another process has read a tokenizer; more are read where
they are scored."""


class Question(NamedTuple):
    """A row's part that a reward is told."""

    domain: str
    source: str
    truth: Any
    extra: dict[str, Any]
    asked: Any


@dataclass(frozen=True, slots=True)
class ScoringRequest:
    """An answer: its domain, and what compute_score is told as data_source, solution_str, ground_truth, extra_info and, where
    a judge has read it, judge_reply. `words` are told to a framework's own rule besides."""

    domain: str
    source: str
    text: str
    truth: Any
    extra: dict[str, Any]
    prompt: Any = ""
    reply: str | None = None
    words: Mapping[str, Any] = field(default_factory=dict)

    def reward_arguments(self) -> dict[str, Any]:
        """Return the arguments of a reward function by the names that compute_score gives them."""
        reply = {} if self.reply is None else {"judge_reply": self.reply}
        own = {"data_source": self.source, "solution_str": self.text, "ground_truth": self.truth}
        return {**own, "extra_info": self.extra, **reply}


def question_of(prompt: Prompt) -> Question:
    """Return what a reward is told of a row."""
    return Question(prompt.domain, prompt.source, prompt.truth, prompt.extra, prompt.asked)


def reads_many(job: Job) -> bool:
    """True where the reward's process will read a period's answers as text itself."""
    return not job.graders and job.sequences * job.response_tokens > TOKENS_HERE


def requests_of(
    rewards: Mapping[str, RewardSource], answers: Sequence[tuple[Question, list[int], list[int]]], tokenizer: Any
) -> list[ScoringRequest]:
    """Return a request for each answer, which is its question, its tokens and those of its prompt. `rewards` are by domain."""
    texts = tokenizer.batch_decode([tokens for _, tokens, _ in answers], skip_special_tokens=True)
    requests = list[ScoringRequest]()
    for (question, tokens, prompt), text in zip(answers, texts, strict=True):
        request = ScoringRequest(question.domain, question.source, text, question.truth, question.extra, question.asked)
        reward = rewards.get(question.domain if question.domain in rewards else "")
        if reads_marks(reward):
            whole, prompt_text = (tokenizer.decode(part, skip_special_tokens=False) for part in (tokens, prompt))
            request = replace(request, text=whole, words={"prompt": prompt_text})
        elif asks_in_text(reward):
            request = replace(request, prompt=tokenizer.decode(prompt, skip_special_tokens=True))
        requests.append(request)
    return requests
