"""The reader of a plan's validation: sets, how each is answered, and when."""

from __future__ import annotations

from fractions import Fraction

import pytest
from rftconf_runner.job_data import Sampling, Validation
from rftconf_runner.job_reader import job_of
from rftconf_runner.rules import give

from rftconf.load.load import load
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.runner.test_job import plan

VALIDATES = {
    "data__val_files": "/d/test.parquet",
    "trainer__test_freq": "5",
    "trainer__val_before_train": "True",
    "actor_rollout_ref__rollout__val_kwargs__n": "4",
    "actor_rollout_ref__rollout__val_kwargs__do_sample": "True",
    "actor_rollout_ref__rollout__val_kwargs__temperature": "0.6",
    "actor_rollout_ref__rollout__val_kwargs__top_p": "0.9",
}


def validation_of(read_plan: Plan) -> Validation:
    validation = job_of(read_plan).validation
    assert validation is not None
    return validation


def test_a_launch_script_says_on_what_how_and_when() -> None:
    validation = validation_of(plan(**VALIDATES, data__val_max_samples="32"))
    (part,) = validation.sets
    assert (part.rows.uri, part.responses, part.domain) == ("/d/test.parquet", 4, "")
    assert part.sampling == Sampling(0.6, 0.9)
    assert (validation.every, validation.before, validation.most) == (Fraction(5), True, 32)
    assert validation.left_out == ()


def test_answers_that_are_not_drawn_are_the_likeliest() -> None:
    """veRL's `do_sample` is false unless the script says otherwise."""
    (part,) = validation_of(plan(data__val_files="/d/test.parquet", trainer__test_freq="5")).sets
    assert (part.sampling.temperature, part.responses) == (0.0, 1)


def test_who_validates_nothing_has_no_validation() -> None:
    never = {"trainer__test_freq": "-1", "trainer__val_before_train": "False"}
    assert job_of(plan(data__val_files="/d/test.parquet", **never)).validation is None


@pytest.mark.parametrize(
    ("every", "before", "due"),
    [
        (Fraction(3), True, [0, 3, 6, 8]),
        (Fraction(0), True, [0]),
        (Fraction(4), False, [4, 8]),
        (Fraction(5, 2), False, [3, 5, 8]),
        (Fraction(1, 2), False, [1, 2, 3, 4, 5, 6, 7, 8]),
    ],
)
def test_periods_after_which_a_run_of_eight_validates(every: Fraction, before: bool, due: list[int]) -> None:
    """Parts of a period are Trinity's, whose intervals count its explorer's steps."""
    validation = Validation(every=every, before=before)
    assert [period for period in range(9) if validation.is_due(period, 8)] == due


TRINITY = """
mode: both
algorithm: {algorithm_type: grpo, repeat_times: 4}
model: {model_path: /m, max_prompt_tokens: 64, max_response_tokens: 64}
cluster: {node_num: 1, gpu_per_node: 2}
buffer:
  batch_size: 8
  total_steps: 20
  explorer_input:
    taskset:
      name: train
      path: /d/train
      format: {prompt_key: question, response_key: answer}
      default_workflow_type: math_workflow
    eval_tasksets:
    - {name: known, path: /d/known, split: test, format: {prompt_key: question, response_key: answer},
       rollout_args: {temperature: 0.3}, repeat_times: 8}
    - {name: foreign, path: /d/foreign, default_workflow_type: agent_workflow}
    - {name: other, path: /d/other, default_workflow_type: math_workflow, default_reward_fn_type: countdown_reward}
explorer: {eval_interval: 4, eval_on_startup: false, rollout_model: {engine_num: 1}}
synchronizer: {sync_interval: 1}
"""


def trinity() -> Plan:
    return load(read(Source("run.yaml", TRINITY)), release="0.5.1").plan


def test_each_set_has_its_own_sampling_and_others_are_left_out_with_the_reason() -> None:
    validation = validation_of(trinity())
    (known,) = validation.sets
    assert (known.name, known.rows.uri, known.rows.split, known.rows.column) == (
        "known",
        "/d/known",
        "test",
        "question",
    )
    assert (known.sampling.temperature, known.responses) == (0.3, 8)
    assert [sentence.partition(":")[0] for sentence in validation.left_out] == [
        "validation on foreign",
        "validation on other",
    ]
    assert "agent_workflow" in validation.left_out[0]
    assert "countdown_reward" in validation.left_out[1]


def test_a_reward_by_name_scores_the_set_of_that_name_and_no_other() -> None:
    """Two training sets have rewards of their own, so a validation set of a third name has none."""
    read_plan = trinity()
    stage = read_plan.stages[0]
    first, second = stage.data.train[0], stage.data.train[0].model_copy(update={"name": "logic", "uri": "/d/logic"})
    stage.data.train = [first, second]
    for data_set, reward in ((first, "exact"), (second, "gsm8k")):
        give(read_plan, f"{data_set.name}={reward}")
    logic, stray = (stage.data.eval[0].model_copy(update={"name": name}) for name in ("logic", "stray"))
    stage.data.eval = [logic, stray]
    validation = validation_of(read_plan)
    assert [(part.name, part.domain) for part in validation.sets] == [("logic", "logic")]
    assert [sentence.partition(":")[0] for sentence in validation.left_out] == ["validation on stray"]


def test_what_the_plan_leaves_open_costs_the_set_and_not_the_run() -> None:
    text = "python3 -m verl.trainer.main_ppo "
    words = {**VALIDATES, "data__val_files": "$ELSEWHERE/test.parquet"}
    keys = {name.replace("__", "."): value for name, value in words.items()}
    from tests.runner.test_job import KEYS

    text += " ".join(f"{key}={value}" for key, value in {**KEYS, **keys}.items())
    validation = validation_of(load(read(Source("run.sh", text + "\n")), release="0.9.1").plan)
    assert validation.sets == ()
    (reason,) = validation.left_out
    assert "leaves open" in reason
    assert "ELSEWHERE" in reason
