"""ROLL's workers that score by rule: which domain is scored by which, what they give, what is refused and told to do instead."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rftconf_runner import judged
from rftconf_runner.absent import absent
from rftconf_runner.data_reader import data_of
from rftconf_runner.framework_rewards import asks_in_text, reads_marks, worker_rewards
from rftconf_runner.job_reader import job_of
from rftconf_runner.job_rewards import RewardSource
from rftconf_runner.refusals import refusals
from rftconf_runner.scores import confined, roll, scoring
from rftconf_runner.stage_reader import StageReader

from rftconf.load.load import load
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.runner.test_after_norm import ROLL

WORKERS = "roll.pipeline.rlvr.rewards."
MATH = f"math_rule: {{worker_cls: {WORKERS}math_rule_reward_worker.MathRuleRewardWorker, tag_included: [math]}}"
CHOICE = f"questions: {{worker_cls: {WORKERS}crossthinkqa_rule_reward_worker.CrossThinkQARuleRewardWorker, tag_included: [qa], reward_type: soft}}"
CODE = f"code: {{worker_cls: {WORKERS}code_sandbox_reward_worker.CodeSandboxRewardWorker, tag_included: [code]}}"
JUDGE = f"judged: {{worker_cls: {WORKERS}llm_judge_reward_worker.LLMJudgeRewardWorker, tag_included: [judged]}}"

BOXES = f"boxes: {{worker_cls: {WORKERS}detection_reward_worker.DetectionRewardWorker, tag_included: [boxes]}}"


def plan(*rewards: str, release: str = "0.3.0") -> Plan:
    """The plan of a config with these domains in equal shares."""
    head, _, _ = ROLL.partition("rewards:")
    names = [reward.partition(":")[0] for reward in rewards]
    shares = ", ".join(f"{name}: {1 / len(names)}" for name in names)
    text = (
        head.replace("{math_rule: 1.0}", f"{{{shares}}}")
        + "rewards:\n"
        + "".join(f"  {reward}\n" for reward in rewards)
    )
    return load(read(Source("run.yaml", text)), release=release).plan


def reasons(of: Plan, word: str) -> list[str]:
    return [refusal.why for refusal in refusals(of) if word in refusal.path]


def test_each_domain_is_scored_by_its_own_worker_and_a_single_one_by_its() -> None:
    rewards = job_of(plan(MATH, CHOICE)).rewards
    assert {reward.domain: reward.arguments["name"] for reward in rewards} == {
        "math_rule": "MathRuleRewardWorker",
        "questions": "CrossThinkQARuleRewardWorker",
    }
    assert rewards[1].arguments["reward_type"] == "soft"
    assert [reward.domain for reward in job_of(plan(MATH)).rewards] == [""]


@pytest.mark.parametrize("rewards", [(MATH,), (MATH, CHOICE)])
def test_what_scores_by_rule_is_not_refused(rewards: tuple[str, ...]) -> None:
    assert reasons(plan(*rewards), "reward") == []


@pytest.mark.parametrize(
    ("reward", "name", "why"), [(BOXES, "boxes", "boxes in an image"), (JUDGE, "judged", "--reward NAME=judge:FORM")]
)
def test_what_needs_an_image_or_a_model_is_refused_by_its_domain(reward: str, name: str, why: str) -> None:
    (reason,) = reasons(plan(MATH, reward), "domains[].reward")
    assert reason.startswith(f"of {name}: ")
    assert why in reason
    assert f"`--reward {name}=WHICH`" in reason


def test_a_reward_that_is_given_takes_the_place_of_the_worker() -> None:
    from rftconf_runner.rules import give

    new_plan = plan(MATH, CODE)
    give(new_plan, "code=exact")
    assert reasons(new_plan, "reward") == []
    names = {reward.domain: reward.arguments.get("name") or reward.name for reward in job_of(new_plan).rewards}
    assert names == {"code": "exact", "math_rule": "MathRuleRewardWorker"}
    give(new_plan, "math_rule=exact")
    assert {reward.domain: reward.name for reward in job_of(new_plan).rewards} == {
        "code": "exact",
        "math_rule": "exact",
    }


def test_workers_read_the_truth_in_a_column_of_their_own() -> None:
    """All of ROLL's workers read `ground_truth`, whatever `data_args.response` is."""
    of = plan(MATH)
    assert [rows.truth for rows in data_of(StageReader(of.stages[0]), of.source)["data"]] == ["ground_truth"]


def test_answers_to_workers_keep_the_tokenizers_marks() -> None:
    (source,) = worker_rewards(plan(MATH).stages[0], plan(MATH).source)
    assert reads_marks(source)
    assert not reads_marks(RewardSource("", "file.py", "compute_score", {}))
    assert not reads_marks(None)


def told(name: str, answer: str, truth: Any, release: str = "0.3.0", **words: Any) -> tuple[float, float]:
    result = scoring.compute_score("", answer, truth, "roll", release, name, **words)
    return result["score"], result["acc"]


@pytest.mark.parametrize(
    ("answer", "reward_type", "expected"),
    [
        ("so \\boxed{B}<|im_end|>", "soft", (1.0, 1.0)),
        ("the answer is B", "soft", (0.5, 1.0)),
        ("the answer is B", "strict", (-1.0, 0.0)),
        ("the answer is B", "loose", (1.0, 1.0)),
        ("\\boxed{C} B", "soft", (-0.5, 0.0)),
        ("no idea", "soft", (-1.0, 0.0)),
        ("A</think>\n\n\\boxed{B}", "soft", (1.0, 1.0)),
    ],
)
def test_a_choice_earns_by_its_type_and_counts_as_right_where_it_earns(
    answer: str, reward_type: str, expected: tuple[float, float]
) -> None:
    assert told("CrossThinkQARuleRewardWorker", answer, "B", reward_type=reward_type) == expected


def test_repeated_runs_of_three_words_cost_half_their_share() -> None:
    """Of "a b c a b c" the four runs of three words are three different ones."""
    assert roll.repetition("a b c a b c") == -0.125
    assert roll.repetition("a b") == 0.0


def test_a_boxed_choice_has_a_score_and_a_reward_of_zero() -> None:
    """Its worker returns zeros as rewards (multiple_choice_boxed_rule_reward_worker.py)."""
    assert told("MultipleChoiceBoxedRuleRewardWorker", "\\boxed{B}", "B") == (0.0, 1.0)
    assert told("MultipleChoiceBoxedRuleRewardWorker", "answer is B", "B") == (0.0, 0.0)


@pytest.mark.parametrize(
    ("answer", "words", "right"),
    [
        ("One. Two? three", {"func_name": "verify_sentence_constraint", "N": 3, "quantifier": "at least"}, 1.0),
        ("a, b", {"func_name": "validate_no_commas"}, 0.0),
        ("<think>x</think>\n{}", {"func_name": "validate_json_format"}, 1.0),
        ("two words", {"func_name": "verify_keyword_frequency", "word": "absent", "N": 2}, 1.0),
        ("a * * * b", {"func_name": "verify_paragraph_count", "N": 2, "unread": 1}, 1.0),
        ("aa", {"func_name": "verify_letter_frequency", "letter": "ab", "N": 2}, 0.0),
    ],
)
def test_instructions_are_checked_by_the_function_of_the_row(answer: str, words: dict[str, Any], right: float) -> None:
    assert told("GeneralRuleRewardWorker", answer, json.dumps(words)) == (right, right)


def test_mathematics_is_read_behind_the_thought_and_in_the_last_box() -> None:
    pytest.importorskip("math_verify")
    name = "MathRuleRewardWorker"
    assert told(name, "<think>3</think>so $\\boxed{4}$<|im_end|>", "4", prompt="") == (1.0, 1.0)
    assert told(name, "<think>3</think>so $\\boxed{4}$", "4", prompt="<think>\n") == (0.0, 0.0)
    assert told(name, "so $\\boxed{4}$", "4", prompt="") == (0.0, 0.0)
    assert told(name, "so\n\n$\\boxed{4}$", "4", prompt="") == (1.0, 1.0)
    assert told(name, "so $\\boxed{4}$", "4", release="0.1.1") == (1.0, 1.0)


def test_the_last_box_is_whole_and_braces_within_quotes_do_not_count() -> None:
    assert roll._last_box("\\boxed{1} \\boxed{a{b}c}") == "a{b}c"
    assert roll._last_box('\\boxed{"}"2}') == '"}"2'
    assert roll._last_box("\\boxed{1") is None
    assert roll._last_box("none") is None


PASSING = "so\n```python\ndef f(x):\n    return x + 1\n```"
TESTS = [{"assert_code": "def test_f():\n    assert f(1) == 2\n"}]


def code_row(case: str) -> dict[str, Any]:
    return {"case_type": case, "test_cases": json.dumps(TESTS)}


def test_a_domain_of_code_is_run_confined() -> None:
    (source,) = worker_rewards(plan(CODE).stages[0], plan(CODE).source)
    assert source.arguments["name"] == "CodeSandboxRewardWorker"
    assert not reads_marks(source)
    assert [rows.beside for rows in data_of(StageReader(plan(CODE).stages[0]), plan(CODE).source)["data"]] == [
        ("case_type", "test_cases")
    ]


@pytest.mark.skipif(confined.unusable() != "", reason="needs bubblewrap")
@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (PASSING, 1.0),
        (PASSING.replace("+ 1", "+ 2"), 0.0),
        ("```python\nimport os\nos._exit(0)\n```", 0.0),
        (PASSING.replace("return", "open('/etc/hostname'); return"), 0.0),
        (PASSING.replace("return", "import socket; socket.create_connection(('127.0.0.1', 22)); return"), 0.0),
        (PASSING.replace("return", "x = bytearray(5 << 30); return"), 0.0),
    ],
)
def test_code_passes_its_tests_without_files_network_and_much_memory(answer: str, right: float) -> None:
    assert told("CodeSandboxRewardWorker", answer, None, extra_info=code_row("pytest")) == (right, right)


@pytest.mark.skipif(confined.unusable() != "", reason="needs bubblewrap")
def test_code_that_does_not_end_is_ended() -> None:
    assert not confined.passes("while True: pass", 1.0)
    assert not confined.exits_well("import time\ntime.sleep(60)", 1.0)


def test_rows_of_other_tests_are_named() -> None:
    assert scoring.unscored_case("roll", "0.3.0", "CodeSandboxRewardWorker", "pytest") == ""
    assert "'input' is no kind of tests" in scoring.unscored_case("roll", "0.3.0", "CodeSandboxRewardWorker", "input")
    assert scoring.unscored_case("roll", "0.3.0", "MathRuleRewardWorker", "None") == ""


def test_without_bubblewrap_no_code_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "which", lambda _: None)
    confined.unusable.cache_clear()
    assert "install the system's package bubblewrap" in scoring.unscored("roll", "0.3.0", "CodeSandboxRewardWorker")
    confined.unusable.cache_clear()


ASKED = (
    f"judged: {{worker_cls: {WORKERS}llm_judge_reward_worker.LLMJudgeRewardWorker, tag_included: [judged], judge_prompt: some-form, "
    "judge_model_type: inference, model_args: {model_name_or_path: /judge}, strategy_args: {strategy_name: vllm}, "
    "generating_args: {max_new_tokens: 100}, device_mapping: 'list(range(0,1))'}"
)
FORMS = "OWN = 'Q {question} A {response} R {reference}'\nprompt_maps = {'some-form': OWN}\n"


def test_a_domain_of_a_judge_asks_it_by_rolls_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reasons(plan(MATH, ASKED), "reward") == []
    (_, source) = job_of(plan(MATH, ASKED)).rewards
    assert (source.domain, source.name, source.arguments) == ("judged", "says_yes", {"form_name": "some-form"})
    assert asks_in_text(source)
    (tmp_path / "roll" / "utils").mkdir(parents=True)
    (tmp_path / "roll" / "__init__.py").write_text("raise RuntimeError('never executed')\n")
    (tmp_path / "roll" / "utils" / "prompt.py").write_text(FORMS)
    monkeypatch.syspath_prepend(str(tmp_path))
    judged.rolls_form.cache_clear()
    question = judged.judge_prompt("4", "5", "system\nuser\n2 + 2?\nassistant\n", form_name="some-form")
    assert question == "Q 2 + 2?\nassistant A 4 R 5"
    with pytest.raises(ValueError, match="stands for words in ROLL's own code"):
        judged.rolls_form("another")


def test_words_of_a_judge_that_are_not_here_stop_the_run_before_it_starts() -> None:
    judged.rolls_form.cache_clear()
    job = replace(job_of(plan(MATH, ASKED)), data=(), model="m", tokenizer="m", graders=())
    assert [sentence.partition(":")[0] for sentence in absent(job)] == ["stage.placement.auxiliary[].prompt"]
