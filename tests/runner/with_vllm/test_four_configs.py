"""One run, four configs: the demo's script and its translations, each with its own data files, give one curve, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")

from rftconf.cli.app import run
from rftconf.load.load import load
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import open_source
from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, python, without_times

pytestmark = pytest.mark.filterwarnings("default")
PERIODS = {"trainer__total_training_steps": "3"}
LEARNED = ("stage.algorithm.", "stage.optim.", "stage.batch.", "stage.sync.", "stage.sampling.", "stage.model_options.")
SCOPE_ALONE = {"stage.algorithm.loss_norm_scope"}
"""Where a micro-batch is a whole update, as here, its scope is no difference."""


@pytest.fixture(scope="module")
def curve(demo: Path) -> list[dict[str, Any]]:
    """Of the veRL script itself."""
    return without_times(session.run(planned(demo, "verl", **PERIODS), demo / "verl"))


def translated(demo: Path, to: str) -> Plan:
    """The plan of the script's translation, its data files written by the translation's own script."""
    planned(demo, "verl", **PERIODS)
    output, adapters = demo / f"to_{to}.yaml", demo / f"for_{to}"
    assert run(["convert", str(demo / "verl.sh"), "--to", to, "-o", str(output), "--adapters", str(adapters)]) == 0
    done = python(str(adapters / "convert_data.py"))
    assert done.returncode == 0, done.stderr
    return load(read(open_source(str(output)))).plan


def run_of(plan: Plan, demo: Path, name: str) -> list[dict[str, Any]]:
    file = demo / f"{name}_plan.json"
    file.write_text(plan.model_dump_json())
    return without_times(session.run(file, demo / name, reward=f"{demo / 'reward.py'}:compute_score"))


@pytest.mark.parametrize("to", ["trinity", "roll"])
def test_the_same_mathematics_is_the_same_curve(demo: Path, curve: list[dict[str, Any]], to: str) -> None:
    assert run_of(translated(demo, to), demo, to) == curve


OF_CHATLEARN = {
    "stage.algorithm.std_ddof",  # the population's deviation (H38)
    "stage.algorithm.policy_loss.dual_clip_c",  # its cap is on the loss, not on c|A| (H32)
    "stage.algorithm.policy_loss.value_cap",
}


def test_what_chatlearn_cannot_state_is_the_whole_difference(demo: Path, curve: list[dict[str, Any]]) -> None:
    """No loss of these periods reaches the cap, so the one field set back is the same curve; both are the same run."""
    plan = translated(demo, "chatlearn")
    algorithm = plan.stages[0].algorithm
    assert (algorithm.std_ddof, algorithm.policy_loss.dual_clip_c, algorithm.policy_loss.value_cap) == (0, None, 3.0)
    differing = run_of(plan, demo, "chatlearn")
    assert differing[0]["reward"] == curve[0]["reward"]
    assert differing[0]["gradient_norm"] != curve[0]["gradient_norm"]
    algorithm.std_ddof = 1
    assert run_of(plan, demo, "chatlearn_one_field") == curve
    algorithm.policy_loss.dual_clip_c, algorithm.policy_loss.value_cap = 3.0, None
    assert run_of(plan, demo, "chatlearn_set_back") == curve


@pytest.mark.parametrize(("to", "named"), [("chatlearn", OF_CHATLEARN), ("roll", set()), ("trinity", SCOPE_ALONE)])
def test_diff_names_the_cause_and_no_other(
    demo: Path, capsys: pytest.CaptureFixture[str], to: str, named: set[str]
) -> None:
    """Of what is learned from the answers; data files, rewards and seeds have forms of their own in each framework."""
    translated(demo, to)
    capsys.readouterr()
    run(["diff", str(demo / "verl.sh"), str(demo / f"to_{to}.yaml"), "--json"])
    (stage,) = json.loads(capsys.readouterr().out)["stages"]
    names = {difference["path"] for difference in stage["differences"] if difference["effect"] == "mathematics"}
    assert {path for path in names if path.startswith(LEARNED)} == named
    assert all(total["same"] for total in stage["totals"] if total["mathematics"])
