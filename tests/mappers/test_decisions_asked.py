"""Every decision is a question: what the source has, which words the target takes, the layout, resume, timeouts, variables."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.errors import UsageError
from rftconf.base.ledger import Decision
from rftconf.convert.convert import Conversion, convert
from rftconf.convert.questions.questions import Question, questions_of
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.hazard_runs import ROLLOUT, from_trinity, from_verl
from tests.mappers.roll_runs import from_roll, to_roll

SCHEDULER = "actor_train.training_args.lr_scheduler_type"


def decision_on(done: Conversion, key: str) -> Decision:
    (decision,) = [item for item in done.ledger.decisions if item.key == key]
    return decision


def question(done: Conversion, key: str) -> Question:
    (match,) = [item for item in questions_of(done.ledger) if item.name == key]
    return match


@pytest.mark.parametrize(
    ("to", "key"),
    [("trinity", "algorithm.optimizer.lr_scheduler_type"), ("verl", "actor_rollout_ref.actor.optim.lr_scheduler_type")],
)
def test_a_schedule_that_the_target_lacks_is_told_with_the_words_that_it_takes(to: str, key: str) -> None:
    """ROLL's default, linear: the question says so, and offers what FSDP takes."""
    done = from_roll(to=to, without=(SCHEDULER,)).conversion
    decision = decision_on(done, key)
    assert decision.has == f"{SCHEDULER}=linear, the default of ROLL 0.3.0"
    assert decision.choices == ("constant", "cosine")
    assert [choice.to for choice in question(done, key).choices] == ["key", "key"]


def test_a_strategy_lists_the_ones_there_are() -> None:
    done = to_roll({"reward_model.enable": "True", "reward_model.model.path": "/rm"}, release="0.6.1").conversion
    key = next(line.key for line in done.ledger.targets if line.key.endswith("strategy_name") and line.value == "???")
    decision = decision_on(done, key)
    assert {"hf_infer", "vllm", "sglang"} <= set(decision.choices)
    assert decision.why == "the source does not say what serves it"


def test_a_value_that_is_missing_inside_a_list_is_asked_for() -> None:
    sets = [
        {"name": "a", "path": "openai/gsm8k", "split": "test", "storage_type": "file"},
        {"name": "b", "path": "/data/b.parquet", "storage_type": "file"},
    ]
    done = from_trinity({"buffer.explorer_input.eval_tasksets": sets, "explorer.eval_interval": 10}).conversion
    (files,) = [line.value for line in done.ledger.targets if line.key == "data.val_files"]
    assert isinstance(files, list)
    assert "???" in files
    decision = decision_on(done, "data.val_files")
    assert "openai/gsm8k" in decision.has
    assert "export the hub data set" in decision.why
    assert question(done, "data.val_files").effect_of_answer(["/x.parquet", "/y.parquet"]) is not None


def test_the_layout_is_asked_for_where_the_target_would_change_it() -> None:
    done = from_trinity().conversion
    decision = decision_on(done, "layout")
    assert decision.chosen == "colocated"
    assert decision.has == "4 GPUs for engines and 4 for the trainer"
    assert [choice.partition(":")[0] for choice in decision.choices] == ["--layout colocated", "--layout separated"]


def test_the_layout_that_is_asked_for_is_written() -> None:
    separate = from_trinity(layout="separated")
    assert separate.out["trainer.v1.trainer_mode"] == "separate_async"
    assert separate.out[ROLLOUT + "n_gpus_per_node"] == 4
    assert separate.out["trainer.n_gpus_per_node"] == 4
    assert not [item for item in separate.conversion.ledger.decisions if item.key == "layout"]
    staleness = next(item for item in separate.conversion.ledger.learning if item.cause == "staleness")
    assert "up to 1 periods old here, 0 in the source" in staleness.says
    shared = from_trinity(layout="colocated")
    assert shared.out.get("trainer.v1.trainer_mode") != "separate_async"
    assert shared.out["trainer.n_gpus_per_node"] == 8


def test_no_layout_is_offered_that_would_take_part_of_an_update() -> None:
    """An update of more than a period's sequences has no whole number of updates a period."""
    half: dict[str, Any] = {"buffer.batch_size": 32, "buffer.train_batch_size": 512, "synchronizer.sync_interval": 1}
    half["synchronizer.sync_style"] = "explorer_driven"
    choices = decision_on(from_trinity(half).conversion, "layout").choices
    assert not any("separated" in choice for choice in choices)
    with pytest.raises(UsageError, match="whole number of updates"):
        from_trinity(half, layout="separated")


def test_a_layout_is_refused_where_there_is_nothing_to_choose() -> None:
    with pytest.raises(UsageError, match="--layout"):
        from_verl(layout="colocated")
    with pytest.raises(UsageError, match="shares GPUs only"):
        from_trinity(to="0.6.1", layout="separated")


def test_a_run_that_would_not_resume_is_asked_about() -> None:
    """veRL goes on from its newest checkpoint unless told otherwise; ROLL cannot, and false was called veRL's default."""
    done = to_roll().conversion
    decision = decision_on(done, "resume_from_checkpoint")
    assert "starts anew; in the source it goes on from its newest checkpoint (trainer.resume_mode)" in decision.why
    resume = question(done, "resume_from_checkpoint")
    assert resume.effect_of_answer("keep") is not None
    assert resume.effect_of_answer("/checkpoints/10") is not None


@pytest.mark.parametrize(("tokens", "is_asked"), [("1024", False), ("40000", True)])
def test_a_time_limit_is_asked_about_where_long_answers_can_hit_it(tokens: str, is_asked: bool) -> None:
    """Half an hour is enough for 1,024 tokens; at 5 tokens a second it is not for 40,000."""
    done = from_verl({"data.max_response_length": tokens}, rows=7473).conversion
    keys = {decision.key for decision in done.ledger.decisions}
    assert ("explorer.max_timeout" in keys) is is_asked


@pytest.mark.parametrize("way", ["set -u\n", "", '[ -z "$DATA_DIR" ] && exit 1\n'])
def test_every_variable_that_the_output_needs_is_asked_for(way: str) -> None:
    """The script that comes out sets `-u`: it stops at the first variable that is not set."""
    text = (
        f"{way}python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=$DATA_DIR/a.parquet "
        "actor_rollout_ref.model.path=${MODEL_DIR}/q trainer.project_name=$PROJECT trainer.logger=console"
    )
    done = convert(read(Source("run.sh", text)), "verl", to_release="0.8.0")
    needed = {"DATA_DIR", "MODEL_DIR", "PROJECT"}
    assert "set -euo pipefail" in done.text
    assert {f"${name}" for name in needed} <= {decision.key for decision in done.ledger.decisions}


def test_an_estimator_that_the_target_lacks_stands_first_with_its_words() -> None:
    done: Any = from_roll({"adv_estimator": "reinforce"}).conversion
    first = done.ledger.decisions[0]
    assert first.key == "algorithm.adv_estimator"
    assert first.has == "adv_estimator=reinforce"
    assert "grpo" in first.choices
    assert not [change for change in done.ledger.learning if change.cause == "estimator"]


def test_an_answer_to_a_key_of_a_list_is_given_to_each_item() -> None:
    from rftconf.convert.convert import Options, convert_loaded
    from rftconf.convert.questions.questions import Answer
    from rftconf.load.load import load

    text = (
        "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo 'data.train_files=[/d/a/train.parquet,/d/b/train.parquet]' "
        "actor_rollout_ref.model.path=/q trainer.n_gpus_per_node=8 trainer.nnodes=1"
    )
    key = "buffer.explorer_input.tasksets[].default_workflow_type"
    answers = {key: Answer("key", key, "mine")}
    done = convert_loaded(load(read(Source("run.sh", text))), "trinity", Options(answers=answers))
    written = {
        line.key: (line.value, line.comment) for line in done.ledger.targets if line.key.endswith("workflow_type")
    }
    assert written == {key.replace("[]", f"[{index}]"): ("mine", "your answer") for index in (0, 1)}
    assert [(answer.key, answer.chosen) for answer in done.ledger.answered] == [(key, "mine")]


def test_what_an_open_estimator_switches_is_no_change_yet() -> None:
    """ROLL's default estimator has a critic; while the estimator is open, nobody is told of one."""
    done = to_roll({"algorithm.adv_estimator": "reinforce_plus_plus_baseline"}).conversion
    assert decision_on(done, "adv_estimator").choices
    assert not [change for change in done.ledger.learning if change.cause in ("critic", "estimator")]
