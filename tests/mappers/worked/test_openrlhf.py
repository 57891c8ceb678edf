"""OpenRLHF 0.11.2 worked out: 30 prompts x 7 answers are 210, updates of 70, each seen twice: 6 updates, worth 35 each."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Var, arith
from rftconf.plan.units import Unit
from tests.laws.flip_bases_openrlhf import CRITIC, GROUPS
from tests.mappers.worked.runs import PERIOD, Flat, assert_idle, keys, outcome, plan, read, worths, write

RUN: Flat = {
    **GROUPS,
    "rollout.batch_size": 30,
    "rollout.n_samples_per_prompt": 7,
    "train.batch_size": 70,
    "train.max_epochs": 2,
    "actor.num_gpus_per_node": 6,
    "ref.num_gpus_per_node": 6,
    "vllm.num_engines": 6,
    "data.max_samples": None,
}
ALONE: Flat = {**RUN, "algo.kl.use_loss": False, "algo.kl.init_coef": 0.0}
OPTIM = "optim.actor."


def test_units() -> None:
    """6 GPUs, 3 to a sequence (ring attention), are 2 ranks (deepspeed.py: setup_ring_attn); the scheduler ticks in each update."""
    assert worths(read("openrlhf", {**RUN, "ds.ring_attn_size": 3})) == {
        Unit.SEQUENCES: 1,
        Unit.TOKENS_PER_RANK: 1,
        Unit.PROMPTS: 7,
        Unit.ROLLOUTS: 210,
        Unit.UPDATES: 35,
        Unit.LR_TICKS: 35,
        Unit.SEQUENCES_PER_RANK: 2,
        Unit.TOKENS_PER_GPU: 3,
    }


def test_keys_of_roles_that_a_run_has_not() -> None:
    """train_ppo_ray drops critic.model_name_or_path unless the estimator is gae; a reference is for a penalty alone;
    gamma is 1 for advantages of groups (experience_maker: compute_advantages_and_returns)."""
    done = read("openrlhf", {**ALONE, "critic.model_name_or_path": "org/critic"})
    assert_idle(done, ("critic.*", "ref.offload", "algo.advantage.lambd", "algo.advantage.gamma"))
    assert done.inactive.keys() >= {"critic.num_nodes", "ref.num_gpus_per_node"}
    flat = {**ALONE, "critic.lr_scheduler": "cosine", "critic.lr_warmup_ratio": 0.1}
    assert plan("openrlhf", flat, "optim.critic.schedule", "optim.critic.warmup_updates", rows=100) == [None, None]


def test_keys_of_a_critic() -> None:
    flat = {**CRITIC, "critic.value_clip": 0.3, "critic.max_norm": 0.7, "critic.adam.weight_decay": 0.02}
    names = ("algorithm.critic.value_clip", "optim.critic.grad_clip", "optim.critic.weight_decay", "model.critic_path")
    assert plan("openrlhf", flat, *names) == [0.3, 0.7, 0.02, "org/critic"]


COUNTERS = {
    # ppo_trainer: save_logs_and_checkpoints, evaluate: one step a rollout
    "ckpt.save_steps": (4, "cadence.save_rollouts", 4),
    "eval.steps": (3, "cadence.eval_rollouts", 3),
    # ppo_trainer: ppo_train, the actor trains while step > freezing_steps, steps count from 0
    "critic.freezing_steps": (5, "algorithm.critic.warmup_rollouts", 6),
    "train.batch_size": (66, "batch.sequences_per_update", 66),
}


@pytest.mark.parametrize("key", COUNTERS)
def test_counters(key: str) -> None:
    value, path, count = COUNTERS[key]
    assert plan("openrlhf", {**CRITIC, "eval.dataset": "org/test", key: value}, path) == [count]


@pytest.mark.parametrize(("word", "kind"), [("adam", "adamw"), ("muon", "muon")])
def test_optimizers(word: str, kind: str) -> None:
    """deepspeed.py: _ds_init_train_model, FusedAdam(adam_w_mode=True)."""
    flat = {**CRITIC, "actor.optim": word, "critic.optim": word}
    assert plan("openrlhf", flat, OPTIM + "kind", "optim.critic.kind") == [kind, kind]


def test_tokens_of_a_gpu() -> None:
    """A rank of 3 GPUs takes three times the tokens of a GPU (replay_buffer.py: setup_dynamic_batch), and the other way round."""
    flat = {**RUN, "ds.ring_attn_size": 3, "train.dynamic_batch_enable": True, "train.max_tokens_per_gpu": 5000}
    assert plan("openrlhf", flat, "batch.micro.tokens_per_rank") == [15000]
    values = {**PERIOD, "placement.actor.gpus": 6, "placement.actor.sp": 3, "batch.micro.dynamic": True}
    assert keys("openrlhf", {**values, "batch.micro.tokens_per_rank": 15000}, "train.max_tokens_per_gpu") == [5000]


def test_episodes_of_rows() -> None:
    """ceil(100 rows / 30) = 4 rollouts an episode, of which there are 3 (prompts_dataloader has a last batch of 10)."""
    assert plan("openrlhf", RUN, "run_length.rollouts", "run_length.epochs", rows=100) == [12, 3]


@pytest.mark.parametrize(("rollouts", "episodes", "state"), [(8, 2, State.DERIVED), (9, 3, State.NARROWED)])
def test_episodes_for_rollouts(rollouts: int, episodes: int, state: State) -> None:
    """100 rows are 4 rollouts of 30 prompts: 8 are two episodes, and 9 end within the third, which makes 12."""
    done = write("openrlhf", {**PERIOD, "run_length.rollouts": rollouts}, rows=100)
    length = done.out["train.num_episodes"]
    assert (length.value, done.outcomes["stage.run_length.rollouts"].state) == (episodes, state)
    assert length.note == ("" if rollouts == 8 else "3 episodes over 100 rows are 12 periods, where the source has 9")


SCHEDULED: Flat = {**RUN, "actor.lr_scheduler": "cosine_with_min_lr", "actor.lr_warmup_ratio": 0.26}


@pytest.mark.parametrize(("rows", "decays", "warms"), [(100, 60, 16), (90, None, 15)])
def test_a_rate_falls_over_the_updates_of_all_rows(rows: int, decays: int | None, warms: int) -> None:
    """ppo_trainer: prepare_datasets, max_steps = rows x 7 // 70 x 3 episodes x 2 passes: 60 of 100 rows, where 12 rollouts
    of whole batches make 72; 54 of 90 rows, as 9 rollouts do. A warm-up is ceil(0.26 x these) (deepspeed.py)."""
    assert plan("openrlhf", SCHEDULED, OPTIM + "decay_updates", OPTIM + "warmup_updates", rows=rows) == [decays, warms]


WRITTEN: Flat = {**PERIOD, "batch.passes": 2, "run_length.epochs": 3, OPTIM + "schedule": "cosine", OPTIM + "lr": 1e-5}


def test_a_lowest_rate_is_a_share() -> None:
    """2e-6 is a fifth of 1e-5 (deepspeed.py: min_lr_rate)."""
    done = write("openrlhf", {**WRITTEN, OPTIM + "min_lr": 2e-6, OPTIM + "min_lr_ratio": 0.2})
    assert done.out["actor.min_lr_ratio"].value == 0.2
    assert done.outcomes["stage.optim.actor.min_lr_ratio"].state is State.DERIVED


def test_a_warm_up_is_a_share() -> None:
    """15 of 100 rows x 7 // 70 x 3 x 2 = 60 updates; of a run whose rows nobody tells, a quarter rounded up."""
    assert keys("openrlhf", {**WRITTEN, OPTIM + "warmup_updates": 15}, "actor.lr_warmup_ratio", rows=100) == [0.25]
    whole = arith("*", arith("*", arith("//", arith("*", Var("ROWS"), 7), 70), 3), 2)
    quarter = arith("//", arith("+", whole, 3), 4)
    assert keys("openrlhf", {**WRITTEN, OPTIM + "warmup_updates": quarter}, "actor.lr_warmup_ratio") == [0.25]


def test_groups_that_share_nothing() -> None:
    """train_ppo_ray: 6 GPUs train and 2 engines of 2 generate: 10 GPUs on ceil(10 / 6) = 2 nodes, 5 of each."""
    flat = {**ALONE, "train.colocate_all": False, "vllm.num_engines": 2, "vllm.tensor_parallel_size": 2}
    assert plan("openrlhf", flat, "placement.rollout.gpus") == [4]
    values = read("openrlhf", flat).values
    assert (values["cluster.nodes"], values["cluster.gpus_per_node"]) == (2, 5)


def test_gpus_that_share_nodes_evenly() -> None:
    """12 GPUs are 6 on each of 2 nodes of 8."""
    values = {"placement.actor.gpus": 12, "cluster.nodes": 2, "cluster.gpus_per_node": 8}
    assert keys("openrlhf", values, "actor.num_nodes", "actor.num_gpus_per_node") == [2, 6]


@pytest.mark.parametrize(("layout", "nodes"), [("disaggregated", 3), ("colocated", 1)])
def test_nodes_of_all_groups(layout: str, nodes: int) -> None:
    """8 GPUs train, 8 generate and 8 have the critic: three nodes, or one where all share."""
    values = {
        **{f"placement.{role}.gpus": 8 for role in ("actor", "critic", "rollout")},
        "placement.layout": layout,
        "placement.rollout.tp": 1,
        "cluster.gpus_per_node": 8,
        "algorithm.advantage": "gae",
        "algorithm.critic.enabled": True,
    }
    assert outcome("openrlhf", "cluster.nodes", nodes, values) is State.DERIVED


def test_answers_outside_of_a_band() -> None:
    """experience_maker: seq weights are old / engine, whose band 0.25 to 2 is 1/2 to 1/0.25 of engine / old."""
    weights = {
        "rollout_is": "token",
        "rollout_is_threshold": 1.0e9,
        "rollout_rs": "seq_mean_k1",
        "rollout_rs_threshold": "0.25_2.0",
    }
    values = {"algorithm.policy_loss.family": "ppo", "algorithm.rollout_correction": weights}
    done = write("openrlhf", values)
    assert done.out["algo.advantage.is_correction_threshold"].value == [0.5, 4.0]
    assert "counted in its mean" in done.out["algo.advantage.is_correction_level"].note
    by_token = {**values, "algorithm.rollout_correction": {"rollout_is": "token", "rollout_is_threshold": 2.0}}
    assert write("openrlhf", by_token).out["algo.advantage.is_correction_level"].note == ""


@pytest.mark.parametrize(("update", "near"), [(70, ("64", "72")), (5, ("8",))])
def test_an_update_that_ranks_cannot_share(update: int, near: tuple[str, ...]) -> None:
    """deepspeed.py: accumulated_gradient = batch // micro // ranks, which 8 ranks round down."""
    with pytest.raises(RefusedError) as refusal:
        write("openrlhf", {**PERIOD, "batch.sequences_per_update": update, "placement.actor.gpus": 8})
    assert refusal.value.choices == tuple(f"{size} sequences an update" for size in near)


def test_half_a_share_is_no_number() -> None:
    assert worths(read("openrlhf", {**RUN, "train.max_epochs": 4}))[Unit.UPDATES] == Fraction(35, 2)
