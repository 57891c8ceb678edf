"""Every metric of the table is logged by the function that the table names, in the release that was read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rftconf.metrics.quantity import RUNNER, Logged
from rftconf.metrics.table import COUNTERS, QUANTITIES
from rftconf.schemas import registry
from tests.conformance.environment import ROOT, folder

ROWS = [(framework, logged) for quantity in QUANTITIES for framework, logged in quantity.logged.items()]
"""Every framework's name for every quantity."""


def home(framework: str, logged: Logged) -> Path:
    """Where the code lies that logs it: a package of the environment, or this repository."""
    if framework == RUNNER:
        return ROOT
    known = registry.framework(framework)
    if logged.package:
        return folder() / "releases" / f"{logged.package}-{known.pins[known.newest][0]}"
    return folder() / "releases" / f"{framework}-{known.newest}"


def bodies(file: Path, function: str) -> list[str]:
    """The text of every function of that name."""
    text = file.read_text(encoding="utf-8")
    found = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function
    ]
    return [ast.get_source_segment(text, node) or "" for node in found]


@pytest.mark.parametrize(("framework", "logged"), ROWS, ids=[f"{name}-{logged.name}" for name, logged in ROWS])
def test_the_name_is_where_the_table_says(framework: str, logged: Logged) -> None:
    at = home(framework, logged)
    if not at.is_dir():
        pytest.skip(f"{at.name} is not in {at.parent}; `make conformance-env` puts it there")
    found = bodies(at / logged.file, logged.function)
    assert found, f"{logged.file} has no function {logged.function}"
    wanted = logged.text or logged.name
    assert any(wanted in body for body in found), f"{logged.function} in {logged.file} does not say {wanted}"


STEPS = {
    "verl": ("verl/trainer/ppo/v1/trainer_base.py", "fit", "self.logger.log(data=metrics, step=self.global_steps)"),
    "trinity/trainer": ("trinity/trainer/trainer.py", "train", "self.monitor.log(metrics, self.train_step_num)"),
    "trinity/explorer": ("trinity/explorer/explorer.py", "_finish_explore_step", "self.monitor.log(metric, step=step)"),
    "roll": ("roll/pipeline/rlvr/rlvr_pipeline.py", "run", "self.tracker.log(values=metrics, step=global_step)"),
    "chatlearn": ("chatlearn/runtime/engine.py", "logging_summary", "self.metric_manager.log(prefix, iteration + 1"),
    "runner": ("runners/rftconf_runner/record.py", "note", "metrics.log(\n            period=period"),
}
"""What each counter's values are, in the code that logs against it."""


def test_every_counter_has_its_code() -> None:
    assert set(STEPS) == {f"{one.framework}/{one.run}".rstrip("/") for one in COUNTERS}


@pytest.mark.parametrize("counter", STEPS)
def test_metrics_are_logged_against_that_counter(counter: str) -> None:
    framework = counter.partition("/")[0]
    file, function, text = STEPS[counter]
    at = home(framework, Logged("", file, function))
    if not at.is_dir():
        pytest.skip(f"{at.name} is not in {at.parent}; `make conformance-env` puts it there")
    assert any(text in body for body in bodies(at / file, function)), f"{function} in {file}"
