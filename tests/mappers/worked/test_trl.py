"""TRL 1.16.0 worked out: 5 completions x 2 processes x 7 are an update of 70; 21 slices of 10 are 210, which are 30 prompts x 7.

A generation batch is 3 updates, each of which is made twice (num_iterations): 6, worth 35 each.
"""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.plan.units import Unit
from tests.laws.flip_bases_trl import GRPO
from tests.mappers.worked.runs import PERIOD, Flat, assert_idle, keys, plan, read, worths, write

RUN: Flat = {
    **GRPO,
    "per_device_train_batch_size": 5,
    "num_processes": 2,
    "gradient_accumulation_steps": 7,
    "steps_per_generation": 21,
    "num_generations": 7,
    "num_iterations": 2,
}
LENGTH = "run_length.rollouts"


def test_units() -> None:
    """A process is a rank of one GPU; transformers' Trainer steps optimizer and scheduler together."""
    assert worths(read("trl", RUN)) == {
        Unit.SEQUENCES: 1,
        Unit.TOKENS_PER_RANK: 1,
        Unit.PROMPTS: 7,
        Unit.ROLLOUTS: 210,
        Unit.UPDATES: 35,
        Unit.LR_TICKS: 35,
        Unit.SEQUENCES_PER_RANK: 2,
        Unit.TOKENS_PER_GPU: 1,
    }


IDLE: dict[str, tuple[Flat, tuple[str, ...]]] = {
    # TrainingArguments.get_process_log_level: passive leaves the level alone
    "a server generates": ({"vllm_mode": "server", "log_level": "passive"},
                           ("vllm_max_model_length", "vllm_gpu_memory_utilization", "log_level", "sapo_*")),
    "transformers generates": ({"use_vllm": False}, ("vllm_max_model_length", "vllm_gpu_memory_utilization")),
    # grpo_trainer.py: _compute_loss caps the ratio in the clipped losses alone
    "sapo": ({"loss_type": "sapo"}, ("delta",)),
}  # fmt: skip


@pytest.mark.parametrize("name", IDLE)
def test_keys_that_nobody_reads(name: str) -> None:
    changes, patterns = IDLE[name]
    assert_idle(read("trl", {**RUN, **changes}), patterns)


def test_a_level_of_logging() -> None:
    """TrainingArguments.log_level: debug is logging.DEBUG."""
    level = "identity.log_level"
    assert [read("trl", {**RUN, "log_level": word}).values[level] for word in ("debug", "error")] == ["DEBUG", "ERROR"]


@pytest.mark.parametrize(("steps", "rollouts", "decays"), [(12, 2, None), (13, 3, 13)])
def test_steps_end_a_run(steps: int, rollouts: int, decays: int | None) -> None:
    """12 updates are 2 generation batches of 6; 13 end within the third, and the rate falls over 13."""
    assert plan("trl", {**RUN, "max_steps": steps}, LENGTH, "optim.actor.decay_updates") == [rollouts, decays]


EPOCHS: Flat = {**RUN, "max_steps": -1, "num_train_epochs": 2.5}


def test_epochs_of_whole_generation_batches() -> None:
    """trl/trainer/utils.py: RepeatSampler drops what fills none: 100 // 30 = 3, and 2.5 times 3 is 7.5, so 8 are begun."""
    assert plan("trl", EPOCHS, LENGTH, rows=100) == [8]


@pytest.mark.parametrize(("changes", "warms"), [({"max_steps": 13}, 2), ({"max_steps": -1, "num_train_epochs": 2}, 4)])
def test_a_share_warms_up(changes: Flat, warms: int) -> None:
    """ceil(0.1 x 13) = 2; 2 x (100 // 30) x 6 = 36 updates, of which 3.6 (TrainingArguments.get_warmup_steps)."""
    assert plan("trl", {**RUN, "warmup_steps": 0.1, **changes}, "optim.actor.warmup_updates", rows=100) == [warms]


def test_a_share_of_rows_that_nobody_counted() -> None:
    """2 passes of ROWS // 30 generation batches of 6 updates; 0.1 of 12 x 3 is 3.6 where ROWS is 100."""
    (warms,) = plan(
        "trl", {**RUN, "warmup_steps": 0.1, "max_steps": -1, "num_train_epochs": 2}, "optim.actor.warmup_updates"
    )
    assert keys("trl", {**UPDATES, "run_length.epochs": 2, "optim.actor.warmup_updates": warms}, "warmup_steps") == [
        0.1
    ]


UPDATES: Flat = {**PERIOD, "batch.passes": 2, "placement.actor.gpus": 2, "cluster.nodes": 1, "cluster.gpus_per_node": 2}


def test_updates_are_written() -> None:
    """4 rollouts of 210 / 70 x 2 updates are 24; saving after 2 of them is after 12, evaluating after 3 after 18."""
    data = {"data.train[0].uri": "hf://org/rows", "data.eval[0].uri": "hf://org/rows", "data.eval[0].split": "test"}
    done = write("trl", {**UPDATES, **data, LENGTH: 4, "cadence.save_rollouts": 2, "cadence.eval_rollouts": 3})
    assert [done.out[key].value for key in ("max_steps", "save_steps", "eval_steps")] == [24, 12, 18]
    sizes = ("per_device_train_batch_size", "gradient_accumulation_steps", "steps_per_generation")
    assert [done.out[key].value for key in sizes if key in done.out] == [1, 35, 105]


def test_saves_and_evaluations_count_updates() -> None:
    """12 updates are 2 rollouts of 6, and 18 are 3."""
    flat = {**RUN, "save_strategy": "steps", "save_steps": 12, "eval_strategy": "steps", "eval_steps": 18}
    assert plan("trl", flat, "cadence.save_rollouts", "cadence.eval_rollouts") == [2, 3]


@pytest.mark.parametrize(
    ("nodes", "gpus", "machines", "state"),
    [(2, 16, 2, State.EXACT), (2, 10, 2, State.NARROWED), (4, 8, 1, State.NARROWED), (4, 16, 2, State.NARROWED)],
)
def test_machines(nodes: int, gpus: int, machines: int, state: State) -> None:
    """Nodes of 8 GPUs: accelerate starts as many processes as train, on as few machines as hold them."""
    values = {"cluster.nodes": nodes, "cluster.gpus_per_node": 8, "placement.actor.gpus": gpus}
    done = write("trl", values)
    assert (done.out["num_machines"].value, done.outcomes["cluster.nodes"].state) == (machines, state)


def test_gpus_that_machines_cannot_share() -> None:
    values = {"cluster.nodes": 2, "cluster.gpus_per_node": 8, "placement.actor.gpus": 15}
    with pytest.raises(RefusedError, match="15 GPUs train on 2 machines") as refusal:
        write("trl", values)
    assert refusal.value.choices[0] == "14 GPUs that train"


@pytest.mark.parametrize(("update", "near"), [(70, ("64", "72")), (5, ("8",))])
def test_an_update_that_processes_cannot_share(update: int, near: tuple[str, ...]) -> None:
    """70 completions are 8.75 of each of 8 processes; those next to it are 8 x 8 and 9 x 8."""
    sizes = {"placement.actor.gpus": 8, "cluster.nodes": 1, "batch.sequences_per_update": update}
    with pytest.raises(RefusedError, match="no equal shares") as refusal:
        write("trl", {**PERIOD, **sizes})
    assert refusal.value.choices[:-1] == tuple(f"{size} sequences an update" for size in near)


def test_a_device_takes_as_many_as_its_tokens_hold() -> None:
    """9001 tokens hold 3 sequences of 1000 + 2000; 3 divides the 105 of a process, in 35 passes."""
    values = {
        **UPDATES,
        "batch.sequences_per_update": 210,
        "batch.micro.tokens_per_rank": 9001,
        "length.prompt_max_tokens": 1000,
        "length.response_max_tokens": 2000,
    }
    assert keys("trl", values, "per_device_train_batch_size", "gradient_accumulation_steps") == [3, 35]


@pytest.mark.parametrize(("gpus", "n", "size"), [(6, 9, 3), (6, 16, None)])
def test_an_evaluation_takes_whole_groups(gpus: int, n: int, size: int | None) -> None:
    """8 x 6 are no groups of 9, 3 x 6 are two; they are three groups of 16 (GRPOConfig.__post_init__: eval batch % n)."""
    values = {
        **PERIOD,
        "batch.prompts_per_rollout": 6,
        "batch.responses_per_prompt": n,
        "batch.sequences_per_update": 6 * n,
        "placement.actor.gpus": gpus,
        "cadence.eval_rollouts": 3,
        "data.train[0].uri": "hf://org/rows",
        "data.eval[0].uri": "hf://org/rows",
        "data.eval[0].split": "test",
        "cluster.nodes": 1,
        "cluster.gpus_per_node": gpus,
        "sampling.eval.responses": n,
    }
    assert keys("trl", values, "per_device_eval_batch_size") == [size]


def test_a_deviation_alone() -> None:
    """A field that the source does not say is not settled beside those that it says (grpo_trainer.py: scale_rewards)."""
    for own, other in (("advantage", "std_scope"), ("std_scope", "advantage")):
        done = write("trl", {f"algorithm.{own}": "grpo" if own == "advantage" else "group"})
        assert done.out["scale_rewards"].value == "group"
        assert f"stage.algorithm.{other}" not in done.out["scale_rewards"].plans


@pytest.mark.parametrize(
    ("release", "times"), [("0.26.2", "which is 3 updates: each gradient is 3 times"), ("1.16.0", "")]
)
def test_a_mean_over_a_generation_batch(release: str, times: str) -> None:
    """0.26: num_items_in_batch counts the tokens of the generation batch, 210 / 70 = 3 updates (_compute_loss: dapo)."""
    done = read("trl", {**RUN, "loss_type": "dapo"}, release=release)
    assert times in done.narrowed.get("loss_type", "")
    assert ("loss_type" in done.narrowed) is bool(times)


@pytest.mark.parametrize("slices", [1, 2])
def test_an_update_that_is_a_period(slices: int) -> None:
    """A generation batch that is one update is not shrunk: 7 slices of 10."""
    done = read("trl", {**RUN, "loss_type": "dapo", "steps_per_generation": 7 * slices}, release="0.26.2")
    assert ("loss_type" in done.narrowed) is (slices > 1)


@pytest.mark.parametrize("word", ["adamw_torch", "adamw_torch_fused"])
def test_optimizers(word: str) -> None:
    assert plan("trl", {**RUN, "optim": word}, "optim.actor.kind") == ["adamw"]
