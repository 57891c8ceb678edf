"""The requests that engines answer: for which prompts, with which seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rftconf_runner.images import Picture
from rftconf_runner.job import Job
from rftconf_runner.job_data import GREEDY, Sampling

if TYPE_CHECKING:
    from rftconf_runner.data import Prompt

TURN = 0x9E3779B97F4A7C15
"""Between the seeds of an answer's beginning and of what goes on from it."""
BASELINE = 0xD1B54A32D192ED03
"""Between the seeds of a prompt's first answer and of its baseline."""


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """A prompt, the seed of its answer, and what of the answer is there already. It is drawn by training's sampling unless it has its own.
    With `pictures` the prompt has a token for each, and the engine `reads` as many as the model has for them."""

    prompt: tuple[int, ...]
    seed: int
    begun: tuple[int, ...] = ()
    sampling: Sampling | None = None
    pictures: tuple[Picture, ...] = ()
    reads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """Tokens of one answer, the log-prob that the engine drew each with, and the version of its weights: the oldest where a
    sync has cut it. One that is not `whole` can be gone on from."""

    tokens: tuple[int, ...]
    log_probs: tuple[float, ...]
    version: int
    whole: bool = True

    def followed(self, remainder: Answer) -> Answer:
        """Return the answer with `remainder` behind it, which was drawn after it was cut."""
        version = self.version if self.tokens else remainder.version
        return Answer(
            (*self.tokens, *remainder.tokens), (*self.log_probs, *remainder.log_probs), version, remainder.whole
        )


class Question(NamedTuple):
    """A prompt's part that engines are told: its tokens, and what they are asked instead where it has `pictures`."""

    tokens: tuple[int, ...]
    asks: tuple[int, ...] = ()
    pictures: tuple[Picture, ...] = ()


def generation_requests(
    job: Job, prompts: Sequence[Question | Prompt], first: int, turn: int = 0
) -> list[GenerationRequest]:
    """Every answer to `prompts`, the first of which has the number `first` in the run; each has a seed of its own. A baseline
    comes after the samples of its prompt."""
    each = job.responses
    seed = (job.engine_seed << 32) + job.sequences + first * each + turn * TURN
    steps = [*range(each), *([BASELINE] if job.baseline else [])]
    return [
        GenerationRequest(
            prompt.asks or prompt.tokens,
            (seed + index * each + step) % (1 << 63),
            sampling=GREEDY if step == BASELINE and job.baseline == "greedy" else None,
            pictures=prompt.pictures,
            reads=prompt.tokens if prompt.pictures else (),
        )
        for index, prompt in enumerate(prompts)
        for step in steps
    ]
