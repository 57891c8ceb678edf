"""A line that cannot be compared names the side that does not tell it, and why; a value known for other reasons is compared."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import Options, convert_loaded
from rftconf.diff.as_text import comparison_text
from rftconf.diff.compare import Comparison, Difference, compare
from rftconf.load.load import load
from rftconf.plan.spelling import same
from rftconf.report.screen import Screen
from rftconf.text.read.read import read
from rftconf.text.source import open_source
from tests.cli.scripts import GRPO
from tests.diff.runs import GOLDEN, compared, side_of_text
from tests.diff.test_known_none import VERL, roll


def differences_in(comparison: Comparison) -> dict[str, Difference]:
    return {difference.path: difference for stage in comparison.stages for difference in stage.differences}


def beside(text: str, second: str, name: str = "b.sh") -> dict[str, Difference]:
    return differences_in(compare(side_of_text(text), side_of_text(second, name)))


def test_a_silent_side_is_named_with_what_its_table_says() -> None:
    response = beside(VERL, roll(), "b.yaml")["stage.data.train[0].keys.response"]
    assert [letter for letter, _ in response.doubts] == ["A"]
    assert "only the prompt column has a key" in response.doubts[0][1]


def test_a_variable_is_named() -> None:
    rate = beside(GRPO, GRPO.replace("rollout.n=8", "rollout.n=$ANSWERS"))["stage.batch.responses_per_prompt"]
    assert rate.doubts == (("B", "tells it only with ANSWERS"),)


def test_epochs_of_rows_that_nobody_counted_say_what_would_count_them() -> None:
    ends = beside(VERL, GRPO)["stage.run_length.rollouts"]
    assert [letter for letter, _ in ends.doubts] == ["B"]
    assert "--rows" in ends.doubts[0][1]


def test_the_report_says_why() -> None:
    comparison = compare(side_of_text(VERL), side_of_text(roll(), "b.yaml"))
    text = " ".join(comparison_text(comparison, Screen(200, colour=False), full=True).split())
    assert "A does not say it: the reward reads data_source and reward_model.ground_truth" in text


def test_what_a_supervised_run_cannot_have_is_known() -> None:
    difference = differences_in(compared("sft-fsdp/input.sh", "readme/input.sh"))["stage.batch.responses_per_prompt"]
    assert difference.certain
    assert difference.of_one_kind
    assert difference.a.idle == "a supervised run has no such setting"


def test_null_is_no_function_where_a_framework_has_a_key_for_one() -> None:
    difference = beside(VERL, VERL + "reward.custom_reward_function.path=/r.py")["stage.reward.function_path"]
    assert (difference.a.value, difference.a.none, difference.certain) == (None, True, True)


def test_a_switch_that_is_off_is_off_whether_anything_looks_at_it_or_not() -> None:
    """No set is validated on in A: there the switch does nothing, and in B it is off."""
    without = VERL.replace("data.val_files=/d/v.parquet", "data.val_files=null") + "trainer.val_before_train=False"
    differences = beside(without, VERL + "trainer.val_before_train=False trainer.test_freq=5")
    assert "stage.cadence.eval_at_start" not in differences


def test_the_trainer_of_0_9_balances_whatever_the_key_says() -> None:
    """veRL 0.9.1 trainer: balance_batch is read by nothing, and every batch is balanced."""
    assert "stage.batch.balance_ranks" not in beside(VERL + "trainer.balance_batch=False", VERL)


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [({"n": 1}, {"n": 2}, False), ([1, 2], [1, 3], False), ([1], [1, 2], False), ({"n": 1}, {"m": 1}, False)],
)
def test_mappings_and_lists_are_compared_by_what_is_in_them(a: object, b: object, answer: bool) -> None:
    assert same(a, b) is answer


def test_an_entry_that_nobody_knows_leaves_a_mapping_unknown_unless_another_differs() -> None:
    from rftconf.base.symbols import Var

    assert same({"n": Var("N"), "m": 1}, {"n": 2, "m": 1}) is None
    assert same({"n": Var("N"), "m": 1}, {"n": 2, "m": 3}) is False


def test_engines_of_a_server_are_priced_on_the_gpus_of_the_source() -> None:
    """TRL's server of engines is started by a person; the trainer's memory is compared all the same."""
    loaded = load(read(open_source(GOLDEN / "run-ahead" / "input.yaml")))
    notes = convert_loaded(loaded, "trl", Options()).ledger.notes
    assert any(note.startswith("memory: reference, ") for note in notes)


def test_a_period_of_validation_that_two_sides_share_is_asleep_where_one_has_no_set() -> None:
    text = VERL + "trainer.test_freq=20 "
    period = beside(text, text.replace("/d/v.parquet", "[]"))["stage.cadence.eval_rollouts"]
    assert (period.a.value, period.b.value) == (20, 20)
    assert (period.a.idle, period.b.idle) == (None, "nothing is validated")


@pytest.mark.parametrize(
    "other", ["open/openrlhf-to-chatlearn/input.sh", "open/trl-to-chatlearn/input.yaml", "convert/ppo-critic/input.sh"]
)
def test_a_rate_that_falls_over_the_whole_run_says_so(other: str) -> None:
    differences = differences_in(compared("../open/nemo_rl-megatron-to-chatlearn/input.yaml", f"../{other}"))
    assert differences["stage.optim.actor.decay_updates"].doubts == (
        ("B", "does not say it: the learning rate falls over the length of the run"),
    )
