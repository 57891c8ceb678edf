"""A run as the runner sees it: plain numbers and words, without a plan."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftconf_runner.answer_masks import AnswerMasks
    from rftconf_runner.job_data import Rows, Share, Validation
    from rftconf_runner.job_rewards import Grader, RewardSource
    from rftconf_runner.losses import Estimator


OPTIMAL_BASELINE = "optimal_token_baseline"
"""The advantage that is made of old log-probs, too."""


@dataclass(frozen=True, slots=True)
class Micro:
    """A micro-batch of a rank: at most `tokens`, or `sequences` where `tokens` is 0; with `packs` one unpadded row."""

    sequences: int
    tokens: int
    packs: bool = False


@dataclass(frozen=True, slots=True)
class Lora:
    """Low-rank adapters, the only weights that are learned then; `path` is an adapter to begin with, or empty; `shared` as in Megatron."""

    rank: int
    alpha: int
    targets: tuple[str, ...] | str
    excluded: tuple[str, ...] | str
    path: str
    seed: int
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Optimizer:
    """AdamW and its schedule, in updates; `decay` 0 is the run's whole length, `tick` updates share a rate. Only `matrices` decay, or all.
    Meanwhile the loss is multiplied by `scale`: its first value, and the updates after which it doubles (0: never)."""

    lr: float
    betas: tuple[float, float]
    weight_decay: float
    grad_clip: float
    schedule: str
    warmup: int
    decay: int
    lowest: float
    tick: int = 1
    matrices: bool = False
    scale: tuple[float, int] = (1.0, 0)


@dataclass(frozen=True, slots=True)
class Offload:
    """The parts of a model that leave its device. With `policy` all wait in the host's memory, but for layers that are being computed;
    `param` and the `optimizer`'s moments wait there while engines answer. A layer gathered forwards is kept for the way back unless it `reshards`."""

    policy: bool = False
    param: bool = False
    optimizer: bool = False
    reshards: bool = True

    @property
    def moves(self) -> bool:
        """True when something goes there and back."""
        return not self.policy and (self.param or self.optimizer)


@dataclass(frozen=True, slots=True)
class KlPenalty:
    """A weighed KL term; `horizon` in sequences, 0 where the coefficient is constant."""

    estimator: Estimator
    coef: float
    target: float = 0.0
    horizon: int = 0


@dataclass(frozen=True, slots=True)
class CriticJob:
    """The value model of a run: its settings as plain numbers and words."""

    model: str
    optimizer: Optimizer
    update: int
    passes: int
    micro: Micro
    infer: Micro
    clip: float
    aggregation: str
    checkpointing: bool
    stored: str
    offload: Offload


@dataclass(frozen=True, slots=True)
class Shaping:
    """DAPO's soft punishment: within `buffer` tokens of `longest` the reward falls, by `factor` in all."""

    buffer: float
    longest: float
    factor: float


@dataclass(frozen=True, slots=True)
class Correction:
    """Weights of trainer over engine, of a `token` or a `sequence`: cut at `upper`, or with a `lower` 0 outside of the two. They are of
    the weights as a period begins, or `now` of those that each update learns."""

    level: str
    upper: float
    lower: float
    normalize: bool
    now: bool = False


@dataclass(frozen=True, slots=True)
class Rejection:
    """Tokens that are in no policy loss, or whole answers: those whose `estimator` of the divergence of the weights that learn from the
    engine's is not from `least` to `most`, of each `token`, or an answer's `sum`, `mean` or `max`."""

    level: str
    estimator: str
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Job:
    """The stage's values as the runner computes with them. Counts are of sequences, `ahead` of prompts.

    `overrides` are values set in the model's config, `template` words that the chat template reads, `refill` the metric by which groups without
    spread are drawn again (empty: none), `baseline` the answer that ReMax compares with (greedy or drawn), `loss_words` arguments of one policy loss
    alone, `memory_fraction` an engine's share of its GPU (0: it chooses), `tp` its GPUs; it `sleeps` while trainers have them, `captures` CUDA
    graphs, and draws the same answers again on a GPU, too, where the run `repeats`. `sp` ranks share a sequence. In the first `warmup` periods the
    policy stays; the data's epochs end a run of 0 `rollouts`; `keep` 0 keeps all. All roles compute in `dtype`, `routers` of policy and reference in
    theirs; `balancer` had Megatron balance them in all but the `unbalanced` ways; the policy is kept in `stored`, its gradients `added` up in that
    type where it is given; what a model sees with is `frozen` or learned. `after_norm` takes the KL from normalized rewards, over the batch where
    `batch_norm` says so, and of each domain where `by_domain` does. `resampling` is a way to weigh answers, and a power."""

    model: str
    overrides: dict[str, Any]
    tokenizer: str
    thinking: str
    template: dict[str, Any]
    data: tuple[Rows, ...]
    mixing: str
    shares: tuple[Share, ...]
    shuffle: bool
    data_seed: int
    prompt_tokens: int
    response_tokens: int
    overlong: str
    epochs: int
    last_partial: str
    rewards: tuple[RewardSource, ...]
    graders: tuple[Grader, ...]
    reward_seconds: float
    answer_seconds: float
    shaping: Shaping | None
    refill: str
    refill_threshold: float
    prompts: int
    responses: int
    update: int
    passes: int
    sweeps: bool
    shuffles: bool
    shuffle_seed: int
    rollouts: int
    save_every: int
    keep: int
    micro: Micro
    ranks: int
    sp: int
    engines: int
    tp: int
    sleeps: bool
    offload: Offload
    reference_offload: Offload
    colocated: bool
    memory_fraction: float
    dtype: str
    stored: str
    added: str
    checkpointing: bool
    lora: Lora | None
    routers: tuple[str, ...]
    balancer: str
    unbalanced: tuple[str, ...]
    frozen: bool
    temperature: float
    top_p: float
    top_k: int
    engine_seed: int
    critic_seed: int
    tempered: bool
    ahead: int
    every: int
    interrupts: bool
    old: str
    correction: Correction | None
    advantage: str
    baseline: str
    scope: str
    ddof: int
    guard: float
    whitens: bool
    gamma: float
    lam: float
    family: str
    clip_low: float
    clip_high: float
    dual: float
    value_cap: float
    loss_words: dict[str, Any]
    aggregation: str
    norm_scope: str
    divisor: int
    entropy: float
    kl_reward: KlPenalty | None
    kl_loss: KlPenalty | None
    optimizer: Optimizer
    critic: CriticJob | None
    warmup: int
    validation: Validation | None = None
    after_norm: bool = False
    batch_norm: bool = False
    by_domain: bool = False
    masks: AnswerMasks | None = None
    context: int = 0
    reward_clip: float = inf
    advantage_clip: float = inf
    resampling: tuple[str, float] | None = None
    rejections: tuple[Rejection, ...] = ()
    captures: bool = False
    repeats: bool = False

    @property
    def truncates(self) -> bool:
        """True where answers are drawn from a part of the distribution."""
        return self.top_p < 1 or self.top_k > 0

    @property
    def sequences(self) -> int:
        """S, sequences of one rollout period."""
        return self.prompts * self.responses

    @property
    def posts(self) -> list[tuple[str, Grader]]:
        """Every process of a grader, by its kind and number."""
        copies = [grader for grader in self.graders for _ in range(grader.copies)]
        return [(f"{grader.kind} {index}", grader) for index, grader in enumerate(copies)]

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence: prompt and answer, or an engine's shorter `context`."""
        return min(whole := self.prompt_tokens + self.response_tokens, self.context or whole)

    def cuts(self, prompt: Any, answer: Any) -> Any:
        """True where a limit has ended an answer. Both are in tokens, of one answer or in columns of many."""
        return (answer >= self.response_tokens) | (prompt + answer >= self.longest)

    @property
    def updates_per_period(self) -> int:
        """E * S / G."""
        return self.passes * self.sequences // self.update

    @property
    def old_in_update(self) -> bool:
        """True where a period's one update is all that asks for old log-probs: it computes them itself, as its own. A
        reward with a KL penalty, an importance weight and a critic's own update want theirs before."""
        early = self.kl_reward or self.correction or self.critic or self.advantage == OPTIMAL_BASELINE
        return self.old != "engine" and self.updates_per_period == 1 and not early

    @property
    def rests(self) -> bool:
        """True when states of a trainer leave its device while engines answer."""
        parts = (self.offload, self.reference_offload, *([self.critic.offload] if self.critic else []))
        return any(part.moves for part in parts)

    @property
    def compares(self) -> bool:
        """True when the weights that the run began with are needed."""
        return self.kl_reward is not None or self.kl_loss is not None
