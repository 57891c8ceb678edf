"""Values that once stopped a command, or were taken for something else, each with what is said of them now."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.convert import plan_of
from rftconf.errors import UnreadableError
from rftconf.lint import engine
from rftconf.lint.rule import Example, chatlearn, roll, trinity, verl
from rftconf.text.document import Document
from rftconf.text.read import ReadOptions, read
from rftconf.text.source import Source
from tests.lint.bases import documents

TP = "actor_train.strategy_args.strategy_config.tensor_model_parallel_size"
REFUSED = {
    "trainer_mode is words; there are sync": verl("trainer.v1.trainer_mode=words"),
    "pass --set MODE=": verl("trainer.v1.trainer_mode=$MODE"),
    "rollout.n expects int, and null": verl("actor_rollout_ref.rollout.n=null"),
    "train_batch_size expects int, and null": verl("data.train_batch_size=null"),
    "ppo_mini_batch_size expects int, and null": verl("actor_rollout_ref.actor.ppo_mini_batch_size=null"),
    "input should be 'auto'": verl("trainer.resume_mode=[]"),
    "input should be a valid integer": roll(f"{TP}=[null]"),
    "a parallel size is 1 or more": chatlearn("models.policy_trainer.ulysses_sequence_parallel_size=-1"),
    "gpu_memory_fraction is no number": trinity("explorer.rollout_model.gpu_memory_utilization=.nan"),
    "is inf, and something is counted with it": trinity("algorithm.optimizer.lr_warmup_steps_ratio=1e400"),
}


def document(example: Example) -> Document:
    return documents(example)[0]


@pytest.mark.parametrize("why", REFUSED)
def test_refused_at_its_place(why: str) -> None:
    with pytest.raises(UnreadableError, match="KEY004") as caught:
        _ = plan_of(document(REFUSED[why])).stages
    assert why in caught.value.message
    assert caught.value.line > 1
    assert Path(caught.value.file).stem == "run"


@pytest.mark.parametrize("value", ["2", "2.0", '"2"'])
def test_a_count_is_one_however_it_is_written(value: str) -> None:
    (stage,) = plan_of(document(roll(f"{TP}={value}"))).stages
    assert stage.placement.actor.megatron.tp == 2


def test_a_size_beyond_all_ends_at_once() -> None:
    huge = "actor_rollout_ref.rollout.tensor_model_parallel_size=99999999999999999999"
    assert "GPU003" in {one.code for one in engine.check(document(verl(huge)))}


def test_a_list_for_a_word_leaves_the_other_rules_alone() -> None:
    """The type has its finding, and rules that do not look at it theirs."""
    empty = "data.train_batch_size=0"
    (alone,) = {one.code for one in engine.check(document(verl(empty)))}
    assert {one.code for one in engine.check(document(verl("algorithm.adv_estimator=[a,b]", empty)))} == {
        "KEY004",
        alone,
    }


def test_a_number_that_an_argument_of_the_script_would_give() -> None:
    script = (
        "LR=$1\npython3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.actor.optim.lr=$LR\n"
    )
    with pytest.raises(UnreadableError, match=r'KEY004.*SYN509.*--args "') as caught:
        _ = plan_of(read(Source("run.sh", script))).stages
    assert (caught.value.line, caught.value.col) == (2, 96)
    (stage,) = plan_of(read(Source("run.sh", script), ReadOptions(args=("1e-5",)))).stages
    assert stage.optim.actor.lr == 1e-5
