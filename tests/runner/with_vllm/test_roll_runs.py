"""A ROLL config, really run: its workers' rewards, masks of whole answers, domains whitened by themselves, an engine's shorter context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner.scores import confined

from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.runner.test_after_norm import ROLL
from tests.runner.with_vllm import session

pytestmark = pytest.mark.filterwarnings("default")
WORKERS = "roll.pipeline.rlvr.rewards."
DOMAINS = f"""rewards:
  math_rule: {{worker_cls: {WORKERS}math_rule_reward_worker.MathRuleRewardWorker, tag_included: [sums]}}
  questions: {{worker_cls: {WORKERS}crossthinkqa_rule_reward_worker.CrossThinkQARuleRewardWorker, tag_included: [letters], reward_type: soft}}
norm_mean_type: batch
norm_std_type: batch
whiten_advantages: true
max_len_mask: true
difficulty_mask: true
difficulty_low_threshold: 0.1
difficulty_high_threshold: 0.95
reward_clip: 10
advantage_clip: 2.0
dual_clip_loss: true
"""
LONGEST = 18


CODE = DOMAINS.replace(
    "crossthinkqa_rule_reward_worker.CrossThinkQARuleRewardWorker", "code_sandbox_reward_worker.CodeSandboxRewardWorker"
)
TESTS = {"case_type": "pytest", "test_cases": json.dumps([{"assert_code": "assert True"}])}


def planned(demo: Path, name: str, domains: str = DOMAINS) -> Path:
    """The plan of two periods of 8 prompts, 4 of each domain."""
    rows = [
        {
            "messages": json.dumps([{"role": "user", "content": f"{a}+{b}="}]),
            "ground_truth": str(a + b),
            "tag": tag,
            **TESTS,
        }
        for a, tag in ((3, "sums"), (4, "sums"), (5, "letters"), (6, "letters"))
        for b in range(8)
    ]
    data = demo / f"{name}.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    head, _, _ = ROLL.partition("rewards:")
    changes = {
        "/m\n": f"{demo / 'model'}\n", "/d/train.jsonl": f"{data}, messages: messages", "{math_rule: 1.0}": "{math_rule: 0.5, questions: 0.5}",
        "max_steps: 20": "max_steps: 2", "adv_estimator: grpo": "adv_estimator: reinforce",
        "{strategy_name: fsdp2_train}": "{strategy_name: fsdp2_train, strategy_config: {param_dtype: fp32}}",
        "{strategy_name: vllm}": f"{{strategy_name: vllm, strategy_config: {{max_model_len: {LONGEST}}}}}",
    }  # fmt: skip
    for before, after in changes.items():
        assert before in head
        head = head.replace(before, after)
    plan = load(read(Source("run.yaml", head + domains)), release="0.3.0").plan
    file = demo / f"{name}.json"
    file.write_text(plan.model_dump_json())
    return file


def test_where_no_answer_is_right_every_group_is_too_hard_and_nothing_is_learned(demo: Path) -> None:
    """A random model boxes nothing: sums earn 0, letters -1, whose scores are 0; ROLL skips such a step."""
    pytest.importorskip("math_verify")
    metrics = session.run(planned(demo, "roll_hard"), demo / "roll_hard")
    for period in metrics:
        assert period["rewards"]["math_rule"] == 0
        assert period["rewards"]["questions"] <= -1
        assert period["masked_answers"] == 1
        assert "loss" not in period


@pytest.mark.skipif(confined.unusable() != "", reason="needs bubblewrap")
def test_code_is_run_confined_while_a_run_goes_on(demo: Path) -> None:
    """Signs by chance are hardly a program; one that is passes a test that asks for nothing."""
    pytest.importorskip("math_verify")
    metrics = session.run(planned(demo, "roll_code", CODE), demo / "roll_code")
    assert len(metrics) == 2
    assert all(0 <= period["rewards"]["questions"] < 1 for period in metrics)


BY_CHANCE = '''"""Right by chance: an answer whose first sign has a number that is no multiple of four."""


def compute_score(data_source, solution_str, ground_truth, extra_info):
    assert ground_truth.isdigit()
    return float(ord((solution_str or "a")[0]) % 4 > 0)
'''


def test_what_is_left_of_a_period_is_learned_from(demo: Path) -> None:
    (demo / "odd.py").write_text(BY_CHANCE)
    metrics = session.run(planned(demo, "roll_odd"), demo / "roll_odd", reward=f"{demo / 'odd.py'}:compute_score")
    assert len(metrics) == 2
    assert any(period["masked_answers"] > 0 for period in metrics)
    for period in metrics:
        assert period["masked_answers"] < 1
        assert abs(period["loss"]) < 2
        assert period["gradient_norm"] > 0
        assert period["response_tokens"] < LONGEST
