"""The frameworks' rewards: which rule scores what, what is refused by name, and what a limit of time does."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from rftconf_runner.data import Prompt
from rftconf_runner.framework_rewards import has_rules, unscored_row
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals
from rftconf_runner.scores import arithmetic, confined, fusion, latex, numeric, scoring, table, verl, waiting
from rftconf_runner.scores.pool import LATE, Pool

from rftconf.plan.model import Plan
from tests.runner.test_job import plan

BARE = {"reward__custom_reward_function__path": "null"}
SCORE = "rftconf_runner.scores.scoring:compute_score"


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    new_pool = Pool(2.0, 2)
    yield new_pool
    new_pool.close()


@pytest.mark.parametrize(
    ("release", "source", "answer", "truth", "reward"),
    [
        ("0.9.1", "openai/gsm8k", "#### 5\n#### 7", "7", 1.0),
        ("0.3.0", "openai/gsm8k", "#### 5\n#### 7", "7", 0.0),
        ("0.9.1", "openai/gsm8k", "The answer is 7", "7", 0.0),
        ("0.4.1", "openai/gsm8k", "#### 7" + " " * 400, "7", 1.0),
        ("0.5.0", "openai/gsm8k", "#### 7" + " " * 400, "7", 0.0),
        ("0.9.1", "lighteval/MATH", "so $\\boxed{\\dfrac12}$", "0.5", 1.0),
        ("0.9.1", "lighteval/MATH", "so \\boxed{3", "3", 0.0),
        ("0.9.1", "lighteval/MATH", "so \\fbox{3}", "3", 0.0),
        ("0.9.1", "searchR1_nq", "<answer>The Beatles.</answer>", {"target": ["beatles"]}, 1.0),
    ],
)
def test_what_an_answer_earns(release: str, source: str, answer: str, truth: object, reward: float) -> None:
    result = scoring.compute_score(source, answer, truth, "verl", release, extra_info={})
    assert result == reward


def test_a_box_counts_from_the_release_on_that_reads_it() -> None:
    scores = [
        scoring.compute_score("math_dapo", "\\boxed{7}", "7", "verl", name)["score"] for name in ("0.9.0", "0.9.1")
    ]
    assert scores == [-1.0, 1.0]


@pytest.mark.parametrize(
    ("release", "source", "message"),
    [
        ("0.9.1", "codecontests", "names Sandbox Fusion's service"),
        ("0.9.1", "mine", "has no reward in verl 0.9.1 itself"),
        ("0.4.1", "HuggingFaceH4/MATH-500", "has no reward"),
        ("0.3.0", "aime_2024", "has no reward"),
        ("0.3.0", "numina_olympiads", "sympy's reading of LaTeX"),
    ],
)
def test_what_is_not_scored_is_said_by_name(release: str, source: str, message: str) -> None:
    assert message in scoring.unscored("verl", release, source)
    with pytest.raises(ValueError, match=message):
        scoring.compute_score(source, "7", "7", "verl", release)


@pytest.mark.parametrize(
    "text",
    [
        "Matrix(__import__('os').system('true'))",
        "Matrix([[open('x')]])",
        "Matrix([[().__class__]])",
        "Matrix([[S('1')]])",
        "Matrix([[xs]])",
        "Matrix([[1]]).applyfunc",
        "Matrix([[1]])+open",
    ],
)
def test_no_word_of_an_answer_reaches_sympys_parser(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It evaluates what it reads; veRL hands it whatever begins with Matrix."""
    monkeypatch.setitem(
        sys.modules, "sympy.parsing.sympy_parser", None
    )  # importing it would raise, and not be caught here
    assert not arithmetic.is_plain_matrix(text)
    assert not numeric._same_matrix(text, "\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}")


@pytest.mark.parametrize("text", ["Matrix([[1], [2]])", "Matrix([[1/2, -x], [0.5, 3*y]])", "Matrix([])"])
def test_a_plain_matrix_is_read(text: str) -> None:
    assert arithmetic.is_plain_matrix(text)


@pytest.mark.parametrize(
    ("text", "reaches"), [("(x.a)-(1)", True), ("(1. a)-(2)", True), ("(0.5)-(.5*x)", False), ("(x)-(1.)", False)]
)
def test_attributes_are_no_mathematics(text: str, reaches: bool) -> None:
    assert arithmetic.has_attributes(text) == reaches


def test_a_missing_package_is_said_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "find_spec", lambda _: None)
    assert "pip install mathruler" in scoring.unscored("verl", "0.9.1", "hiyouga/geometry3k")


def test_no_name_has_two_rules() -> None:
    """No name has two rules in a release; asked for each release in which a rule changes."""
    releases = ("0.2.0", "0.3.0", "0.4.1", "0.5.0", "0.6.1", "0.8.0", "0.9.0", "0.9.1", "0.10.0")
    for release in releases:
        for name in {name for rule in table.RULES if rule.framework == "verl" for name in rule.names}:
            fitting = [rule for rule in table.RULES if rule.fits("verl", release, name.replace("*", "24"))]
            assert len(fitting) <= 1, (release, name)


def test_a_config_without_a_reward_function_has_its_frameworks() -> None:
    new_plan = plan(**BARE)
    assert refusals(new_plan) == []
    (source,) = job_of(new_plan).rewards
    assert (source.path, source.arguments) == (scoring.__file__, {"framework": "verl", "release": "0.9.1"})
    assert has_rules(job_of(new_plan))


def test_a_manager_that_scores_otherwise_is_refused() -> None:
    new_plan = plan(**BARE, reward__reward_manager__name="gdpo")
    assert {"stage.reward.manager", "stage.reward.function_path"} <= {refusal.path for refusal in refusals(new_plan)}


def test_rows_that_nothing_scores_stop_the_run_before_it_starts() -> None:
    job = job_of(plan(**BARE))
    rows = [Prompt(0, (1,), "openai/gsm8k", "7"), Prompt(1, (1,), "apps", "7")]
    assert unscored_row(job, rows[:1]) == ""
    assert unscored_row(job, rows).startswith("stage.data.train: row 1: 'apps' in verl 0.9.1")
    assert "data_source" in unscored_row(job, [Prompt(0, (1,), "", "7")])
    assert unscored_row(replace(job, rewards=()), rows) == ""


def test_answers_are_scored_side_by_side_in_their_order(pool: Pool) -> None:
    options = [
        (SCORE, {"data_source": "openai/gsm8k", "solution_str": f"#### {index}", "ground_truth": "7", "framework": "verl", "release": "0.9.1"})
        for index in range(20)
    ]  # fmt: skip
    assert pool.came(options) == [(True, float(index == 7)) for index in range(20)]


def test_what_takes_too_long_is_late_and_others_are_not(pool: Pool) -> None:
    right = ("builtins:dict", {"a": 1})
    assert pool.came([right] * 8) == [(True, {"a": 1})] * 8  # both processes are there
    assert pool.came([("signal:pause", {}), right, ("math:isqrt", {})])[:2] == [(False, LATE), (True, {"a": 1})]


def test_a_process_that_ends_is_said_and_another_goes_on(pool: Pool) -> None:
    assert pool.came([("os:abort", {})])[0][0] is False
    assert pool.came([("builtins:dict", {})] * 3) == [(True, {})] * 3


def test_a_limit_within_a_process() -> None:
    began = time.monotonic()
    with waiting.within(0.05):
        time.sleep(5)
    assert time.monotonic() - began < 4


def test_only_numbers_are_computed() -> None:
    assert arithmetic.evaluated(" 2*3.5-1") == 6.0
    assert arithmetic.evaluated("[1, (2, -3)]") == [1, (2, -3)]
    for text in ("__import__('os')", "x", "f(1)", "a.b", "[x for x in (1,)]"):
        with pytest.raises((ValueError, SyntaxError)):
            arithmetic.evaluated(text)


def test_the_plain_form_has_an_end() -> None:
    assert latex.Plain()("x = \\dfrac{1}{2}\\text{ cm}") == "\\frac{1}{2}"
    with pytest.raises(latex.UnreadableError):
        latex.Plain()("\\sqrt")
    assert latex.last_box("\\boxed{a{b}} \\boxed{c") is None
    assert verl.words("The  End, an Ode") == "end ode"


@pytest.mark.parametrize(
    ("message", "expected", "same"),
    [("50%", "0.5", True), ("(1, 2)", "(1,2.0)", True), ("2\\pi", "6.28", True), ("[1, 2]", "\\begin{pmatrix}1\\2\\end{pmatrix}", True), ("x", "y", False)],
)  # fmt: skip
def test_the_same_number(message: str, expected: str, same: bool) -> None:
    assert numeric.equal(message, expected, matrices=True) is same


def test_code_of_verls_is_run_where_the_config_names_a_service() -> None:
    """Without one veRL runs it by prime_code, which the runner does not have."""
    of = own_plan()
    of.extensions.setdefault("verl", {})["reward.sandbox_fusion.url"] = "http://somewhere/run_code"
    (source,) = job_of(of).rewards
    assert source.arguments == {"framework": "verl", "release": "0.9.1", "confined": True}
    assert refusals(of) == []
    rule = table.rule("verl", "0.9.1", "taco", confined=True)
    assert rule is not None
    assert rule.cited.startswith("verl/utils/reward_score/sandbox_fusion")
    assert "names Sandbox Fusion's service" in scoring.unscored("verl", "0.9.1", "taco")


def own_plan() -> Plan:
    of = plan()
    of.stages[0].reward.function_path = of.stages[0].reward.function_name = None
    return of


@pytest.mark.skipif(confined.unusable() != "", reason="needs bubblewrap")
@pytest.mark.parametrize(
    ("program", "cases", "share"),
    [
        ("print(int(input()) + 1)", {"inputs": ["1\n", "2\n"], "outputs": ["2", "4"]}, 0.5),
        ("def f(a, b):\n    return [a, b]", {"inputs": ["1\n2"], "outputs": ["[1, 2]"], "fn_name": "f"}, 1.0),
        ("import os\nprint(os.read(0, 9).decode())", {"inputs": ["x"] * 12, "outputs": ["x"] * 5 + ["y"] * 7}, 0.5),
        ("def f(a):\n    return a", {"assert_case": ["assert f(1) == 1", "assert f(1)"]}, 1.0),
        ("print(open('/etc/hostname').read())", {"inputs": [""], "outputs": [""]}, 0.0),
    ],
)
def test_programs_earn_the_share_of_the_first_ten_cases(program: str, cases: Any, share: float) -> None:
    """veRL, sandbox_fusion.compute_score with continuous=True."""
    answer = f"```python\n{program}\n```"
    assert scoring.compute_score("taco", answer, json.dumps(cases), "verl", "0.6.1", confined=True) == share
    assert fusion.passed(program, json.dumps(cases)) == 0.0
