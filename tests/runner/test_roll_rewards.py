"""ROLL's workers that score by rule: which domain is scored by which, what they give, what is refused and told to do instead."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rftconf_runner.data_reader import data_of
from rftconf_runner.framework_rewards import reads_marks, worker_rewards
from rftconf_runner.job import RewardSource
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals
from rftconf_runner.scores import roll, scoring
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
    ("reward", "name", "why"), [(CODE, "code", "no sandbox"), (JUDGE, "judged", "--reward NAME=judge:FORM")]
)
def test_what_needs_a_sandbox_or_a_model_is_refused_by_its_domain(reward: str, name: str, why: str) -> None:
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
