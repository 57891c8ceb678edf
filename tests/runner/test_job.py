"""What of a plan the runner executes, what it refuses by field, and that nothing symbolic reaches it."""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase

import pytest
from rftconf_runner.data import template_switch
from rftconf_runner.ignorable_fields import ANY, VALIDATION, WITHOUT, moved, patterns_off
from rftconf_runner.job import KlPenalty, Lora, Offload
from rftconf_runner.job_reader import job_of, paths_read
from rftconf_runner.refusals import refusals

from rftconf.load.load import load
from rftconf.plan.field_roles import BOOKKEEPING, PERFORMANCE
from rftconf.plan.index import fields
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.sources import ROOT, imports

RUNNER = ROOT / "runners" / "rftconf_runner"
KEYS = {
    "algorithm.adv_estimator": "grpo",
    "data.train_files": "/d/train.parquet",
    "data.train_batch_size": "8",
    "data.max_prompt_length": "16",
    "data.max_response_length": "16",
    "actor_rollout_ref.model.path": "/m",
    "actor_rollout_ref.actor.optim.lr": "2e-3",
    "actor_rollout_ref.actor.ppo_mini_batch_size": "4",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": "64",
    "actor_rollout_ref.actor.fsdp_config.dtype": "float32",
    "actor_rollout_ref.ref.fsdp_config.dtype": "float32",
    "actor_rollout_ref.rollout.name": "vllm",
    "actor_rollout_ref.rollout.dtype": "float32",
    "actor_rollout_ref.rollout.n": "16",
    "actor_rollout_ref.rollout.tensor_model_parallel_size": "1",
    "reward.custom_reward_function.path": "/d/reward.py",
    "reward.custom_reward_function.name": "compute_score",
    "trainer.n_gpus_per_node": "1",
    "trainer.nnodes": "1",
    "trainer.total_training_steps": "20",
}


def plan(*, release: str = "0.9.1", **changes: str) -> Plan:
    """The plan of KEYS with changes; `__` stands for a dot."""
    keys = {**KEYS, **{name.replace("__", "."): value for name, value in changes.items()}}
    words = " ".join(f"{key}={value}" for key, value in keys.items())
    return load(read(Source("run.sh", f"python3 -m verl.trainer.main_ppo {words}\n")), release=release).plan


def test_numbers_of_a_job() -> None:
    assert refusals(plan()) == []
    job = job_of(plan())
    assert (job.sequences, job.update, job.updates_per_period, job.rollouts) == (128, 64, 2, 20)
    assert (job.family, job.dual, job.aggregation, job.scope, job.ddof) == ("ppo", 3.0, "token-mean", "group", 1)
    assert (job.optimizer.lr, job.optimizer.betas, job.optimizer.schedule) == (2e-3, (0.9, 0.999), "constant")
    assert (job.dtype, job.critic, job.kl_loss) == ("float32", None, None)
    assert (job.ranks, job.engines, job.tp, job.colocated, job.interrupts) == (1, 1, 1, True, False)
    shared = job_of(plan(actor_rollout_ref__rollout__gpu_memory_utilization="0.4"))
    assert shared.memory_fraction == 0.4


def test_what_a_gpu_does_as_the_config_says() -> None:
    """veRL's engines capture CUDA graphs unless enforce_eager says otherwise, and repeat nothing bit for bit unless asked."""
    assert (job_of(plan()).captures, job_of(plan()).repeats) == (True, False)
    other = plan(
        actor_rollout_ref__rollout__enforce_eager="True", actor_rollout_ref__actor__fsdp_config__full_determinism="True"
    )
    assert refusals(other) == []
    assert (job_of(other).captures, job_of(other).repeats) == (False, True)


@pytest.mark.parametrize(
    ("switch", "argument"), [(None, {}), ("False", {"enable_thinking": False}), ("True", {"enable_thinking": True})]
)
def test_the_chat_template_is_told_what_the_config_says(switch: str | None, argument: dict[str, bool]) -> None:
    """veRL 0.9.1 rl_dataset: apply_chat_template(messages, **apply_chat_template_kwargs)."""
    changes = {} if switch is None else {"+data__apply_chat_template_kwargs__enable_thinking": switch}
    assert refusals(plan(**changes)) == []
    assert template_switch(job_of(plan(**changes))) == argument


def test_how_many_checkpoints_stay() -> None:
    """All, unless the plan says how many."""
    assert (job_of(plan()).keep, job_of(plan(trainer__max_actor_ckpt_to_keep="2")).keep) == (0, 2)


MIXED = {"actor_rollout_ref__actor__fsdp_config__dtype": "bfloat16", "actor_rollout_ref__rollout__dtype": "bfloat16"}


def test_weights_may_be_kept_in_more_bits_than_they_are_computed_in() -> None:
    """veRL's own defaults: 32 and 16."""
    assert refusals(plan(**MIXED)) == []
    assert (job_of(plan(**MIXED)).dtype, job_of(plan(**MIXED)).stored) == ("bfloat16", "float32")
    assert (job_of(plan()).dtype, job_of(plan()).stored) == ("float32", "float32")
    less = plan(actor_rollout_ref__actor__fsdp_config__model_dtype="bfloat16")
    assert [refused.path for refused in refusals(less)] == ["stage.placement.actor.model_dtype"]


@pytest.mark.parametrize(
    ("key", "value", "path"),
    [
        ("algorithm__adv_estimator", "gdpo", "stage.algorithm.advantage"),
        ("algorithm__adv_estimator", "gae", "stage.placement.critic.compute_dtype"),
        ("actor_rollout_ref__rollout__name", "sglang", "stage.placement.rollout.engine"),
        ("actor_rollout_ref__actor__optim__lr_scheduler_type", "wsd", "stage.optim.actor.schedule"),
        ("actor_rollout_ref__actor__policy_loss__loss_mode", "clip_cov", "stage.algorithm.policy_loss.family"),
        ("actor_rollout_ref__rollout__dtype", "bfloat16", "stage.placement.rollout.dtype"),
        ("actor_rollout_ref__rollout__ignore_eos", "True", "stage.sampling.train.ignore_eos"),
        ("reward__reward_manager__name", "prime", "stage.reward.manager"),
        ("algorithm__rollout_correction__rollout_rs", "token_k1", "stage.algorithm.rollout_correction"),
        ("algorithm__rollout_correction__rollout_is", "group", "stage.algorithm.rollout_correction"),
    ],
)
def test_what_is_not_executed_is_refused_by_field(key: str, value: str, path: str) -> None:
    assert path in [refusal.path for refusal in refusals(plan(**{key: value}))]


def test_a_correction_with_two_bounds_is_refused() -> None:
    correction = "algorithm__rollout_correction__rollout_is"
    refused = refusals(plan(**{correction: "token", f"{correction}_threshold": "2.0_1.0"}))
    assert "stage.algorithm.rollout_correction" in [refusal.path for refusal in refused]


EVERYTHING = {
    "algorithm__adv_estimator": "gae",
    "algorithm__use_kl_in_reward": "True",
    "algorithm__kl_ctrl__type": "adaptive",
    "actor_rollout_ref__actor__use_kl_loss": "True",
    "critic__model__path": "/m",
    "critic__fsdp__dtype": "float32",
    "critic__fsdp__use_dynamic_bsz": "False",
    "critic__fsdp__micro_batch_size_per_gpu": "64",
    "critic__fsdp__infer_micro_batch_size_per_gpu": "64",
}
"""A critic and both KL terms."""


def test_numbers_of_a_critic_and_of_penalties() -> None:
    whole = plan(**EVERYTHING)
    assert refusals(whole) == []
    job = job_of(whole)
    assert job.critic is not None
    assert (job.critic.update, job.critic.passes, job.critic.clip, job.critic.model) == (64, 1, 0.5, "/m")
    assert (job.critic.optimizer.lr, job.critic.micro.sequences, job.advantage) == (1e-5, 64, "gae")
    assert (job.kl_reward, job.kl_loss) == (KlPenalty("k1", 0.001, 0.1, 10000), KlPenalty("k3_clamped", 0.001))


ADAPTED = {"actor_rollout_ref__model__lora_rank": "8", "actor_rollout_ref__model__target_modules": "[q_proj,v_proj]"}


def test_numbers_of_an_adapter() -> None:
    """Its scale is alpha over the rank, and veRL's alpha is 16 (H54)."""
    assert job_of(plan()).lora is None
    assert refusals(plan(**ADAPTED)) == []
    assert job_of(plan(**ADAPTED)).lora == Lora(8, 16, ("q_proj", "v_proj"), "", "", 42)


def test_what_waits_on_the_host() -> None:
    """Between phases by name, or always by FSDP2's own policy, which leaves nothing to move."""
    assert moved(plan().stages[0]) == []
    assert (job_of(plan()).offload, job_of(plan()).rests) == (Offload(), False)
    new_plan = plan(
        actor_rollout_ref__actor__fsdp_config__optimizer_offload="True",
        actor_rollout_ref__ref__fsdp_config__param_offload="True",
        actor_rollout_ref__actor__use_kl_loss="True",
    )
    assert refusals(new_plan) == []
    assert moved(new_plan.stages[0]) == ["placement.actor.offload.optimizer", "placement.reference.offload.param"]
    job = job_of(new_plan)
    assert (job.offload, job.reference_offload, job.rests) == (Offload(optimizer=True), Offload(param=True), True)
    policy = plan(
        actor_rollout_ref__actor__fsdp_config__offload_policy="True",
        actor_rollout_ref__actor__fsdp_config__param_offload="True",
        actor_rollout_ref__ref__fsdp_config__offload_policy="True",
        actor_rollout_ref__actor__use_kl_loss="True",
    )
    job = job_of(policy)
    assert (job.offload, job.reference_offload) == (Offload(policy=True, param=True), Offload(policy=True))
    assert (moved(policy.stages[0]), job.rests) == ([], False)
    critic = job_of(plan(**EVERYTHING, critic__fsdp__param_offload="True"))
    assert critic.critic is not None
    assert (critic.critic.offload, critic.rests) == (Offload(param=True), True)


def test_layers_that_stay_gathered() -> None:
    """From the forward pass to the backward one: memory for less to send, and no other number."""
    new_plan = plan(actor_rollout_ref__actor__fsdp_config__reshard_after_forward="False")
    assert refusals(new_plan) == []
    assert (job_of(new_plan).offload.reshards, job_of(plan()).offload.reshards) == (False, True)


def test_engines_sleep_where_trainers_need_their_memory() -> None:
    assert job_of(plan()).sleeps
    assert not job_of(plan(actor_rollout_ref__rollout__free_cache_engine="False")).sleeps
    new_plan, ahead = plan(), plan()
    new_plan.stages[0].placement.layout = "disaggregated"
    ahead.stages[0].sync.run_ahead_rollouts = 0.5
    assert not job_of(new_plan).sleeps
    assert not job_of(ahead).sleeps


@pytest.mark.parametrize("changes", [{}, EVERYTHING, ADAPTED])
def test_every_field_that_counts_is_read_harmless_or_refused(changes: dict[str, str]) -> None:
    """No value of the mathematics is left out in silence: a strange one in any unread field is refused."""
    stage = plan(**changes).stages[0]
    left_out = (*VALIDATION, *patterns_off(stage))
    read = paths_read(stage)
    for path, field in fields().items():
        name = path.removeprefix("stage.")
        if name == path or field.role in (PERFORMANCE, BOOKKEEPING) or "[]" in name or name in read:
            continue
        if WITHOUT.get(name, None) == ANY or any(k.endswith("*") and name.startswith(k[:-1]) for k in WITHOUT):
            continue
        if any(fnmatchcase(name, pattern) for pattern in left_out):
            continue
        strange = stage.model_copy(deep=True)
        *parents, last = name.split(".")
        node = strange
        for part in parents:
            node = getattr(node, part)
        object.__setattr__(node, last, "strange")
        odd = Plan.model_construct(stages=[strange])
        assert f"stage.{name}" in [refusal.path for refusal in refusals(odd)], name


def test_a_symbol_is_named_not_guessed() -> None:
    with pytest.raises(ValueError, match=r"stage\.batch\.responses_per_prompt = N"):
        job_of(plan(actor_rollout_ref__rollout__n="${N}"))


def test_counts_that_do_not_divide() -> None:
    with pytest.raises(ValueError, match="updates of 48"):
        job_of(plan(actor_rollout_ref__actor__ppo_mini_batch_size="3"))


def test_engines_of_several_gpus() -> None:
    four = {"trainer__n_gpus_per_node": "4", "actor_rollout_ref__rollout__tensor_model_parallel_size": "2"}
    assert refusals(plan(**four)) == []
    assert (job_of(plan(**four)).engines, job_of(plan(**four)).tp) == (2, 2)
    with pytest.raises(ValueError, match=r"engines of 3 GPUs \(stage\.placement\.rollout\.tp\) on 4"):
        job_of(plan(**{**four, "actor_rollout_ref__rollout__tensor_model_parallel_size": "3"}))
    eight = plan(**{**four, "actor_rollout_ref__rollout__tensor_model_parallel_size": "8"}, trainer__nnodes="2")
    with pytest.raises(ValueError, match="engines of 8 GPUs on nodes of 4: the runner keeps an engine within a node"):
        job_of(eight)


def test_the_runner_reads_the_plan_and_nothing_else_of_rftconf() -> None:
    names = {name for path in RUNNER.glob("*.py") for name, _ in imports(path) if name.startswith("rftconf.")}
    assert {name for name in names if not name.startswith(("rftconf.plan.", "rftconf.base.symbols"))} == set()
    assert names


def test_the_driver_is_one_page() -> None:
    """Algorithm, saving and what surrounds them; one function is the period."""
    text = (RUNNER / "driver.py").read_text()
    assert len(text.splitlines()) <= 100
    (run,) = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    assert [node.name for node in run.body if isinstance(node, ast.FunctionDef)] == ["__init__", "until", "period"]


def test_ranks_that_share_sequences() -> None:
    """An update is cut into as many shares as there are groups of them."""
    sizes = {"trainer__n_gpus_per_node": "4", "actor_rollout_ref__actor__ulysses_sequence_parallel_size": "2"}
    assert (refusals(plan(**sizes)), job_of(plan(**sizes)).ranks, job_of(plan(**sizes)).sp) == ([], 4, 2)
    odd = plan(**sizes)
    odd.stages[0].placement.actor.sp = 3
    with pytest.raises(ValueError, match="on 4 ranks, 3 to a sequence: the runner needs whole ones"):
        job_of(odd)


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ({}, ""),
        ({"actor_rollout_ref__actor__entropy_coeff": "0.01"}, "extensions.verl.actor_rollout_ref.actor.loss_agg_mode"),
        ({"release": "0.9.1"}, ""),
        ({"release": "0.9.1", "actor_rollout_ref__actor__entropy_coeff": "0.01"}, "stage.algorithm.loss_norm_scope"),
    ],
)
def test_a_loss_that_is_a_mean_over_sequences(words: dict[str, str], path: str) -> None:
    """veRL core_algos.compute_policy_loss_geo_mean ends in a mean over its rows, whatever loss_agg_mode says."""
    mode = {"actor_rollout_ref__actor__policy_loss__loss_mode": "geo_mean", "release": "0.7.1"}
    new_plan = plan(**{**mode, **words})
    assert path in {refusal.path for refusal in refusals(new_plan)} | {""}
    assert "stage.algorithm.policy_loss.family" not in {refusal.path for refusal in refusals(new_plan)}
    assert job_of(new_plan).aggregation == "seq-mean-token-mean"


def test_a_second_clip_of_another_loss_is_refused() -> None:
    """ROLL's base worker clips its ratio of sequences twice too (actor_worker.py: loss_func)."""
    new_plan = plan()
    new_plan.stages[0].algorithm.policy_loss.family = "gspo"
    assert new_plan.stages[0].algorithm.policy_loss.dual_clip_c == 3.0
    assert "stage.algorithm.policy_loss.dual_clip_c" in {refusal.path for refusal in refusals(new_plan)}
