"""The plan as the adapters leave it, and what they ask of a person."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.errors import RefusedError, UsageError
from rftconf.base.ledger import Decision, State
from rftconf.base.symbols import Text, Var
from rftconf.convert.adapters.shapes import DATA_FILE, SHAPES
from rftconf.mappers.outcomes import Outcome
from rftconf.plan.origin import Kind, Origin
from tests.convert.adapters.samples import PAIRS, adapters, domain, run_of

TRAIN = "stage.data.train[0]."
MATH_RULE = "roll.pipeline.rlvr.rewards.math_rule_reward_worker.MathRuleRewardWorker"


def why(decisions: list[Decision], key: str) -> str:
    (text,) = [decision.why for decision in decisions if decision.key == key]
    return text


def asked(source: str, target: str = "verl", **more: Any) -> str:
    """What the stub's decision says for a run with these fields."""
    plain = {name: value for name, value in more.items() if not name.startswith("reward__")}
    values = run_of(source, "/d/x.parquet", **plain)
    values |= {f"stage.reward.{n.removeprefix('reward__')}": v for n, v in more.items() if n.startswith("reward__")}
    return why(adapters(source, target, values).decisions, f"adapters/{SHAPES[target].reward_file}")


def rows_said(source: str, target: str = "verl", **more: Any) -> str:
    decisions = adapters(source, target, run_of(source, "/d/x.parquet", **more)).decisions
    return next((decision.why for decision in decisions if decision.key.endswith("(rows)")), "")


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_the_config_names_what_the_files_make(source: str, target: str) -> None:
    new_adapters = adapters(source, target, run_of(source, "/d/gsm8k/train.parquet", name="sums"), "out/")
    shape = SHAPES[target]
    assert new_adapters.values[TRAIN + "uri"] == f"out/data/sums/train{shape.suffix}"
    assert {n: new_adapters.values[f"{TRAIN}keys.{n}"] for n in shape.columns} == dict(shape.columns)
    assert set(new_adapters.files) == {DATA_FILE, shape.reward_file}
    assert new_adapters.values.get("stage.reward.function_path") == (
        "out/converted_reward.py" if target in ("verl", "openrlhf", "trl", "nemo_rl") else None
    )
    reward = {"trinity": TRAIN + "reward", "roll": "stage.data.domains[0].reward"}.get(target, "")
    assert new_adapters.values.get(reward) == shape.reward
    assert [decision.key for decision in new_adapters.decisions[:2]] == [f"out/{DATA_FILE}", f"out/{shape.reward_file}"]


def test_applying_changes_the_plan_and_says_why() -> None:
    values = run_of("trinity", "/d/gsm8k", split="train", reward="math_reward")
    origins = {TRAIN + "uri": Origin(Kind.WRITTEN, ("tasksets[0].path",))}
    new_adapters = adapters("trinity", "verl", values)
    new_adapters.apply(values, origins)
    assert TRAIN + "split" not in values
    assert TRAIN + "reward" not in values
    assert values[TRAIN + "uri"] == "adapters/data/gsm8k/train.parquet"
    assert origins[TRAIN + "uri"] == Origin(Kind.CHOSEN, ("tasksets[0].path",), "adapters/convert_data.py")
    assert origins["stage.reward.function_path"].how == "adapters/converted_reward.py"


def test_settling_says_where_each_value_went() -> None:
    new_adapters = adapters("trinity", "verl", run_of("trinity", "/d/gsm8k", split="train", reward="math_reward"))
    outcomes = {
        TRAIN + "uri": Outcome(State.EXACT, ("data.train_files",)),
        "stage.reward.function_path": Outcome(State.EXACT, ("reward.custom_reward_function.path",)),
    }
    new_adapters.settle(outcomes)
    data = Outcome(State.DERIVED, ("data.train_files",), "in adapters/convert_data.py")
    assert outcomes[TRAIN + "uri"] == outcomes[TRAIN + "split"] == outcomes[TRAIN + "keys.response"] == data
    stub = Outcome(State.DERIVED, ("reward.custom_reward_function.path",), "in adapters/converted_reward.py")
    assert outcomes[TRAIN + "reward"] == outcomes[TRAIN + "workflow"] == stub


def test_what_the_files_do_not_carry_is_left_to_the_mappers() -> None:
    values = run_of("trinity", "/d", workflow="my_workflow", workflow_args={"a": 1}, reply_prefix="<think>")
    assert not {TRAIN + name for name in ("workflow", "workflow_args", "reply_prefix")} & set(
        adapters("trinity", "verl", values).replaced
    )
    manager = run_of("verl", "/d") | {"stage.reward.manager": "dapo", "stage.reward.manager_args": {}}
    assert not any(path.startswith("stage.reward.manager") for path in adapters("verl", "roll", manager).replaced)


def test_several_data_sets_get_folders_of_their_own() -> None:
    values = run_of("verl", "/d/gsm8k/train.parquet")
    for path, uri in (
        ("train[1]", "/e/gsm8k/train.parquet"),
        ("eval[0]", "/d/gsm8k/test.parquet"),
        ("train[2]", "/x.json"),
    ):
        values[f"stage.data.{path}.uri"] = uri
    new_values = adapters("verl", "trinity", values).values
    assert [new_values[f"stage.data.train[{i}].uri"] for i in range(3)] == [
        "adapters/data/gsm8k/train.parquet", "adapters/data/gsm8k_2/train.parquet", "adapters/data/x/train.parquet",
    ]  # fmt: skip
    assert new_values["stage.data.eval[0].uri"] == "adapters/data/gsm8k/test.parquet"


def test_what_has_to_be_given_is_in_the_command() -> None:
    values = run_of("trinity", Text((Var("DATA"), "/gsm8k")), workflow="math_boxed_workflow")
    (decision, *_) = adapters("trinity", "verl", values).decisions
    assert decision.choices == ("python adapters/convert_data.py --input train=… --set train.system_prompt=…",)


@pytest.mark.parametrize(
    ("workflow", "reward", "own", "missing"),
    [
        ("math_workflow", None, None, True),
        ("math_workflow", "math_reward", None, True),
        ("math_workflow", "format_reward", None, False),
        ("math_workflow", None, "Be brief.", False),
        ("math_boxed_workflow", "format_reward", None, True),
        ("simple_workflow", None, None, False),
    ],
)
def test_system_prompts_that_workflows_add_by_themselves(
    workflow: str, reward: str | None, own: str | None, missing: bool
) -> None:
    """MathWorkflow.reset adds its prompt only with its own reward; MathBoxedWorkflow.reset with any."""
    values = run_of("trinity", "/d", workflow=workflow, reward=reward, system_prompt=own)
    text = adapters("trinity", "verl", values).files[DATA_FILE]
    assert ("system_prompt=Required(" in text) is missing


def test_decisions_about_rewards() -> None:
    assert asked("verl", "roll").startswith("there is no function of the user's own: the stub calls veRL's scorer")
    assert asked("verl", "trinity", reward__function_path="/r.py") == "it calls the source's function"
    assert "reward manager dapo" in asked("verl", "trinity", reward__function_path="/r.py", reward__manager="dapo")
    penalty = {"overlong_buffer_cfg": {"enable": True, "len": 512, "penalty_factor": 1.0}, "max_resp_len": 2048}
    text = asked("verl", "trinity", reward__function_path="/r.py", reward__manager="dapo", reward__manager_args=penalty)
    assert "dapo adds min(0, -(tokens - (2048 - 512)) / 512 * 1.0) to the score" in text
    off = {"overlong_buffer_cfg": {"enable": False}}
    text = asked("verl", "trinity", reward__function_path="/r.py", reward__manager="dapo", reward__manager_args=off)
    assert text == "it calls the source's function"
    assert "empty extra_info" in asked("verl", "chatlearn", reward__function_path="/r.py")
    assert "Trinity's math_reward, so trinity-rft" in asked("trinity", workflow="math_workflow")
    assert "has to be filled in: no reward function; workflow my_flow" in asked("trinity", workflow="my_flow")
    assert "the class of reward mine has to be importable" in asked("trinity", reward="mine")
    assert "the config names no domain with a reward" in asked("roll")
    assert "chatlearn has to be installed" in asked("chatlearn")


def test_decisions_about_domains() -> None:
    values = (
        run_of("roll", "/d") | domain(0, "math", ["a"], MATH_RULE) | domain(1, "judge", Var("TAGS"), "roll.x.Judge")
    )
    text = why(adapters("roll", "verl", values).decisions, "adapters/converted_reward.py")
    assert "the stub calls ROLL's math rule" in text
    assert "roll.x.Judge judges batches inside of ROLL" in text
    assert "TAGS in the stub lacks the tags of domain judge: TAGS" in text


def test_roll_gets_one_domain_with_the_stub_as_its_worker() -> None:
    new_adapters = adapters("verl", "roll", run_of("verl", "/d"))
    reward = "converted_reward.ConvertedRewardWorker"
    expected = domain(0, "converted", ["converted"], reward) | {"stage.data.domains[0].weight": 1.0}
    assert {path: value for path, value in new_adapters.values.items() if "domains" in path} == expected
    assert 'DOMAIN = "converted"' in new_adapters.files[DATA_FILE]


def test_a_reward_model_is_never_wrapped_in_silence() -> None:
    values = run_of("verl", "/d") | {"stage.placement.auxiliary[0].role": "reward"}
    decisions = adapters("verl", "trinity", values).decisions
    assert "no function can stand for" in why(decisions, "adapters/plugin/converted_reward.py")


def test_decisions_about_rows() -> None:
    assert rows_said("trinity", workflow="simple_workflow") == ""
    assert "workflow my_flow builds its prompt" in rows_said("trinity", workflow="my_flow")
    assert "reply_prefix begins the answer" in rows_said("trinity", reply_prefix="<think>")
    assert "images and videos" in rows_said("verl", "trinity", keys__image="images")
    assert "without a chat template" in rows_said("roll", keys__messages=None, keys__prompt="prompt")
    assert rows_said("roll") == ""
    values = run_of("verl", "/d") | {"stage.data.dataset_class": "/mine.py"}
    assert "a class of their own (/mine.py)" in str(adapters("verl", "roll", values).decisions)


def test_within_one_framework_there_is_nothing_to_adapt() -> None:
    with pytest.raises(UsageError, match="source and target are both veRL"):
        adapters("verl", "verl", run_of("verl", "/d"))


@pytest.mark.parametrize("kind", ["sft", "dpo"])
def test_other_kinds_of_runs_are_refused(kind: str) -> None:
    with pytest.raises(RefusedError, match=r"this is a (supervised|DPO) run"):
        adapters("trinity", "verl", run_of("trinity", "/d") | {"stage.kind": kind})


def test_a_run_of_environments_is_refused() -> None:
    with pytest.raises(RefusedError, match="the config names no data set"):
        adapters("roll", "verl", {"stage.kind": "rl"})


def test_a_run_without_data_asks_for_it() -> None:
    new_adapters = adapters("verl", "trinity", run_of("verl", None))
    assert 'Required("no data set is named")' in new_adapters.files[DATA_FILE]
