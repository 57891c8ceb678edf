"""Forks of veRL that count otherwise: noticed, refused with an explanation, converted once a person says what is meant."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.cli.app import run
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

FORK = (
    "data.train_batch_size=256",
    "actor_rollout_ref.actor.ppo_mini_batch_size=4096",
    "actor_rollout_ref.rollout.n=16",
)
UPSTREAM = (
    "data.train_batch_size=256",
    "actor_rollout_ref.actor.ppo_mini_batch_size=64",
    "actor_rollout_ref.rollout.n=16",
)
UPDATE = "stage.batch.sequences_per_update"


def script(*overrides: str) -> Document:
    more = ("data.train_files=/d/train.parquet", "algorithm.adv_estimator=grpo", "trainer.n_gpus_per_node=8")
    return read(Source("run.sh", " ".join(["python3 -m verl.trainer.main_ppo", *more, *overrides])), ReadOptions())


def test_a_mini_batch_larger_than_the_batch_is_not_converted_blindly() -> None:
    with pytest.raises(RefusedError) as refused:
        convert(script(*FORK), "trinity")
    assert "4096 of 256 x 16 = 4096, 1 update a period" in refused.value.message
    assert [choice.split(",")[0] for choice in refused.value.choices] == [
        "--assume mini_batch=samples",
        "--assume mini_batch=capped",
        "--assume mini_batch=prompts",
    ]


def test_it_is_read_all_the_same_and_stays_itself_within_its_framework() -> None:
    assert load(script(*FORK)).stages[0].values[UPDATE] == 4096 * 16
    lines = {line.key: line.value for line in convert(script(*FORK), "verl").lines}
    assert lines["actor_rollout_ref.actor.ppo_mini_batch_size"] == 4096


def test_samples_as_assumed() -> None:
    lines = {line.key: line.value for line in convert(script(*FORK), "trinity", assume={"mini_batch": "samples"}).lines}
    assert (lines["buffer.batch_size"], lines["buffer.train_batch_size"]) == (256, 4096)


def test_upstream_as_assumed_is_refused_by_its_own_arithmetic() -> None:
    with pytest.raises(RefusedError, match="are not a whole number of updates"):
        convert(script(*FORK), "trinity", assume={"mini_batch": "prompts"})


def test_upstream_is_not_taken_for_a_fork() -> None:
    assert load(script(*UPSTREAM)).stages[0].values[UPDATE] == 64 * 16
    assert convert(script(*UPSTREAM), "trinity").text


def test_a_default_mini_batch_is_no_sign_of_a_fork() -> None:
    with pytest.raises(RefusedError, match=r"itself stops at data\.train_batch_size=100"):
        convert(script("data.train_batch_size=100", "actor_rollout_ref.rollout.n=2"), "trinity")


@pytest.mark.parametrize("key", ["+actor_rollout_ref.rollout.n_agents", "+my_agent.train.group_size", "+rollout.n"])
def test_a_group_size_that_lies_elsewhere_is_asked_about(key: str) -> None:
    document = script("data.train_batch_size=64", "actor_rollout_ref.actor.ppo_mini_batch_size=64", f"{key}=5")
    with pytest.raises(RefusedError, match="looks like a group size"):
        convert(document, "trinity")
    lines = {line.key: line.value for line in convert(document, "trinity", assume={"responses_per_prompt": "5"}).lines}
    assert (lines["algorithm.repeat_times"], lines["buffer.train_batch_size"]) == (5, 320)


@pytest.mark.parametrize(
    "key", ["+my_agent.val.group_size=5", "+own.group_size=1", "actor_rollout_ref.rollout.n=2 +own.group_size=5"]
)
def test_other_group_sizes_are_no_sign(key: str) -> None:
    *upstream, own = key.split()
    keys = ["data.train_batch_size=64", "actor_rollout_ref.actor.ppo_mini_batch_size=64", *upstream]
    done, without = convert(script(*keys, own), "trinity"), convert(script(*keys), "trinity")
    assert (done.lines, done.ledger.decisions) == (without.lines, without.ledger.decisions)


def test_a_forks_own_section_travels_in_the_plan() -> None:
    done = convert(script(*UPSTREAM, "+search.engine.url=http://x", "+trainer.own_switch=true"), "trinity")
    state = {line.key: line.state for line in done.ledger.sources}
    assert state["search.engine.url"] is State.EXTENSION
    assert state["trainer.own_switch"] is State.UNKNOWN
    assert done.plan.extensions["verl"]["search.engine.url"] == "http://x"


@pytest.mark.parametrize("word", ["mini_batch=rows", "responses_per_prompt=0", "batch=samples", "mini_batch"])
def test_what_may_be_assumed(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", "x.sh", "--to", "trinity", "--assume", word]) == 2
    assert "--assume" in capsys.readouterr().err


def test_capped_as_assumed_is_one_update_of_the_period() -> None:
    lines = {line.key: line.value for line in convert(script(*FORK), "trinity", assume={"mini_batch": "capped"}).lines}
    assert (lines["buffer.batch_size"], lines["buffer.train_batch_size"]) == (256, 4096)


def test_0_2_makes_one_update_of_a_period_that_is_smaller() -> None:
    """dp_actor.update_policy splits the batch into parts of that size; ray_trainer asserts since 0.3.0 only."""
    lines = {line.key: line.value for line in convert(script(*FORK), "trinity", release="0.2.0").lines}
    assert (lines["buffer.batch_size"], lines["buffer.train_batch_size"]) == (256, 4096)


@pytest.mark.parametrize(
    "program", ["recipe.dapo.main_dapo", "recipe.dapo.src.main_dapo", "recipe.entropy.main_entropy"]
)
def test_recipes_read_their_own_keys_in_every_release(program: str) -> None:
    text = (
        f"python3 -m {program} data.train_files=/d/t.parquet data.train_batch_size=64 data.gen_batch_size=192"
        " actor_rollout_ref.actor.ppo_mini_batch_size=32 +algorithm.filter_groups.enable=True"
        " +algorithm.filter_groups.metric=acc +algorithm.filter_groups.max_num_gen_batches=10 trainer.n_gpus_per_node=8"
    )
    document = read(Source("run.sh", text), ReadOptions())
    ledger = convert(document, "roll", release="0.4.1").ledger
    assert [line.key for line in ledger.sources if line.state is State.UNKNOWN] == []
    assert load(document, release="0.4.1").stages[0].values["stage.algorithm.filters[0].metric"] == "acc"
