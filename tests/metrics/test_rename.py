"""Files of metrics in another framework's words."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.errors import UnreadableError
from rftconf.metrics.quantity import RUNNER
from rftconf.metrics.rename import Renaming, write_json_lines
from rftconf.metrics.steps import Steps
from rftconf.metrics.table import QUANTITIES
from rftconf.plan.units import Unit
from rftconf.schemas.registry import FRAMEWORKS

SIDES = (*FRAMEWORKS, RUNNER)
FOUR = Steps({Unit.ROLLOUTS: Fraction(1), Unit.TRAIN_STEPS: Fraction(4), Unit.EXPLORE_STEPS: Fraction(4)})


def renamed(source: str, target: str, *lines: dict[str, Any], steps: Steps | None = None) -> tuple[list[Any], Renaming]:
    renaming = Renaming(source, target, steps or Steps())
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    return list(renaming.lines(text, "run.jsonl")), renaming


def test_names_and_steps_become_the_targets() -> None:
    line = {"step": 1, "actor/grad_norm": 0.5, "actor/pg_loss": 0.1, "my/own": 3}
    got, renaming = renamed("verl", "roll", line)
    assert got == [{"step": 0, "actor_train/grad_norm": 0.5, "actor/pg_loss@sum": 0.1, "my/own": 3}]
    assert renaming.report.renamed == {"actor/grad_norm": "actor_train/grad_norm", "actor/pg_loss": "actor/pg_loss@sum"}
    assert renaming.report.kept == {"my/own": "not in the table"}
    assert renaming.report.steps == set()


def test_verls_file_logger_keeps_its_shape() -> None:
    got, _ = renamed("verl", "chatlearn", {"step": 2, "data": {"actor/kl_loss": 0.1}})
    assert got == [{"step": 2, "data": {"policy_trainer/kl_loss": 0.1}}]


def test_trinity_gets_a_line_for_each_of_its_runs() -> None:
    line = {"step": 2, "actor/pg_loss": 0.1, "val-core/gsm8k/acc/mean@1": 0.4, "other": 1}
    got, _ = renamed("verl", "trinity", line, steps=FOUR)
    assert got == [
        {"step": 8, "run": "trainer", "actor/pg_loss": 0.1, "other": 1},
        {"step": 12, "run": "explorer", "eval/gsm8k/accuracy": 0.4},
    ]


def test_steps_of_trinity_are_those_of_the_run_that_logged_them() -> None:
    trainer, explorer = {"step": 8, "actor/final_loss": 0.1}, {"step": 12, "time/eval": 4.0}
    got, renaming = renamed("trinity", "verl", trainer, explorer, steps=FOUR)
    assert got == [{"step": 2, "actor/loss": 0.1}, {"step": 2, "timing_s/testing": 4.0}]
    assert renaming.report.steps == set()


def test_a_run_that_is_named_counts_where_metrics_do_not_tell() -> None:
    got, _ = renamed("trinity", "verl", {"step": 8, "run": "trainer", "unknown": 1}, steps=FOUR)
    assert got == [{"step": 2, "unknown": 1}]
    got, renaming = renamed("trinity", "verl", {"step": 8, "unknown": 1}, steps=FOUR)
    assert got == [{"step": 8, "unknown": 1}]
    assert "logs to two runs" in "".join(renaming.report.steps)


def test_steps_that_nothing_tells_stay_and_are_said() -> None:
    got, renaming = renamed("verl", "trinity", {"step": 3, "actor/pg_loss": 0.1})
    assert got == [{"step": 3, "run": "trainer", "actor/pg_loss": 0.1}]
    (text,) = renaming.report.steps
    assert text.endswith("give the config of the run with --config")


def test_validation_stands_where_the_target_measures_the_same_weights() -> None:
    got, _ = renamed("verl", "roll", {"step": 5, "actor/lr": 1e-6, "val-core/gsm8k/acc/mean@1": 0.4})
    assert got == [{"step": 4, "actor/lr": 1e-6}, {"step": 5, "val_correct/gsm8k/mean": 0.4}]


def test_the_runners_file() -> None:
    line = {"period": 1, "reward": 0.5, "gradient_norm": 1.0, "parity": 0.01}
    got, renaming = renamed("runner", "verl", line)
    assert got == [{"step": 1, "critic/score/mean": 0.5, "actor/grad_norm": 1.0, "parity": 0.01}]
    back, _ = renamed("verl", "runner", *got)
    assert back == [line]
    assert renaming.report.kept == {"parity": "not in the table"}


def test_own_counters() -> None:
    got, renaming = renamed("verl", "roll", {"training/global_step": 1, "actor/lr": 1.0})
    assert got == [{"system/global_step": 0, "actor/lr": 1.0}]
    got, renaming = renamed("verl", "chatlearn", {"step": 1, "training/global_step": 1, "actor/lr": 1.0})
    assert got == [{"step": 1, "training/global_step": 1, "actor/lr": 1.0}]
    assert renaming.report.kept["training/global_step"] == "veRL's own counter, as it was"


def test_no_metric_takes_anothers_place() -> None:
    got, renaming = renamed("verl", "roll", {"step": 1, "actor/grad_norm": 1, "actor_train/grad_norm": 2})
    assert got == [{"step": 0, "actor/grad_norm": 1, "actor_train/grad_norm": 2}]
    assert renaming.report.kept["actor/grad_norm"] == "its line has actor_train/grad_norm already"
    got, _ = renamed("roll", "verl", {"step": 0, "actor/pg_loss": 1, "actor/pg_loss@sum": 2})
    assert got == [{"step": 1, "actor/pg_loss": 1, "actor/pg_loss@sum": 2}]


def test_a_usual_name_goes_before_other_names_of_its_quantity() -> None:
    """The trainer's own numbers of all answers stand last in OpenRLHF's lines, after those of the updates."""
    line = {"train/global_step": 2, "train/reward": 0.4, "train/rollout/reward_mean": 0.5}
    got, renaming = renamed("openrlhf", "verl", line)
    assert got == [{"training/global_step": 2, "train/reward": 0.4, "critic/score/mean": 0.5}]
    assert renaming.report.kept == {"train/reward": "its line has critic/score/mean already"}
    got, _ = renamed("openrlhf", "verl", {"train/global_step": 2, "train/reward": 0.4})
    assert got == [{"training/global_step": 2, "critic/score/mean": 0.4}]


OPENRLHF = {
    "train/policy_loss": 0.01,
    "train/actor_lr": 1e-6,
    "train/return": 0.0,
    "train/kl": 0.02,
    "train/rollout/reward_mean": 0.5,
    "train/timing/broadcast": 1.5,
}
IN_VERLS_WORDS = {
    "actor/pg_loss": 0.01,
    "actor/lr": 1e-6,
    "critic/rewards/mean": 0.0,
    "actor/reward_kl_penalty": 0.02,
    "critic/score/mean": 0.5,
    "timing_s/update_weights": 1.5,
}


def test_a_line_of_openrlhf_in_verls_words_and_back() -> None:
    """A step of both trains on the prompts of one rollout, and both log the first as 1."""
    line = {"train/global_step": 7, **OPENRLHF, "train/vllm_kl": 0.001}
    got, renaming = renamed("openrlhf", "verl", line)
    assert got == [{"training/global_step": 7, **IN_VERLS_WORDS, "train/vllm_kl": 0.001}]
    assert renaming.report.kept == {"train/vllm_kl": "not in the table"}
    assert renaming.report.steps == set()
    assert renamed("verl", "openrlhf", *got)[0] == [line]


def test_steps_of_openrlhf_are_four_of_trinitys_trainer_and_one_less_of_roll() -> None:
    line = {"step": 3, "train/policy_loss": 0.1, "eval/eval_gsm8k_pass1": 0.4}
    got, _ = renamed("openrlhf", "trinity", line, steps=FOUR)
    assert got == [
        {"step": 12, "run": "trainer", "actor/pg_loss": 0.1},
        {"step": 16, "run": "explorer", "eval/gsm8k/accuracy": 0.4},
    ]
    assert renamed("trinity", "openrlhf", *got, steps=FOUR)[0] == [
        {"step": 3, "train/policy_loss": 0.1},
        {"step": 3, "eval/eval_gsm8k_pass1": 0.4},
    ]
    got, _ = renamed("openrlhf", "roll", {"eval/global_step": 3, "eval/eval_gsm8k_pass1": 0.4})
    assert got == [{"system/global_step": 3, "val_correct/gsm8k/mean": 0.4}]


def test_the_line_that_openrlhf_prints_has_names_without_the_trackers_part() -> None:
    got, _ = renamed("openrlhf", "verl", {"step": 3, "policy_loss": 0.1, "reward": 0.5, "values": 0.2})
    assert got == [{"step": 3, "actor/pg_loss": 0.1, "critic/score/mean": 0.5, "critic/values/mean": 0.2}]


@pytest.mark.parametrize("source", ["openrlhf", "trl"])
def test_wandbs_count_of_its_calls_is_no_step(source: str) -> None:
    """Both log without a step, so that wandb's `_step` counts lines; in veRL's files it is the step."""
    got, renaming = renamed(source, source, {"train/global_step": 2, "_step": 5, "train/kl": 0.1})
    assert got == [{"train/global_step": 2, "_step": 5, "train/kl": 0.1}]
    steps = Steps({Unit.ROLLOUTS: Fraction(1), Unit.UPDATES: Fraction(1)})
    (got,), renaming = renamed(source, "verl", {"train/global_step": 2, "_step": 5, "train/kl": 0.1}, steps=steps)
    assert got["training/global_step"] == 2
    assert got[f"{source}/_step"] == 5
    assert "_step" not in got
    assert renaming.report.kept == {"_step": f"as {source}/_step, for veRL takes _step for a step"}


def test_a_metric_named_as_the_targets_steps_takes_not_their_place() -> None:
    got, _ = renamed("verl", "runner", {"step": 2, "period": 9, "actor/lr": 1.0})
    assert got == [{"period": 2, "verl/period": 9, "learning_rate": 1.0}]


def test_why_values_differ_is_told() -> None:
    _, renaming = renamed("verl", "runner", {"step": 1, "actor/loss": 1.0})
    assert "our runner: of the last update" in renaming.report.differs["loss"]


NAMES = [
    name for q in QUANTITIES for logged in q.logged.values() for name in [logged.name.replace("{", "").replace("}", "")]
]
LINES = st.dictionaries(
    st.sampled_from([*NAMES, "my/own", "x"]), st.floats(allow_nan=False) | st.integers(), max_size=6
)


@given(LINES, st.sampled_from(SIDES), st.sampled_from(SIDES))
def test_no_value_is_lost(line: dict[str, Any], source: str, target: str) -> None:
    got, renaming = renamed(source, target, line)
    values = [value for result in got for name, value in result.items() if name != "run"]
    assert sorted(map(repr, values)) == sorted(map(repr, line.values()))
    report = renaming.report
    assert set(line) <= {*report.renamed, *report.same, *report.kept, "step", "_step", "period", "system/step"}


@given(LINES, st.sampled_from([side for side in SIDES if side != "trinity"]))
def test_into_its_own_words_changes_older_names_only(line: dict[str, Any], framework: str) -> None:
    got, _ = renamed(framework, framework, {"step" if framework != "runner" else "period": 7, **line})
    again, _ = renamed(framework, framework, *got)
    assert again == got


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"step": 1}\n{"step": 2', "run.jsonl:2:11: no JSON"),
        ("[1]\n", "run.jsonl:1:1: not a JSON object"),
        ('{"a": 1, "a": 2}\n', 'run.jsonl:1: "a" stands twice'),
        ('{"step": "x"}\n', 'run.jsonl:1: step is "x", not a number'),
        ('{"step": NaN}\n', "run.jsonl:1: step is NaN, not a number"),
        ('{"step": true}\n', "run.jsonl:1: step is true, not a number"),
        (f'{{"a": {"[" * 100_000}', "run.jsonl:1"),
        (f'{{"a": {"9" * 5_000}}}', "run.jsonl:1: JSON that cannot be read"),
        ("step,loss\n", "run.jsonl:1:1: no JSON"),
    ],
)
def test_bad_lines_have_their_number(text: str, says: str) -> None:
    with pytest.raises(UnreadableError) as raised:
        list(Renaming("verl", "roll").lines(text, "run.jsonl"))
    assert str(raised.value).startswith(says)


def test_blank_lines_and_windows_line_ends_are_passed_over() -> None:
    got = list(Renaming("verl", "verl").lines('\n{"step": 1}\r\n  \n{"step": 2}', "run.jsonl"))
    assert write_json_lines(got) == '{"step": 1}\n{"step": 2}\n'
