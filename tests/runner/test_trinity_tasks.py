"""Trinity's workflows of one question: what is asked, what scores the answer, what is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from rftconf_runner import trinity_tasks
from rftconf_runner.framework_rewards import own_reward
from rftconf_runner.job_reader import paths_read
from rftconf_runner.refusals import refusals, unread_by
from rftconf_runner.scores import scoring

from rftconf.plan.data_parts import DataSet
from rftconf.plan.model import Plan
from tests.runner.test_job import plan

CODE = '''
class Other:
    def reset(self, task):
        task.format_args.system_prompt = "not this"

class MathWorkflow:
    def reset(self, task):
        if task.format_args.system_prompt is None:
            task.format_args.system_prompt = """Think."""
'''


def asking(workflow: str, reward: str | None = None, **more: str) -> Plan:
    """A plan of Trinity's with one training set of that workflow."""
    new_plan = plan(reward__custom_reward_function__path="null")
    new_plan.source.framework, new_plan.source.release = "trinity", "0.6.0"
    keys = {"prompt": "question", "response": "answer", "messages": "message"}
    entry = {
        "name": "set",
        "uri": "/d/rows.jsonl",
        "prompt_type": "messages",
        "workflow": workflow,
        "reward": reward,
        **more,
    }
    new_plan.stages[0].data.train = [DataSet.model_validate({**entry, "keys": keys})]
    return new_plan


def of_reward(new_plan: Plan) -> dict[str, str]:
    words = ("reward", "workflow", "system_prompt")
    return {
        refusal.path: refusal.why
        for refusal in refusals(new_plan)
        if refusal.path.endswith(words) or "function_path" in refusal.path
    }


@pytest.mark.parametrize(
    ("workflow", "reward", "name"),
    [
        ("math_workflow", None, "math_reward"),
        ("async_math_workflow", "countdown_reward", "countdown_reward"),
        ("simple_workflow", "accuracy_reward", "accuracy_reward"),
    ],
)
def test_what_is_scored(workflow: str, reward: str | None, name: str) -> None:
    new_plan = asking(workflow, reward, system_prompt="Think.")
    assert of_reward(new_plan) == {}
    source = own_reward(new_plan.stages[0], new_plan.source)
    assert source is not None
    assert source.arguments == {"framework": "trinity", "release": "0.6.0", "name": name}


@pytest.mark.parametrize(
    ("workflow", "reward", "message"),
    [
        ("math_workflow", "math_boxed_reward", "qwen25_eval.py"),
        ("math_workflow", "math_dapo_reward", "masks answers"),
        ("simple_workflow", "format_reward", "does not take"),
        ("simple_workflow", "mine", "has no reward in trinity 0.6.0"),
    ],
)
def test_rewards_that_are_refused_by_name(workflow: str, reward: str, message: str) -> None:
    assert message in of_reward(asking(workflow, reward))["stage.data.train[].reward"]


@pytest.mark.parametrize("workflow", ["math_boxed_workflow", "agentscope_react_workflow", "mine.Workflow"])
def test_workflows_that_are_refused_by_name(workflow: str) -> None:
    new_plan = asking(workflow)
    assert {"stage.data.train[].workflow", "stage.reward.function_path"} <= set(of_reward(new_plan))
    assert "stage.data.train[].workflow" in unread_by(new_plan)


def test_a_simple_workflow_without_a_reward_is_refused() -> None:
    assert "stage.reward.function_path" in of_reward(asking("simple_workflow"))


def test_a_question_is_a_message_of_the_user() -> None:
    assert trinity_tasks.messages("1+1?", "") == [{"role": "user", "content": "1+1?"}]
    assert trinity_tasks.messages("1+1?", "Think.")[0] == {"role": "system", "content": "Think."}
    assert paths_read(asking("math_workflow").stages[0])


def test_words_of_trinitys_own_are_read_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its code is not executed: the package's own module would fail here."""
    (tmp_path / "trinity/common/workflows").mkdir(parents=True)
    (tmp_path / "trinity/__init__.py").write_text("raise RuntimeError")
    (tmp_path / "trinity" / trinity_tasks.CODE).write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    (rows,) = asking("math_workflow").stages[0].data.train
    assert trinity_tasks.messages("?", trinity_tasks.system_of(rows))[0]["content"] == "Think."
    assert trinity_tasks.system_of(rows.model_copy(update={"system_prompt": "Go."})) == "Go."
    assert trinity_tasks.system_of(rows.model_copy(update={"reward": "countdown_reward"})) == ""


def test_without_trinity_the_words_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trinity_tasks, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match="pip install --no-deps trinity-rft"):
        trinity_tasks.messages("?", trinity_tasks.OWN_PROMPT)


def test_chatlearns_rule_is_by_data_source() -> None:
    assert scoring.compute_score("openai/gsm8k", "so \\boxed{1/2}", "\\frac12", "chatlearn", "2025.10.23") == 1.0
    assert scoring.compute_score("openai/gsm8k", "#### 7", "7", "chatlearn", "2025.10.23") == 0.0
