"""Values that their keys cannot have: each is reported at its place and left open, and the rest of the file is read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.symbols import OpenKey, Var, open_keys
from rftconf.convert.convert import convert
from rftconf.lint import engine
from rftconf.lint.rule import Example, chatlearn, roll, trinity, verl
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.lint.bases import documents

TP = "actor_train.strategy_args.strategy_config.tensor_model_parallel_size"
ODD = {
    "one of sync, colocate_async, separate_async is expected": verl("trainer.v1.trainer_mode=words"),
    "expects int, and null is not one": verl("actor_rollout_ref.rollout.n=null"),
    "int, and null is not one": verl("data.train_batch_size=null"),
    "and null is not one": verl("actor_rollout_ref.actor.ppo_mini_batch_size=null"),
    "one of auto, disable, resume_path is expected": verl("trainer.resume_mode=[]"),
    "prompts_per_rollout would be 0": verl("data.train_batch_size=0"),
    "a whole number is expected": roll(f"{TP}=[null]"),
    "a parallel size is 1 or more": chatlearn("models.policy_trainer.ulysses_sequence_parallel_size=-1"),
    "a number is expected": trinity("explorer.rollout_model.gpu_memory_utilization=.nan"),
    "it is not finite": trinity("algorithm.optimizer.lr_warmup_steps_ratio=1e400"),
    "async_generation_ratio=inf: a number is expected": roll("async_generation_ratio=1e400"),
    "this is a section of keys, and it is empty here": trinity("algorithm=null"),
    "this is a section of keys": verl("actor_rollout_ref.actor.optim=words"),
    "expects int, got \"a\"": verl("actor_rollout_ref.actor.fsdp_config.fsdp_size=a"),
}  # fmt: skip


def document(example: Example) -> Document:
    return documents(example)[0]


def findings(loaded: Loaded) -> list[Diagnostic]:
    return [d for d in loaded.diagnostics if d.code.startswith("KEY")]


@pytest.mark.parametrize("why", ODD)
def test_a_value_is_reported_at_its_place_and_the_rest_is_read(why: str) -> None:
    loaded = load(document(ODD[why]))
    (finding,) = findings(loaded)
    assert why in finding.message
    assert finding.place is not None
    assert finding.place.span.line > 1
    assert Path(finding.place.file).stem == "run"
    assert loaded.plan.stages[0].optim.actor.lr is not None


def test_a_batch_that_nobody_tells_stays_open_in_every_formula() -> None:
    (stage,) = load(
        document(verl("data.train_batch_size=null", "actor_rollout_ref.actor.optim.lr_warmup_steps=10"))
    ).stages
    assert stage.values["stage.batch.prompts_per_rollout"] == OpenKey("data.train_batch_size")
    assert open_keys(stage.values["stage.optim.actor.warmup_updates"]) == {"data.train_batch_size"}


def test_a_given_value_takes_the_place_of_one_that_cannot_be_used() -> None:
    odd = document(verl("data.train_batch_size=null"))
    new_document = read(Source(odd.name, odd.text), ReadOptions(bindings={"data.train_batch_size": "64"}))
    (stage,) = load(new_document).stages
    assert stage.values["stage.batch.prompts_per_rollout"] == 64
    assert findings(load(new_document)) == []


@pytest.mark.parametrize("value", ["2", "2.0", '"2"'])
def test_a_count_is_one_however_it_is_written(value: str) -> None:
    (stage,) = load(document(roll(f"{TP}={value}"))).plan.stages
    assert stage.placement.actor.megatron.tp == 2


TAKEN = {
    "trainer.resume_from_path=False": ("identity.resume_path", None),
    "trainer.experiment_name=2048": ("identity.experiment", "2048"),
    "trainer.resume_mode=$resume_mode": ("identity.resume", Var("resume_mode")),
}


@pytest.mark.parametrize("line", TAKEN)
def test_what_the_framework_takes_is_taken(line: str) -> None:
    path, value = TAKEN[line]
    loaded = load(document(verl(line)))
    assert findings(loaded) == []
    assert loaded.stages[0].values.get(path) == value


def test_who_trains_where_is_asked_for_by_the_variable_s_name() -> None:
    loaded = load(document(verl("trainer.v1.trainer_mode=$MODE")))
    assert findings(loaded) == []
    assert any("pass --set MODE=" in why for why in loaded.stages[0].reading.unread_rows.values())


def test_a_size_beyond_all_ends_at_once() -> None:
    huge = "actor_rollout_ref.rollout.tensor_model_parallel_size=99999999999999999999"
    assert "GPU003" in {diagnostic.code for diagnostic in engine.check(document(verl(huge)))}


def test_a_list_for_a_word_leaves_the_other_rules_alone() -> None:
    """The type has its finding, and rules that do not look at it theirs."""
    empty = "data.train_batch_size=0"
    (alone,) = {diagnostic.code for diagnostic in engine.check(document(verl(empty)))}
    assert {diagnostic.code for diagnostic in engine.check(document(verl("algorithm.adv_estimator=[a,b]", empty)))} == {
        "KEY004",
        alone,
    }


def test_a_number_that_an_argument_of_the_script_would_give() -> None:
    script = (
        "LR=$1\npython3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.actor.optim.lr=$LR\n"
    )
    (finding,) = findings(load(read(Source("run.sh", script))))
    assert "SYN509" in finding.help
    assert '--args "' in finding.help
    assert finding.place is not None
    assert (finding.place.span.line, finding.place.span.col) == (2, 96)
    (stage,) = load(read(Source("run.sh", script), ReadOptions(args=("1e-5",)))).plan.stages
    assert stage.optim.actor.lr == 1e-5


def test_a_period_that_is_no_whole_number_of_steps_is_rounded_in_the_target() -> None:
    """No key takes a fraction, whatever made the count one."""
    done = convert(document(roll("train_env_manager.group_size=-3")), "trinity")
    assert not any(isinstance(line.value, Fraction) for line in done.ledger.targets)


PROMPT = "custom_envs.Maze.agent_system_template"


@pytest.mark.parametrize("first", [True, False])
def test_of_a_list_in_a_section_its_own_item_is_at_fault(first: bool) -> None:
    template = "custom_envs.Maze.agent_template=Go on."
    prompt = (f"{PROMPT}[0].a=b", f"{PROMPT}[1].b=c")
    world = (
        "train_env_manager.tags=[Maze]",
        "train_env_manager.num_groups_partition=[8]",
        "custom_envs.Maze.env_type=maze",
    )
    example = roll(*world, *((*prompt, template) if first else (template, *prompt)))
    loaded = load(document(example))
    (finding,) = (d for d in findings(loaded) if "a text is expected" in d.message)
    assert finding.message.startswith(f"{PROMPT}[0].a=b")
    (world_of_run,) = loaded.plan.stages[0].data.environments
    assert world_of_run.config == {"agent_template": "Go on."}
