"""Rewards by rule, and how `--reward` names one."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from rftconf_runner import rules


@pytest.mark.parametrize(
    ("answer", "truth", "reward"),
    [
        ("so 3 + 4 = 7\n#### 7", "7", 1.0),
        ("#### 1,234.0", "He has 1234 left.\n#### 1234", 1.0),
        ("it is 7 and no more", "7", 1.0),
        ("#### -7", "7", 0.0),
        ("#### none", "7", 0.0),
        ("7 #### 8", "7", 0.0),
        ("", "7", 0.0),
    ],
)
def test_gsm8k(answer: str, truth: str, reward: float) -> None:
    assert rules.gsm8k(answer, truth) == reward


def test_exact_and_form() -> None:
    assert [rules.exact(answer, 12) for answer in ("12", " 12\n", "012")] == [1.0, 1.0, 0.0]
    pattern = "<think>.*</think>.+"
    assert rules.matches("<think>a\nb</think>7", pattern) == 1.0
    assert rules.matches("7 <think>a</think>7", pattern) == 0.0


@pytest.mark.skipif(find_spec("math_verify") is None, reason="needs math-verify")
@pytest.mark.parametrize(
    ("answer", "truth", "reward"),
    [
        ("thus $\\boxed{\\frac{2}{4}}$", "\\frac{1}{2}", 1.0),
        ("$x = 0.5$", "$\\frac{1}{2}$", 1.0),
        ("$\\boxed{3}$", "4", 0.0),
        ("I do not know", "4", 0.0),
    ],
)
def test_math_verify(answer: str, truth: str, reward: float) -> None:
    assert rules.math_verify(answer, truth) == reward


def test_what_a_reward_may_be() -> None:
    assert rules.parse_reward_option("reward.py:score") == ("reward.py", "score", {})
    assert rules.parse_reward_option("reward.py") == ("reward.py", "compute_score", {})
    assert rules.parse_reward_option("gsm8k") == (rules.__file__, "gsm8k", {})
    assert rules.parse_reward_option("format:a:b+") == (rules.__file__, "matches", {"pattern": "a:b+"})
    path, name, _ = rules.parse_reward_option("json.decoder:loads")
    assert (Path(path).name, name) == ("decoder.py", "loads")


@pytest.mark.parametrize(
    ("words", "message"),
    [("format:(", "--reward format:\\("), ("nothing.here:f", "neither a rule"), ("nothing", "neither a rule")],
)
def test_what_it_may_not_be(words: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules.parse_reward_option(words)


def test_a_rule_whose_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match="pip install math-verify"):
        rules.parse_reward_option("math_verify")
