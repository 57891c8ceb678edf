"""Runs of OpenRLHF are priced as vLLM's and DeepSpeed's own sleep has them."""

from __future__ import annotations

import pytest

from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes

PARAMETERS = 7_615_616_512
RUN = """python3 -m openrlhf.cli.train_ppo_ray \\
  --actor.model_name_or_path Qwen/Qwen2.5-7B --critic.model_name_or_path Qwen/Qwen2.5-7B \\
  --actor.num_nodes 1 --actor.num_gpus_per_node 8 --critic.num_nodes 1 --critic.num_gpus_per_node 8 \\
  --vllm.num_engines 8 --vllm.tensor_parallel_size 1 --vllm.gpu_memory_utilization 0.4 --train.colocate_all \\
  --ds.zero_stage 3 --ds.packing_samples --train.dynamic_batch_enable --train.max_tokens_per_gpu 3072 \\
  --data.max_len 3072 --rollout.max_new_tokens 2048 --algo.advantage.estimator gae --algo.kl.init_coef 0"""


def budget_of(*switches: str) -> Budget:
    text = " ".join((RUN, *switches))
    plan = load(read(from_bytes("run.sh", text.encode())), framework="openrlhf", release="0.11.2").plan
    return price(setup_of(plan, BudgetRequest()), gpu_named("H100"))


def bytes_in(priced: Budget, phase: str, owner: str, *parts: str) -> int:
    """The bytes of an owner's terms of these parts in a phase."""
    return sum(
        entry.size
        for pool in priced.pools
        for phase_ in pool.phases
        if phase_.name == phase
        for entry in phase_.terms
        if entry.owner == owner and entry.part in parts
    )


def test_engines_sleep_where_their_own_switch_says_so() -> None:
    """`ds.enable_sleep` ends in the same word, and is the trainer's."""
    assert bytes_in(budget_of("--vllm.enable_sleep"), "actor update", "rollout", "kv_cache") == 0
    assert bytes_in(budget_of("--ds.enable_sleep"), "actor update", "rollout", "kv_cache") > 10 << 30


@pytest.mark.parametrize("role", ["actor", "critic"])
def test_a_sleeping_trainer_is_back_for_its_own_turn(role: str) -> None:
    """deepspeed_utils.py: offload_deepspeed_states moves optimizer and gradients, and leaves the weights."""
    other = {"actor": "critic", "critic": "actor"}[role]
    priced = budget_of("--vllm.enable_sleep", "--ds.enable_sleep")
    assert bytes_in(priced, f"{role} update", role, "optimizer") > 12 * PARAMETERS * 0.9 / 8
    assert bytes_in(priced, f"{role} update", other, "optimizer", "gradients") == 0
    assert bytes_in(priced, "rollout", role, "optimizer", "gradients") == 0
    assert bytes_in(priced, "rollout", role, "weights") > 2 * PARAMETERS * 0.9 / 8


def test_adam_on_the_cpu_never_comes_back() -> None:
    priced = budget_of("--vllm.enable_sleep", "--ds.adam_offload")
    assert bytes_in(priced, "actor update", "actor", "optimizer") == 0
    assert bytes_in(priced, "actor update", "actor", "weights") == round(2 * PARAMETERS / 8)


def test_a_ring_divides_no_heads() -> None:
    """28 heads and a ring of 8: its GPUs pass keys and values around (ring_attn_utils.py); ranks still divide by it."""
    assert budget_of("--ds.ring_attn_size 8").problems == ()
    (problem, _) = budget_of("--ds.ring_attn_size 3").problems
    assert problem.message == "actor: 8 GPUs cannot be divided by a sequence parallel size of 3"
