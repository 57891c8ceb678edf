"""Models beside the policy: who is awake with whom, who answers by a forward, and runs that are only a trainer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.phases import Phase
from rftconf.budget.price import price
from rftconf.budget.roles.layout_rules import problems
from rftconf.budget.roles.roles import Setup
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes
from tests.budget.runs import APART, COLOCATED, colocated, setup
from tests.budget.test_pools import JUDGE, NARROW, THEIRS, WIDE, document

H100 = gpu_named("h100-80g")
EIGHT = {NARROW: "list(range(0,8))", WIDE: "list(range(0,8))", THEIRS: "list(range(0,8))"}


def roll(**changes: Any) -> Setup:
    return setup_of(load(document(**EIGHT, **changes), framework="roll", release="0.3.0").plan, BudgetRequest())


def verl(release: str, **keys: str) -> Setup:
    lines = " ".join(f"{key}={value}" for key, value in {**COLOCATED, **keys}.items())
    text = read(from_bytes("run.sh", f"python3 -m verl.trainer.main_ppo {lines}\n".encode()))
    return setup_of(load(text, framework="verl", release=release).plan, BudgetRequest())


def trinity(mode: str, *, nodes: int = 1, engines: int = 1, more: str = "") -> Setup:
    text = APART.replace("mode: both", f"mode: {mode}").replace("NODES", str(nodes)).replace("ENGINES", str(engines))
    return setup_of(load(read(from_bytes("run.yaml", (text + more).encode()))).plan, BudgetRequest())


def phases(run: Setup) -> dict[str, Phase]:
    (pool,) = price(run, H100).pools
    return {phase.name: phase for phase in pool.phases}


def caches(phase: Phase) -> set[str]:
    return {t.owner for t in phase.terms if t.part == "kv_cache" and t.size}


def test_rolls_judge_is_awake_while_the_policy_generates() -> None:
    """rlvr_pipeline.run loads the reward clusters before it generates: answers are judged while others are written."""
    new_phases = phases(roll())
    assert caches(new_phases["rollout"]) == {"rollout", "math_rule"}
    assert "math_rule answers" not in new_phases


def test_verls_reward_model_answers_after_the_rollout() -> None:
    keys = {"reward.reward_model.enable": "True", "reward.reward_model.model_path": "Qwen/Qwen2.5-7B-Instruct"}
    new_phases = phases(verl("0.9.1", **keys))
    assert caches(new_phases["rollout"]) == {"rollout"}
    assert caches(new_phases["reward answers"]) == {"reward"}


def test_a_served_model_has_an_engine_of_its_own_kind() -> None:
    keys = {"reward.reward_model.enable": "True", "reward.reward_model.model_path": "Qwen/Qwen2.5-7B-Instruct"}
    more = {"reward.reward_model.rollout.name": "sglang", "reward.reward_model.rollout.max_num_seqs": "17"}
    run = verl("0.9.1", **keys, **more)
    (reward,) = (role.engine for role in run.engines if role.name == "reward")
    (rollout,) = (role.engine for role in run.engines if role.name == "rollout")
    assert (reward.name, reward.max_num_seqs, reward.eager) == ("sglang", 17, True)
    assert (rollout.name, rollout.eager) == ("vllm", False)


def test_a_judge_of_transformers_has_no_engine() -> None:
    run = roll(**{JUDGE + "strategy_args.strategy_name": "hf_infer", JUDGE + "strategy_args.strategy_config": None})
    (judge,) = (role for role in run.engines if role.name != "rollout")
    assert judge.scorer is not None
    assert [serving.role for serving in price(run, H100).serving] == ["rollout"]
    own = [t for t in phases(run)["rollout"].terms if t.owner == "math_rule"]
    whole = 2 * judge.engine.architecture.parameters
    assert sum(t.size for t in own if t.part == "weights") == whole  # on every GPU
    assert sum(t.size for t in own if t.part == "kv_cache") < 2 << 30


def test_verls_reward_worker_streams_its_weights() -> None:
    """Before 0.7 it is an FSDP worker that always has CPUOffload, and no engine."""
    keys = {"reward_model.enable": "True", "reward_model.model.path": "Qwen/Qwen2.5-7B-Instruct"}
    phase = phases(verl("0.5.0", **keys))["reward answers"]
    own = [t for t in phase.terms if t.owner == "reward"]
    assert {t.part for t in own if t.size} >= {"unsharded", "activations"}
    assert not any(t.size for t in own if t.part in ("weights", "kv_cache"))


def test_every_role_of_roll_leaves_its_gpus() -> None:
    run = roll()
    assert all(role.parked_weights for role in run.trainers)
    generating = phases(run)["rollout"]
    assert not any(t.size for t in generating.terms if t.part == "weights" and t.owner in ("actor", "reference"))


def test_every_role_of_roll_is_a_process() -> None:
    def contexts(run: Setup) -> int:
        return sum("CUDA context" in t.name for t in phases(run)["actor update"].terms)

    assert contexts(roll()) == len(roll().trainers)
    assert contexts(verl("0.9.1", **{"actor_rollout_ref.actor.use_kl_loss": "True"})) == 1


TEACHER = """
student_pretrain: Qwen/Qwen2.5-7B-Instruct
teacher_pretrain: Qwen/Qwen2.5-14B-Instruct
sequence_length: 2048
num_gpus_per_node: 8
question_key: q
answer_key: a
student:
  training_args: {per_device_train_batch_size: 8, gradient_accumulation_steps: 4, num_train_epochs: 1, learning_rate: 1.0e-5}
  data_args: {file_name: [d.json]}
  strategy_args: {strategy_name: megatron_train, strategy_config: {tensor_model_parallel_size: 2, pipeline_model_parallel_size: 2}}
  device_mapping: list(range(0,8))
teacher:
  training_args: {per_device_train_batch_size: 8}
  strategy_args: {strategy_name: megatron_infer, strategy_config: {tensor_model_parallel_size: 2, pipeline_model_parallel_size: 2}}
  device_mapping: list(range(0,8))
"""


def test_a_teacher_is_priced() -> None:
    plan = load(read(from_bytes("distill_megatron.yaml", TEACHER.encode())), framework="roll", release="0.3.0").plan
    run = setup_of(plan, BudgetRequest())
    new_phases = phases(run)
    assert list(new_phases) == ["load", "teacher answers", "actor update", "save"]
    (teacher,) = run.engines
    count = sum(t.size for t in new_phases["actor update"].terms if t.owner == "teacher" and t.part == "weights")
    assert count == pytest.approx(2 * teacher.engine.architecture.parameters / 4, rel=0.05)


def test_a_trinity_trainer_alone_has_no_engines() -> None:
    run = trinity("train")
    assert run.engines == ()
    assert problems(run) == ()
    assert run.trainers[0].job.gpus == run.total


@pytest.mark.parametrize(
    ("gpus", "says"), [(8, "share 8 GPUs, which is possible on exactly 1"), (1, "engines of 2 on the one GPU")]
)
def test_trinity_colocates_on_one_gpu_only(gpus: int, says: str) -> None:
    run = replace(trinity("colocate"), gpus_per_node=gpus)
    assert any(says in p.message for p in problems(run))
    assert not any("share" in p.message for p in problems(replace(run, engines=())))


def test_trinity_engines_larger_than_a_node_are_whole_nodes() -> None:
    run = trinity("both", nodes=4).with_rollout(tp=4, pp=3)
    (problem,) = (p for p in problems(run) if "whole nodes" in p.message and p.message.startswith("rollout"))
    assert problem.nearest == ("engines of 8 GPUs", "engines of 16 GPUs")


def test_micro_batches_that_few_updates_fill_are_open_downwards() -> None:
    def low(limit: int) -> float:
        tokens = f"actor_rollout_ref.actor.ppo_max_token_len_per_gpu={limit}"
        run = setup(colocated(tokens, "actor_rollout_ref.actor.ppo_mini_batch_size=8"))
        phase = next(p for p in price(run, H100).pools[0].phases if p.name == "actor update")
        return phase.low / phase.size

    assert low(24576) < low(8192)
