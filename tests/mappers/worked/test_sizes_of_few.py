"""Sizes and refusals that few runs meet: old releases, forks, pairs, programs that stream prompts."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.mappers.chatlearn.forks import dialect
from tests.laws.flip_bases import ARR, CHATLEARN_GRPO, TRINITY_GRPO, VERL_GRPO
from tests.laws.flip_bases_roll import PPO, RLVR
from tests.laws.flip_bases_sft import SAMPLES
from tests.mappers.worked.runs import PERIOD, Flat, assert_idle, keys, plan, read, write
from tests.mappers.worked.test_worth import CHATLEARN

MINI = f"{ARR}.actor.ppo_mini_batch_size"
CRITIC = {"algorithm.advantage": "gae", "algorithm.critic.enabled": True, "batch.critic_sequences_per_update": 70}


@pytest.mark.parametrize(("trainer", "sizes"), [("fsdp", [10, 70]), ("megatron", [70, 70])])
def test_mini_batches_of_the_oldest_verl(trainer: str, sizes: list[int]) -> None:
    """verl 0.2.0: workers/fsdp_workers.py multiplies the actor's ppo_mini_batch_size by rollout.n, and no other worker does."""
    values = {**PERIOD, **CRITIC}
    assert keys("verl", values, MINI, "critic.ppo_mini_batch_size", release="0.2.0", trainer=trainer) == sizes
    flat = {**VERL_GRPO, "data.train_batch_size": 30, f"{ARR}.rollout.n": 7, MINI: sizes[0]}
    assert plan("verl", flat, "batch.sequences_per_update", release="0.2.0", trainer=trainer) == [70]


def test_gpus_that_share_a_model_of_trinity() -> None:
    """trinity 0.6.0 trainer/verl/config.py: fsdp_config.fsdp_size counts GPUs, -1 is all of them."""
    size = "trainer.trainer_config.actor_rollout_ref.actor.fsdp_config.fsdp_size"
    sizes = [plan("trinity", {**TRINITY_GRPO, size: count}, "placement.actor.fsdp_shard_gpus") for count in (4, -1)]
    assert sizes == [[4], [None]]


PAIRS: Flat = {
    "batch.sequences_per_update": 50,
    "cluster.nodes": 2,
    "cluster.gpus_per_node": 8,
    "placement.actor.gpus": 16,
}


@pytest.mark.parametrize(
    ("size", "words", "choices"),
    [
        (3, "16 GPUs train the actor, and a data-parallel rank takes 3 ", ("15 GPUs", "18 GPUs", "smaller parallel sizes")),
        (2, "50 pairs an update cannot be shared by 8 data-parallel ranks", ("48 pairs an update", "56 pairs an update")),
    ],
)  # fmt: skip
def test_pairs_that_ranks_cannot_share(size: int, words: str, choices: tuple[str, ...]) -> None:
    """All 2 x 8 GPUs train in Trinity's dpo: 16 / 3 are no ranks, and 8 ranks share 48 or 56 pairs."""
    with pytest.raises(RefusedError, match=words) as refusal:
        write("trinity", {**PAIRS, "placement.actor.sp": size}, kind="dpo")
    assert refusal.value.choices == choices


@pytest.mark.parametrize(("update", "fits"), [(84, True), (210, True), (211, False)])
def test_an_update_that_no_episode_fills(update: int, fits: bool) -> None:
    """ChatLearn: 30 prompts x 7 answers are 210 samples, and 210 // 211 updates are none (runtime/engine.py)."""
    flat = {**CHATLEARN_GRPO, **CHATLEARN, "runtime_args.train_global_batch_size": update}
    declared = dialect(read("chatlearn", flat))
    assert (declared is None) is fits
    if declared is not None:
        assert "train_global_batch_size=211 is more than sample_per_episode=210" in declared.why


STREAM: Flat = {
    **VERL_GRPO,
    MINI: 8,
    "async_training.trigger_parameter_sync_step": 2,
    "async_training.require_batches": 3,
    "trainer.total_epochs": 2,
}


@pytest.mark.parametrize(("limit", "rollouts"), [(None, 2), (10_000, 20), (500, 10)])
def test_prompts_of_a_program_that_streams(limit: int | None, rollouts: int) -> None:
    """verl 0.9.1 experimental/fully_async_policy: a period is 8 x 3 x 2 = 48 prompts; 2 x 490 are 20 periods, 500 are 10, and
    the 100 of its config are 2."""
    flat = {**STREAM, "rollout.total_rollout_steps": limit}
    assert plan("verl", flat, "batch.prompts_per_rollout", "run_length.rollouts", trainer="fully_async", rows=490) == [
        48,
        rollouts,
    ]


def test_a_program_that_streams_fetches_one_prompt() -> None:
    """fully_async_rollouter.py: the data loader has a batch size of 1, whatever data.gen_batch_size says."""
    assert_idle(read("verl", {**STREAM, "data.gen_batch_size": 20}, trainer="fully_async"), ["data.gen_batch_size"])


def test_parameters_of_the_oldest_supervised_program_stay() -> None:
    """verl 0.2.0 trainer/fsdp_sft_trainer.py: CPUOffload where fsdp_config.cpu_offload, its parameters where offload_params."""
    both = ("model.fsdp_config.cpu_offload", "model.fsdp_config.offload_params")
    flat = {
        "data.train_files": "/d/a.parquet",
        "data.val_files": "/d/b.parquet",
        "model.partial_pretrain": "base/model",
    }
    for switches, waits in (((True, True), True), ((True, False), False), ((False, True), False)):
        written = {**flat, **dict(zip(both, switches, strict=True))}
        assert plan("verl_fsdp_sft", written, "placement.actor.offload.param", release="0.2.0") == [waits]


INFER = "max_tokens_per_microbatch_in_infer"
ROLL: Flat = {
    **RLVR,
    **PPO,
    "use_kl_loss": True,
    **{f"{role}.use_dynamic_batching_in_infer": True for role in ("actor_train", "reference", "critic")},
    **{f"{role}.model_args.ulysses_size": 2 for role in ("actor_train", "reference", "critic")},
}
CAPS: dict[str, tuple[str, Flat, str, str, int]] = {
    # roll 0.3.0 utils/dynamic_batching.py packs whole sequences of a rank, before Ulysses splits them over 2 GPUs
    "ROLL's actor": ("roll", ROLL, f"actor_train.{INFER}", "batch.log_prob.tokens_per_rank", 5000),
    "ROLL's reference": ("roll", ROLL, f"reference.{INFER}", "batch.reference.tokens_per_rank", 5000),
    "ROLL's critic": ("roll", ROLL, f"critic.{INFER}", "batch.critic_infer.tokens_per_rank", 5000),
    # verl 0.9.1 workers: max_token_len_per_gpu * sp_size
    "veRL's actor": (
        "verl",
        {**VERL_GRPO, f"{ARR}.actor.ulysses_sequence_parallel_size": 2},
        f"{ARR}.actor.ppo_max_token_len_per_gpu",
        "batch.micro.tokens_per_rank",
        10000,
    ),
    "veRL's samples": (
        "verl_sft",
        {**SAMPLES, "engine.ulysses_sequence_parallel_size": 2},
        "data.max_token_len_per_gpu",
        "batch.micro.tokens_per_rank",
        10000,
    ),
    "Trinity's actor": (
        "trinity",
        {**TRINITY_GRPO, "trainer.ulysses_sequence_parallel_size": 2},
        "trainer.max_token_len_per_gpu",
        "batch.micro.tokens_per_rank",
        10000,
    ),
}


@pytest.mark.parametrize("name", CAPS)
def test_tokens_of_a_pass_where_two_gpus_share_a_sequence(name: str) -> None:
    framework, flat, key, path, tokens = CAPS[name]
    assert plan(framework, {**flat, key: 5000}, path) == [tokens]


def test_an_actor_that_trains_from_the_first_step_on() -> None:
    """trinity 0.5.2 trainer/verl_trainer.py: trainer.critic_warmup is 0 unless written, and so it is left out."""
    values = {**PERIOD, **CRITIC, "algorithm.critic.warmup_rollouts": 0}
    out = write("trinity", values, release="0.5.2").out["trainer.trainer_config.trainer.critic_warmup"]
    assert (out.value, out.default, out.always) == (0, 0, False)
