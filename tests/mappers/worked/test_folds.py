"""Products and quotients of Trinity-RFT, worked out: 30 prompts x 7 answers, updates of 10 x 7."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Var, formula
from tests.laws.flip_bases import TRINITY_GRPO
from tests.mappers.worked.runs import PERIOD, Flat, keys, outcome, plan, write

SYNC = "synchronizer."
FORMS = {
    # form A: an explore step is an update, 70 / 7 prompts, and 210 / 70 = 3 of them are a period
    "A": {"buffer.batch_size": 10, f"{SYNC}sync_interval": 3, "buffer.train_batch_size": 70},
    # form B: an explore step is a period, and the trainer takes 3 steps in it
    "B": {
        "buffer.batch_size": 30,
        f"{SYNC}explorer_sync_interval": 1,
        f"{SYNC}trainer_sync_interval": 3,
        "buffer.train_batch_size": 70,
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_a_period_of_trinity(form: str) -> None:
    assert dict(zip(FORMS[form], keys("trinity", PERIOD, *FORMS[form], form=form), strict=True)) == FORMS[form]


def test_updates_of_one_prompt_have_form_b() -> None:
    """An explorer that draws one prompt at a time is no use: 7 sequences are one prompt, 30 updates are a period."""
    names = (
        "buffer.batch_size",
        f"{SYNC}explorer_sync_interval",
        f"{SYNC}trainer_sync_interval",
        f"{SYNC}sync_interval",
    )
    values = keys("trinity", {**PERIOD, "batch.sequences_per_update": 7}, *names)
    assert values == [30, 1, 30, None]


COUNTERS: dict[str, tuple[Flat, int, int]] = {
    # 2 periods without an actor: 2 x 3 train steps, and trinity 0.6.0 begins at step critic_warmup, counted from 1
    "trainer.critic_warmup": ({"algorithm.critic.warmup_rollouts": 2}, 7, 7),
    # evaluations after every period: 1 explore step in form B, 3 in form A; a million periods for never
    "explorer.eval_interval": ({"cadence.eval_rollouts": 2}, 6, 2),
    f"{SYNC}sync_offset": ({"sync.run_ahead_rollouts": 2, "sync.driver": "lockstep"}, 6, 2),
    "trainer.save_interval": ({"cadence.save_rollouts": 2}, 6, 6),
}


@pytest.mark.parametrize("key", COUNTERS)
def test_counters_of_trinity(key: str) -> None:
    fields, steps_a, steps_b = COUNTERS[key]
    assert keys("trinity", {**PERIOD, **fields}, key, form="A") == [steps_a]
    assert keys("trinity", {**PERIOD, **fields}, key, form="B") == [steps_b]


@pytest.mark.parametrize(("form", "never"), [("A", 3_000_000), ("B", 1_000_000)])
def test_never_is_a_million_periods(form: str, never: int) -> None:
    assert keys("trinity", {**PERIOD, "cadence.eval_rollouts": None}, "explorer.eval_interval", form=form) == [never]


def test_evaluations_on_environments_wait_for_a_data_set() -> None:
    """The source validates on environments every 2 periods: 6 explore steps in form A, 2 in form B."""
    values = {**PERIOD, "data.environments[0].name": "maze", "cadence.eval_rollouts": 2}
    assert keys("trinity", values, "explorer.eval_interval", form="A") == [6]
    assert keys("trinity", values, "explorer.eval_interval", form="B") == [2]


TRINITY: Flat = {
    **TRINITY_GRPO,
    "buffer.batch_size": 5,
    "buffer.train_batch_size": 70,
    "algorithm.repeat_times": 7,
    f"{SYNC}sync_interval": None,
    f"{SYNC}explorer_sync_interval": 6,
    f"{SYNC}trainer_sync_interval": 3,
}
ROLLOUT = "explorer.rollout_model."
READ: dict[str, tuple[Flat, Flat]] = {
    # explorer.py of 0.6.0: explore_step_num % eval_interval; 12 steps of 5 x 7 are 2 periods of 210; 6 x 5 prompts
    "counters": (
        {
            "explorer.eval_interval": 12,
            "trainer.save_interval": 6,
            "trainer.critic_warmup": 7,
            f"{SYNC}sync_offset": 12,
            "trainer.total_steps": 90,
            "buffer.total_steps": None,
        },
        {
            "cadence.eval_rollouts": 2,
            "cadence.save_rollouts": 2,
            "algorithm.critic.warmup_rollouts": 2,
            "sync.run_ahead_rollouts": 2,
            "batch.prompts_per_rollout": 30,
            "batch.sequences_per_update": 70,
            "run_length.rollouts": 30,
        },
    ),
    "lengths": (
        {"model.max_model_len": 1700, f"{ROLLOUT}extra_engine_args.max_num_batched_tokens": 4100},
        {
            "length.prompt_max_tokens": 512,
            "length.response_max_tokens": 1024,
            "length.model_max_tokens": 1700,
            "placement.rollout.max_batched_tokens": 4100,
        },
    ),
    # vLLM spreads the experts over all tp x dp GPUs of an engine
    "experts": (
        {
            f"{ROLLOUT}engine_num": 1,
            f"{ROLLOUT}tensor_parallel_size": 2,
            f"{ROLLOUT}data_parallel_size": 3,
            f"{ROLLOUT}enable_expert_parallel": True,
        },
        {"placement.rollout.ep": 6},
    ),
    # mix_sample_strategy.py of 0.6.0: ceil(expert_data_ratio * train_batch_size) rows are demonstrations: ceil(17.5)
    "demonstrations": (
        {"algorithm.algorithm_type": "mix", "algorithm.sample_strategy_args.expert_data_ratio": 0.25},
        {"batch.demonstrations_per_update": 18, "batch.sequences_per_update": 52},
    ),
}


@pytest.mark.parametrize("name", READ)
def test_sizes_of_trinity(name: str) -> None:
    changes, fields = READ[name]
    assert dict(zip(fields, plan("trinity", {**TRINITY, **changes}, *fields), strict=True)) == fields


def test_a_share_of_a_batch_that_nobody_told() -> None:
    changes = {
        "algorithm.algorithm_type": "mix",
        "algorithm.sample_strategy_args.expert_data_ratio": 0.25,
        "buffer.train_batch_size": Var("BATCH"),
    }
    (share,) = plan("trinity", {**TRINITY, **changes}, "batch.demonstrations_per_update")
    assert formula(share) == "0.25 * BATCH"


def test_experiences_that_are_steps_of_episodes() -> None:
    """sudoku_workflow hands back each step of an episode (common/workflows of 0.6.0): 70 of them are not 70 answers."""
    changes = {"buffer.explorer_input.default_workflow_type": "sudoku_workflow"}
    (update,) = plan("trinity", {**TRINITY, **changes}, "batch.sequences_per_update")
    assert formula(update) == "70 / steps_per_episode"
    (update,) = plan("trinity", {**TRINITY, **changes}, "batch.sequences_per_update", assume={"steps_per_episode": "5"})
    assert update == 14


def test_a_workflow_of_ones_own_hands_back_answers_where_they_fill_updates() -> None:
    """6 x 5 x 7 = 210 answers a period are 3 updates of 70, but no whole number of 80."""
    changes = {"buffer.explorer_input.default_workflow_type": "mine"}
    assert plan("trinity", {**TRINITY, **changes}, "batch.sequences_per_update") == [70]
    (update,) = plan("trinity", {**TRINITY, **changes, "buffer.train_batch_size": 80}, "batch.sequences_per_update")
    assert formula(update) == "80 / steps_per_episode"


@pytest.mark.parametrize(("experts", "same"), [(1, True), (6, True), (3, False)])
def test_experts_over_a_whole_engine(experts: int, same: bool) -> None:
    """An engine has 2 x 3 GPUs, and experts lie on one or on all of them."""
    beside = {**PERIOD, "placement.rollout.tp": 2, "placement.rollout.dp": 3}
    state = outcome("trinity", "placement.rollout.ep", experts, beside)
    assert state is (State.DERIVED if same else State.NARROWED)


SUPERVISED = {
    "mode": "train",
    "algorithm.algorithm_type": "sft",
    "model.model_path": "base/model",
    "cluster.node_num": 1,
    "cluster.gpu_per_node": 8,
    "buffer.train_batch_size": 64,
    "buffer.total_epochs": 2,
    "buffer.trainer_input.experience_buffer.path": "/data/sft",
    "trainer.save_interval": 5,
}


def test_the_length_of_a_supervised_run() -> None:
    """2 epochs of 300 rows are 600 samples, and 600 // 64 = 9 whole batches of them."""
    lengths = plan("trinity", SUPERVISED, "run_length.rollouts", "cadence.save_rollouts", rows=300)
    assert lengths == [9, 5]


PAIRS = {
    "cluster.nodes": 2,
    "cluster.gpus_per_node": 5,
    "placement.actor.gpus": 6,
    "placement.actor.sp": 2,
    "placement.actor.backend": "fsdp2",
    "batch.micro.dynamic": False,
    "batch.micro.sequences_per_rank": 3,
    "batch.reference.sequences_per_rank": 3,
}
MICRO = "trainer.trainer_config.actor_rollout_ref."


def test_pairs_that_ranks_cannot_share() -> None:
    """6 GPUs / sp 2 are 3 ranks; in Trinity all 2 x 5 GPUs train, 5 ranks: 12 pairs are torn, 10 and 15 are not."""
    with pytest.raises(RefusedError, match="12 pairs an update cannot be shared by 5 data-parallel ranks") as refusal:
        write("trinity", {**PAIRS, "batch.sequences_per_update": 12}, kind="dpo")
    assert refusal.value.choices == ("10 pairs an update", "15 pairs an update")


def test_micro_batches_of_pairs() -> None:
    """0.6 counts rows, two for each pair: 3 pairs of the reference are 6; the loss of DPO wants one pair at a time, 2 rows."""
    names = (
        f"{MICRO}ref.log_prob_micro_batch_size_per_gpu",
        f"{MICRO}actor.ppo_micro_batch_size_per_gpu",
        "buffer.train_batch_size",
    )
    done = {**PAIRS, "batch.sequences_per_update": 15}
    assert keys("trinity", done, *names, kind="dpo") == [6, 2, 30]
    assert keys("trinity", done, *names, kind="dpo", release="0.5.2")[:2] == [3, 1]
    scored = {**done, "batch.log_prob.sequences_per_rank": 3}
    name = f"{MICRO}rollout.log_prob_micro_batch_size_per_gpu"
    assert keys("trinity", scored, name, kind="dpo", same=True) == [6]


def test_data_sets_of_a_supervised_run_are_one() -> None:
    """trinity 0.6.0 buffer/reader: the trainer reads one data set, front to back."""
    for kind in ("sft", "dpo"):
        assert outcome("trinity", "data.mixing", "concat", kind=kind) is State.DEFAULT
        assert outcome("trinity", "data.mixing", "interleave", kind=kind) is State.NARROWED
