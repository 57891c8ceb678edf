"""The functions and further models that score a job's answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RewardSource:
    """The function that scores one domain's answers, or with an empty `domain` all that no other one scores; `batched` at once."""

    domain: str
    path: str
    name: str
    arguments: dict[str, Any]
    batched: bool = False


@dataclass(frozen=True, slots=True)
class Grader:
    """A further model that scores answers, those of one domain or with an empty one all that none else scores.

    A `judge` answers in words, which the reward function turns into a score; a `classifier` has a head, whose last logit is the
    score. `apart`: its `copies` have bundles of their own. Tokens are 0 where the model's own length is the limit.
    """

    kind: str
    domain: str
    model: str
    copies: int
    apart: bool
    dtype: str
    memory_fraction: float
    longest: int
    response_tokens: int = 0
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = -1
    repetition: float = 1.0
    template: str = ""  # what the plan calls the judge's question
    captures: bool = False  # CUDA graphs, on a GPU
