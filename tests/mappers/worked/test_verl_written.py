"""Words of veRL that stand for others, and sizes it is written with: 5 nodes x 6 GPUs, 30 prompts x 7 answers, 15 ranks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.laws.flip_bases import ARR, VERL_GRPO
from tests.mappers.worked.runs import keys, plan, write

OWN_ENGINES = {
    "trainer.v1.trainer_mode": "separate_async",
    f"{ARR}.hybrid_engine": False,
    f"{ARR}.rollout.nnodes": 1,
    f"{ARR}.rollout.n_gpus_per_node": 8,
}


@pytest.mark.parametrize(
    ("native", "word"),
    [
        ("naive", "auto"),
        ("nccl", "nccl"),
        ("hccl", "hccl"),
        ("nixl", "nixl"),
        ("mooncake", "mooncake"),
        ("kimi", "kimi"),
        ("delta", "delta"),
    ],
)
def test_ways_of_the_weights(native: str, word: str) -> None:
    """veRL 0.9.1 checkpoint_engine/base.py: CheckpointEngineRegistry has these names; naive picks by the hardware."""
    flat = {**VERL_GRPO, **OWN_ENGINES, f"{ARR}.rollout.checkpoint_engine.backend": native}
    assert plan("verl", flat, "sync.transport") == [word]


@pytest.mark.parametrize(("native", "plain"), [("default", True), ("always", True), ("never", False)])
def test_what_torchtitan_shards_again(native: str, plain: bool) -> None:
    """torchtitan's ParallelDims: fsdp_reshard_after_forward; by default all but pipelines do."""
    flat = {**VERL_GRPO, f"{ARR}.actor.torchtitan.reshard_after_forward": native}
    assert plan("verl", flat, "placement.actor.reshard_after_forward", trainer="torchtitan") == [plain]


@pytest.mark.parametrize(("mixed", "dtype"), [(True, "fp32"), (False, "bf16")])
def test_what_veomni_loads(mixed: bool, dtype: str) -> None:
    """veRL 0.9.1 workers/engine/veomni/transformer_impl.py: float32 weights with mixed precision, bfloat16 without."""
    flat = {**VERL_GRPO, f"{ARR}.actor.veomni.mixed_precision": mixed}
    assert plan("verl", flat, "placement.actor.model_dtype", trainer="veomni") == [dtype]


@pytest.mark.parametrize(("counts", "update"), [("parts", 73), ("samples", 8), ("prompts", 56)])
def test_what_a_forks_mini_batch_counts(counts: str, update: int) -> None:
    """A mini-batch of 8 and a period of 31 x 7: 31 // 8 = 3 parts of 217 sequences, 8 sequences, or 8 x 7."""
    flat = {**VERL_GRPO, "data.train_batch_size": 31, f"{ARR}.rollout.n": 7, f"{ARR}.actor.ppo_mini_batch_size": 8}
    assert plan("verl", flat, "batch.sequences_per_update", assume={"mini_batch": counts}) == [update]


PLAN: dict[str, Any] = {
    "cluster.nodes": 5,
    "cluster.gpus_per_node": 6,
    "placement.layout": "colocated",
    "placement.actor.gpus": 30,
    "placement.actor.sp": 2,
    "batch.prompts_per_rollout": 30,
    "batch.responses_per_prompt": 7,
    "batch.sequences_per_update": 105,
    "batch.passes": 1,
    "length.prompt_max_tokens": 1000,
    "length.response_max_tokens": 2001,
    "run_length.rollouts": 40,
}


def test_a_cap_holds_the_longest_sequence() -> None:
    """A sequence has 3001 tokens, of which each of 2 GPUs takes half, rounded up: 1501 (seqlen_balancing: max_token_len)."""
    cap = f"{ARR}.actor.ppo_max_token_len_per_gpu"
    assert keys("verl", {**PLAN, "batch.micro.dynamic": True, "batch.micro.tokens_per_rank": 2000}, cap) == [1501]


def test_every_pass_holds_the_longest_sequence() -> None:
    """Scoring is split over the actor's 2 GPUs, the reference's pass over none: 1501 and 3001 tokens. A cap that is not
    written is the actor's (veRL 0.9.1, trainer/config/rollout/rollout.yaml and ref/ref.yaml)."""
    scored, reference = (f"{ARR}.{part}.log_prob_max_token_len_per_gpu" for part in ("rollout", "ref"))
    passes = {f"batch.{part}.{field}": value for part in ("micro", "log_prob", "reference")
              for field, value in (("dynamic", True), ("tokens_per_rank", 2000))}  # fmt: skip
    kl = {"algorithm.kl_loss.enabled": True, "placement.reference.sp": 1}
    assert keys("verl", {**PLAN, **passes, **kl}, scored, reference) == [1501, 3001]


def test_a_warm_up_as_a_share_of_the_run() -> None:
    """veRL 0.9.1 workers/engine/veomni: 16 updates are 8 periods of 2 updates each, and 8 of 40 are a fifth."""
    plan_ = {**PLAN, "optim.actor.warmup_updates": 16, "optim.actor.schedule": "cosine"}
    assert keys("verl", plan_, f"{ARR}.actor.optim.lr_warmup_steps_ratio", trainer="veomni") == [0.2]


def test_an_update_that_is_no_whole_number_of_prompts() -> None:
    """100 sequences are 14.3 prompts of 7: 15 are next, and 15 x 7 = 105 are shared by 15 ranks. With 9 ranks the number
    of prompts is a multiple of 9 / gcd(7, 9): 18."""
    size = f"{ARR}.actor.ppo_mini_batch_size"
    assert keys("verl", {**PLAN, "batch.sequences_per_update": 100}, size) == [15]
    nine = {**PLAN, "placement.actor.gpus": 18, "batch.sequences_per_update": 100}
    assert keys("verl", nine, size) == [18]


def test_ranks_that_share_a_factor_with_the_answers() -> None:
    """6 answers a prompt and 15 ranks: prompts come in 15 / gcd(6, 15) = 5; 44 sequences are 7.3 prompts, so 10."""
    plan_ = {**PLAN, "batch.responses_per_prompt": 6, "batch.sequences_per_update": 44}
    assert keys("verl", plan_, f"{ARR}.actor.ppo_mini_batch_size") == [10]


@pytest.mark.parametrize(("update", "same"), [(210, True), (105, False)])
def test_old_log_probabilities_of_every_update(update: int, same: bool) -> None:
    """veRL computes them once a period: the same as once an update where 30 x 7 = 210 sequences are one."""
    done = write("verl", {**PLAN, "batch.sequences_per_update": update, "sync.old_logprob": "recompute_at_update"})
    assert (done.outcomes["stage.sync.old_logprob"].state.value in ("exact", "default", "derived")) is same
