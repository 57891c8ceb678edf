"""Keys that only a framework knows: refused where they change what is learned, left out by name, or said."""

from __future__ import annotations

import pytest
from rftconf_runner.beyond import leave_out, left_aside, of_beyond
from rftconf_runner.refusals import refusals, unread_by

from rftconf.load import load
from rftconf.plan.model import Plan
from rftconf.text.read import read
from rftconf.text.source import Source
from tests.runner.test_job import plan

CHANGING = {
    "algorithm__use_pf_ppo": "True",
    "+data__apply_chat_template_kwargs__enable_thinking": "False",
    "actor_rollout_ref__actor__optim__num_cycles": "2",
    "actor_rollout_ref__rollout__quantization": "fp8",
}


@pytest.mark.parametrize("key", CHANGING)
def test_what_changes_the_mathematics_is_refused(key: str) -> None:
    name = key.lstrip("+").replace("__", ".")
    (refused,) = refusals(plan(**{key: CHANGING[key]}))
    assert refused.path == f"extensions.verl.{name}"
    assert f"`--leave-out {name}`" in refused.why


def test_a_default_or_what_nothing_reads_is_not() -> None:
    said = {"algorithm__use_pf_ppo": "False", "data__truncation": "left"}  # read up to 0.6
    assert plan(**said).beyond == []
    assert refusals(plan(**said)) == []


def test_leaving_a_key_out_is_said() -> None:
    found = plan(algorithm__use_pf_ppo="True")
    with pytest.raises(ValueError, match=r"--leave-out use_pf_ppo: .* it has algorithm\.use_pf_ppo"):
        leave_out(found, "use_pf_ppo")
    leave_out(found, "algorithm.use_pf_ppo")
    assert refusals(found) == []
    assert list(left_aside(found)) == ["what only verl reads: algorithm.use_pf_ppo"]


def test_what_changes_nothing_is_said_and_not_refused() -> None:
    found = plan(actor_rollout_ref__actor__profile__use_profile="True")
    found.stages[0].model.trust_remote_code = True
    found.stages[0].placement.rollout.extra = {"max_logprobs": 5}
    assert list(of_beyond(found)) == []
    assert [sentence.partition(" ")[0] for sentence in left_aside(found)] == ["what", "code", "further"]


def test_what_belongs_to_validation_is_not_refused() -> None:
    found = Plan(
        extensions={"roll": {"reward_clip": 5, "val_prompt_length": 64}}, beyond=["reward_clip", "val_prompt_length"]
    )
    assert [path for path, _ in of_beyond(found)] == ["extensions.roll.reward_clip"]
    assert list(left_aside(found)) == ["what only roll reads: val_prompt_length"]


@pytest.mark.parametrize(("release", "found"), [("0.6.1", ["data.truncation"]), ("0.9.1", [])])
def test_a_release_that_reads_it(release: str, found: list[str]) -> None:
    text = "python3 -m verl.trainer.main_ppo data.train_files=/d/t.parquet data.truncation=left\n"
    assert load(read(Source("run.sh", text)), framework="verl", release=release).plan.beyond == found


def test_a_field_that_the_runner_does_not_read_is_left_out_by_its_path() -> None:
    found = plan()
    data, path = found.stages[0].data.train[0], "stage.data.train[].workflow"
    data.workflow, data.system_prompt = "math_workflow", "Think."
    (first, second) = refusals(found)
    assert {first.path, second.path} == {path, "stage.data.train[].system_prompt"}
    assert f"`--leave-out {path}`" in {first.path: first.why, second.path: second.why}[path]
    leave_out(found, path, unread_by(found))
    assert found.stages[0].data.train[0].workflow is None
    assert [one.path for one in refusals(found)] == ["stage.data.train[].system_prompt"]


@pytest.mark.parametrize("path", ["stage.placement.actor.backend", "stage.algorithm.gamma", "stage.nothing", "seeds"])
def test_nothing_else_is_left_out(path: str) -> None:
    found = plan()
    with pytest.raises(ValueError, match="no such key to leave out; it has none"):
        leave_out(found, path, unread_by(found))


def test_a_key_that_says_more_than_its_field_is_named_too() -> None:
    """Trinity-RFT's trainer divides logits by the model's temperature, a task set draws at its own."""
    text = (
        "mode: both\nmodel: {model_path: /m, temperature: 0.6}\nbuffer: {batch_size: 8, train_batch_size: 64, explorer_input: "
        "{tasksets: [{path: /d, rollout_args: {temperature: 1.0}}]}}\nalgorithm: {algorithm_type: grpo, repeat_times: 8}\n"
    )
    found = load(read(Source("run.yaml", text)), framework="trinity", release="0.6.0").plan
    assert found.beyond == ["model.temperature"]
    assert "extensions.trinity.model.temperature" in [path for path, _ in of_beyond(found)]
