"""Numbers that no run can have. What reads them in the end would stop minutes later, in words of its own, or learn nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite, nextafter

from rftconf.plan.model import Stage
from rftconf_runner.value_text import render_plan_value

MOST_TOKENS = 100_000_000
LARGEST_SEED = (1 << 32) - 1
"""Of NumPy's generators, which vLLM and PyTorch's workers seed."""


@dataclass(frozen=True, slots=True)
class Range:
    """A range of numbers from `least` to `most`; without `least` itself where it is `above`. `endless` where infinity is what switches it off."""

    least: float = 0.0
    most: float = inf
    above: bool = False
    endless: bool = False

    def holds(self, value: float) -> bool:
        """True for a number that can be."""
        lowest = nextafter(self.least, inf) if self.above else self.least
        return lowest <= value <= self.most and (isfinite(value) or self.endless)

    def __str__(self) -> str:
        low = f"more than {self.least:g}" if self.above else f"{self.least:g} or more"
        return low if self.most == inf else f"{low}, and {self.most:g} at most"


COUNT, SHARE = Range(1), Range(0, 1)
OF_OPTIMIZER = {
    "lr": Range(), "weight_decay": Range(), "grad_clip": Range(above=True, endless=True), "warmup_updates": Range(),
    "decay_updates": Range(), "min_lr_ratio": SHARE, "updates_per_tick": COUNT,
}  # fmt: skip
RANGES = {
    "length.prompt_max_tokens": Range(1, MOST_TOKENS),
    "length.response_max_tokens": Range(1, MOST_TOKENS),
    "sampling.train.temperature": Range(above=True),
    "sampling.train.top_p": Range(0, 1, above=True),
    "sampling.train.top_k": Range(-1, MOST_TOKENS),
    "batch.passes": COUNT,
    "batch.prompts_per_rollout": COUNT,
    "batch.responses_per_prompt": COUNT,
    "batch.sequences_per_update": COUNT,
    "placement.actor.gpus": COUNT,
    "placement.actor.sp": COUNT,
    "placement.rollout.gpus": COUNT,
    "placement.rollout.tp": COUNT,
    "sync.run_ahead_rollouts": Range(),
    "algorithm.std_ddof": Range(0, 1),
    "algorithm.std_guard": Range(),
    "algorithm.loss_agg_tokens": COUNT,
    "algorithm.critic.warmup_rollouts": Range(),
    "run_length.rollouts": COUNT,
    "run_length.epochs": COUNT,
    "cadence.save_rollouts": Range(),
    "placement.rollout.seed": Range(0, LARGEST_SEED),
    "placement.rollout.gpu_memory_fraction": Range(0, 1, above=True),
    "algorithm.gamma": SHARE,
    "algorithm.lam": SHARE,
    "algorithm.entropy_coef": Range(-inf),
    "algorithm.policy_loss.clip_low": Range(),
    "algorithm.policy_loss.clip_high": Range(),
    "algorithm.policy_loss.dual_clip_c": Range(1, above=True, endless=True),
    "algorithm.policy_loss.tau_pos": Range(above=True),
    "algorithm.policy_loss.tau_neg": Range(above=True),
    "algorithm.policy_loss.value_cap": Range(above=True, endless=True),
    "algorithm.kl_loss.coef": Range(-inf),
    "algorithm.kl_reward.coef": Range(-inf),
    "model_options.lora.rank": Range(0, MOST_TOKENS),
    **{f"optim.actor.{name}": bounds for name, bounds in OF_OPTIMIZER.items()},
}
OF_CRITIC = {
    "algorithm.critic.value_clip": Range(above=True, endless=True),
    "batch.critic_passes": COUNT,
    "batch.critic_sequences_per_update": COUNT,
    **{f"optim.critic.{name}": bounds for name, bounds in OF_OPTIMIZER.items()},
}


OF_ADAPTIVE_KL = {"algorithm.kl_reward.target": Range(above=True), "algorithm.kl_reward.horizon": COUNT}


def of_numbers(stage: Stage) -> Iterator[tuple[str, str]]:
    """Fields outside their range; what is symbolic is left to whoever binds it."""
    ranges = {**RANGES, **_of_passes(stage, "micro")}
    if stage.algorithm.critic.enabled:
        ranges |= {**OF_CRITIC, **_of_passes(stage, "critic"), **_of_passes(stage, "critic_infer")}
    if stage.algorithm.kl_reward.enabled and stage.algorithm.kl_reward.controller == "adaptive":
        ranges |= OF_ADAPTIVE_KL
    for path, bounds in ranges.items():
        value: object = stage
        for name in path.split("."):
            value = getattr(value, name)
        if isinstance(value, (int, float, Fraction)) and not bounds.holds(float(value)):
            yield path, f"is {render_plan_value(value)}; the runner needs {bounds}{_few_rows(stage, path)}"


def _few_rows(stage: Stage, path: str) -> str:
    """Return a clause on the rows and the batch, where the number of periods follows from the data; else empty."""
    counted = path == "run_length.rollouts" and isinstance(stage.data.rows, int)
    batch = render_plan_value(stage.batch.prompts_per_rollout)
    return (
        f": the data have {render_plan_value(stage.data.rows)} rows, and a batch is {batch} prompts" if counted else ""
    )


def _of_passes(stage: Stage, part: str) -> dict[str, Range]:
    """Return the range of the size that counts of a pass that is cut into micro-batches: tokens or sequences."""
    dynamic = getattr(stage.batch, part).dynamic
    by_tokens = (stage.batch.critic.dynamic if dynamic is None and part == "critic_infer" else dynamic) is True
    return {f"batch.{part}.{'tokens' if by_tokens else 'sequences'}_per_rank": Range(1, MOST_TOKENS)}
