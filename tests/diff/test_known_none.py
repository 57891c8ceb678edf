"""None is a value where a framework's code does without: it differs from a number, and is not unknown."""

from __future__ import annotations

import pytest

from rftconf.diff.compare import Difference, compare
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.diff.runs import side_of_text

DUAL = "stage.algorithm.policy_loss.dual_clip_c"
WARMUP = "stage.optim.actor.warmup_updates"
VERL = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=64 data.train_files=/d/t.parquet"
    " data.val_files=/d/v.parquet actor_rollout_ref.model.path=/m/q actor_rollout_ref.actor.ppo_mini_batch_size=64"
    " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4"
    " actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 trainer.total_training_steps=10 "
)
ROLL = (
    "pretrain: /m/q\nrollout_batch_size: 64\nnum_return_sequences_in_group: 8\nadv_estimator: grpo\nmax_steps: 10\n"
    "prompt_length: 512\nresponse_length: 512\nMORE\nactor_train:\n"
    "  training_args: {per_device_train_batch_size: 4, gradient_accumulation_steps: 16}\n"
    "  strategy_args: {strategy_name: fsdp2_train}\n  device_mapping: list(range(0,8))\n  data_args: {file_name: [/d/a.jsonl]}\n"
    "WORKERactor_infer:\n  strategy_args: {strategy_name: vllm}\n  device_mapping: list(range(0,8))\n"
    "rewards:\n  math_rule: {worker_cls: a.b.C, tag_included: [x]}\n"
)
LOSS = "actor_rollout_ref.actor.policy_loss.loss_mode="


def roll(more: str = "", worker: str = "") -> str:
    return ROLL.replace("MORE\n", more).replace("WORKER", worker)


def differing(verl: str, second: str, path: str) -> Difference | None:
    (stage,) = compare(side_of_text(VERL + verl), side_of_text(second, "b.yaml")).stages
    return next((difference for difference in stage.differences if difference.path == path), None)


def clip_of(name: str, text: str) -> object:
    return load(read(Source(name, text))).stages[-1].values.get(DUAL)


def test_a_second_clip_and_none_are_a_difference() -> None:
    """ROLL 0.3.0 base_worker.py loss_func: clipped twice only with dual_clip_loss, which is false by default."""
    difference = differing("actor_rollout_ref.actor.clip_ratio_c=10", roll(), DUAL)
    assert difference is not None
    assert (difference.a.value, difference.b.value, difference.certain) == (10, None, True)


@pytest.mark.parametrize("loss", ["gspo", "cispo", "sapo", "geo_mean", "clip_cov", "kl_cov", "gpg"])
def test_losses_that_never_look_at_clip_ratio_c_have_no_second_clip(loss: str) -> None:
    """veRL 0.9.1 core_algos.py: compute_policy_loss_vanilla reads it, and dppo_tv and dppo_kl do; the others do not."""
    assert clip_of("a.sh", VERL + LOSS + loss) is None


@pytest.mark.parametrize("loss", ["vanilla", "dppo_tv", "dppo_kl"])
def test_losses_that_look_at_it_keep_it(loss: str) -> None:
    assert clip_of("a.sh", VERL + LOSS + loss + " actor_rollout_ref.actor.clip_ratio_c=4") == 4


def test_gspo_of_two_frameworks_is_not_apart_by_a_clip_that_neither_has() -> None:
    """veRL 0.9.1 compute_policy_loss_gspo; ROLL 0.3.0 base_worker.py with importance_sampling: seq."""
    assert differing(LOSS + "gspo", roll("importance_sampling: seq\n"), DUAL) is None


@pytest.mark.parametrize(("variant", "clip"), [("ppo", 1.4), ("tis", None), ("cispo", None), ("topr", None)])
def test_of_rolls_variants_only_ppo_is_clipped_twice(variant: str, clip: float | None) -> None:
    """ROLL 0.3.0 actor_pg_worker.py: dual_clip_loss stands in _compute_ppo_loss alone."""
    worker = f"  worker_cls: roll.pipeline.rlvr.actor_pg_worker.ActorPGWorker\n  pg_variant: {variant}\n"
    assert clip_of("b.yaml", roll("dual_clip_loss: true\n", worker=worker)) == clip


def test_a_warm_up_and_a_framework_without_one_are_a_difference() -> None:
    """ChatLearn 2025.10.23 fsdp_module.py: the rate is constant, and no key warms it up."""
    chatlearn = (
        "runtime_args: {train_backend: fsdp, exp_name: e, num_episode: 10, sample_per_episode: 512,"
        " train_micro_batch_size: 4, train_global_batch_size: 512, data_path: /d/t.json, num_inference_per_prompt: 8}\n"
        "models:\n  policy_trainer: {num_gpu: 8, optimizer: {lr: 1.0e-06}}\n  ref_policy: {num_gpu: 8}\n"
        "  policy: {num_gpu: 8, load: /m/q}\n  reward: {num_cpu: 2}\n"
    )
    difference = differing("actor_rollout_ref.actor.optim.lr_warmup_steps=160", chatlearn, WARMUP)
    assert difference is not None
    assert (difference.a.value, difference.b.value, difference.certain) == (160, 0, True)


def test_a_share_of_a_length_that_nobody_told_stays_unknown() -> None:
    second = VERL.replace("trainer.total_training_steps=10", "actor_rollout_ref.actor.optim.lr_warmup_steps_ratio=0.1")
    (stage,) = compare(
        side_of_text(VERL + "actor_rollout_ref.actor.optim.lr_warmup_steps=160"), side_of_text(second)
    ).stages
    (difference,) = [difference for difference in stage.differences if difference.path == WARMUP]
    assert not difference.certain


CORRECTION = "stage.algorithm.rollout_correction"
TOKENS = "algorithm.rollout_correction.rollout_is=token algorithm.rollout_correction.rollout_is_threshold=2.0"


def test_a_correction_and_none_are_a_difference() -> None:
    """ROLL 0.3.0 base_config.py: train_infer_correction has no filter and no weight that is on, unless they are written."""
    difference = differing(TOKENS, roll(), CORRECTION)
    assert difference is not None
    assert (difference.b.value, difference.certain) == (None, True)
    assert differing("", roll(), CORRECTION) is None


def test_a_correction_by_rules_of_rolls_own_stays_unknown() -> None:
    """roll/utils/train_infer_corrections.py weighs and filters by bounds that no field of the plan holds."""
    own = roll("train_infer_correction: {is_weight: {enabled: true, upper_bound: 2.0}}\n")
    difference = differing(TOKENS, own, CORRECTION)
    assert difference is not None
    assert not difference.certain
