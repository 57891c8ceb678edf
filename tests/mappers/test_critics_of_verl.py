"""A critic's micro-batches in veRL: its section's own up to 0.7, its engine's since 0.8, one cap for both passes in 0.9's trainer.

veRL 0.8.0 trainer/ppo/ray_trainer.py init_workers and 0.9.1 trainer/ppo/v1/trainer_base.py give the engine caps in tokens
alone; workers/engine_workers.py TrainingWorker.train_batch and infer_batch take the rest from the engine's own block.
"""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, convert
from rftconf.migrate.launches import MigrationRequest
from rftconf.migrate.migrate import migrate
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=gae data.train_batch_size=64 data.train_files=/d/t.parquet"
    " data.val_files=/d/v.parquet data.max_prompt_length=512 data.max_response_length=512 actor_rollout_ref.model.path=/m/q"
    " actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4"
    " actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.name=vllm"
    " critic.model.path=/m/q trainer.total_training_steps=10 trainer.n_gpus_per_node=8 trainer.nnodes=1"
)
OWN = " critic.ppo_micro_batch_size_per_gpu=2 critic.forward_micro_batch_size_per_gpu=2"
ENGINE = (
    " +critic.fsdp.use_dynamic_bsz=False +critic.fsdp.micro_batch_size_per_gpu=4"
    " +critic.fsdp.infer_micro_batch_size_per_gpu=8"
)
CAPS = " critic.use_dynamic_bsz=True critic.ppo_max_token_len_per_gpu=7777 critic.forward_max_token_len_per_gpu=8888"
INFER = " +critic.ppo_infer_max_token_len_per_gpu=9999"
BATCH = "stage.batch."


def converted(words: str, release: str) -> Conversion:
    return convert(read(Source("run.sh", RUN + words + "\n")), "roll", framework="verl", release=release)


def plan(words: str, release: str) -> list[object]:
    """The plan's micro-batches of a critic: whether tokens fill them, then sequences of updates and values, then tokens of both."""
    values = converted(words, release).loaded.stages[-1].values
    passes = [f"{BATCH}critic{end}" for end in (".sequences_per_rank", "_infer.sequences_per_rank", ".tokens_per_rank",
              "_infer.tokens_per_rank")]  # fmt: skip
    return [values.get(f"{BATCH}critic.dynamic"), *(values.get(path) for path in passes)]


def test_its_section_decides_up_to_0_7_and_its_engine_since() -> None:
    assert plan(OWN, "0.7.1") == [False, 2, 2, None, None]
    for release in ("0.8.0", "0.9.0", "0.9.1"):
        assert plan(OWN, release) == [True, None, None, 32768, 32768], release
        assert plan(OWN + ENGINE, release) == [False, 4, 8, None, None], release


def test_which_key_caps_which_pass() -> None:
    """The trainer of 0.9 gives the engine ppo_infer_max_token_len_per_gpu for both passes."""
    assert plan(CAPS, "0.7.1")[3:] == [7777, 8888]
    assert plan(CAPS + INFER, "0.8.0")[3:] == [7777, 9999]
    assert plan(CAPS + INFER, "0.9.1")[3:] == [9999, 9999]
    assert plan(CAPS + INFER + " trainer.use_v1=False", "0.9.1")[3:] == [7777, 9999]
    shared = " critic.fsdp.ulysses_sequence_parallel_size=2 actor_rollout_ref.actor.ulysses_sequence_parallel_size=2"
    assert plan(CAPS + INFER + shared, "0.9.1")[3:] == [19998, 19998]  # of a rank, which is two GPUs


@pytest.mark.parametrize("release", ["0.8.0", "0.9.1"])
def test_what_only_the_check_reads_is_not_called_exact(release: str) -> None:
    lines = {line.key: line for line in converted(OWN + CAPS, release).ledger.sources}
    for key in (*OWN.split(), "critic.use_dynamic_bsz=", "critic.forward_max_token_len_per_gpu="):
        line = lines[key.partition("=")[0]]
        assert line.state is State.DEAD_IN_SOURCE, line
        assert "0.8" in line.reason or "critic.ppo_infer_max_token_len_per_gpu" in line.reason, line


def test_the_engines_own_keys_are_alive() -> None:
    """They were called filled by workers, which is so for the actor and the reference only."""
    lines = {line.key.lstrip("+"): line for line in converted(ENGINE + OWN, "0.9.1").ledger.sources}
    for word in ENGINE.split():
        assert lines[word.lstrip("+").partition("=")[0]].state is not State.DEAD_IN_SOURCE


@pytest.mark.parametrize(("to", "engine"), [("0.7.1", False), ("0.8.0", True), ("0.9.1", True)])
def test_fixed_sizes_are_written_where_they_act_and_where_they_are_checked(to: str, engine: bool) -> None:
    done = convert(read(Source("run.sh", RUN + OWN)), "trinity", framework="verl", release="0.7.1", to_release="0.6.0")
    back = convert(read(Source("run.yaml", done.text)), "verl", framework="trinity", release="0.6.0", to_release=to)
    out = {line.key.lstrip("+"): line.value for line in back.ledger.targets}
    assert out["critic.ppo_micro_batch_size_per_gpu"] == 2
    keys = ("use_dynamic_bsz", "micro_batch_size_per_gpu", "infer_micro_batch_size_per_gpu")
    assert [out.get(f"critic.fsdp.{key}") for key in keys] == ([False, 2, 2] if engine else [None] * 3)


def test_a_migration_tells_the_engine_what_the_critics_section_said() -> None:
    """The engine's switch wakes its sizes, which are written in a second round."""
    done = migrate(
        RUN + OWN + "\n", lambda text, *_: read(Source("run.sh", text)), MigrationRequest("0.9.1", "verl", "0.7.1")
    )
    words = done.text.split()
    assert {"+critic.fsdp.use_dynamic_bsz=False", "+critic.fsdp.micro_batch_size_per_gpu=2",
            "+critic.fsdp.infer_micro_batch_size_per_gpu=2", "critic.ppo_micro_batch_size_per_gpu=2"} <= set(words)  # fmt: skip
