"""Every metric of the table is logged by the function that the table names, in the release that was read."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from rftconf.mappers.logged import Logged
from rftconf.metrics.naming import name_in
from rftconf.metrics.quantity import RUNNER
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
    if logged.package_release:
        return folder() / "releases" / f"{logged.package}-{logged.package_release}"
    if logged.package != framework:
        return folder() / "releases" / f"{logged.package}-{known.pins[known.newest][0]}"
    return folder() / "releases" / f"{framework}-{known.newest}"


def bodies(file: Path, function: str) -> list[str]:
    """The text of every function of that name."""
    text = file.read_text(encoding="utf-8")
    values = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function
    ]
    return [double_quoted(ast.get_source_segment(text, node) or "") for node in values]


def double_quoted(code: str) -> str:
    """Code of early releases, which have both kinds of quotes, with the one that later ones have."""
    return code.replace("'", '"')


@pytest.mark.parametrize(("framework", "logged"), ROWS, ids=[f"{name}-{logged.name}" for name, logged in ROWS])
def test_the_name_is_where_the_table_says(framework: str, logged: Logged) -> None:
    path = home(framework, logged)
    if not path.is_dir():
        pytest.skip(f"{path.name} is not in {path.parent}; `make conformance-env` puts it there")
    values = bodies(path / logged.file, logged.function)
    assert values, f"{logged.file} has no function {logged.function}"
    expected = logged.text or logged.name
    assert any(expected in body for body in values), f"{logged.function} in {logged.file} does not say {expected}"


OTHERWISE = {
    "rollout/accuracy/mean": 'gather_metrics([status.metrics[0] for status in statuses], "rollout")',
    "eval/eval_{source}": '"eval_"+key',
    "actor_train/grad_norm": '"/" + "grad_norm"',
    "critic/grad_norm": '"/" + "grad_norm"',
}
"""How earlier releases put together a name that is the same."""


def evidence(logged: Logged, name: str) -> tuple[str, ...]:
    """What stands in the code of a release that logs it under that name: one of these."""
    older = next((older for older in logged.older if older.name == name and older.until), None)
    if older is not None:
        return (older.text or older.name,)
    return (logged.text or logged.name, f'"{logged.name}"', OTHERWISE.get(logged.name, logged.name))


EARLIER = [
    (framework, release, logged)
    for framework, logged in ROWS
    if framework != RUNNER and logged.package == framework
    for release in registry.framework(framework).releases[:-1]
]


@pytest.mark.parametrize(
    ("framework", "release", "logged"),
    EARLIER,
    ids=[f"{name}-{release}-{logged.name}" for name, release, logged in EARLIER],
)
def test_earlier_releases_call_it_as_the_table_says(framework: str, release: str, logged: Logged) -> None:
    path = folder() / "releases" / f"{framework}-{release}"
    if not path.is_dir():
        pytest.skip(f"{path.name} is not in {path.parent}; `make conformance-env` puts it there")
    name = name_in(logged, framework, release)
    expected = evidence(logged, name or logged.name)
    if name:
        assert any(text in whole(path / framework) for text in expected), f"{release} nowhere says {expected}"
    elif (path / logged.file).is_file():
        assert not any(text in body for body in bodies(path / logged.file, logged.function) for text in expected)
    else:
        assert f'"{logged.name}"' not in whole(path / framework)


@cache
def whole(package: Path) -> str:
    """All code of a package."""
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in sorted(package.rglob("*.py")))
    return double_quoted("\n".join(texts))


STEPS = {
    "verl": ("verl/trainer/ppo/v1/trainer_base.py", "fit", "self.logger.log(data=metrics, step=self.global_steps)"),
    "trinity/trainer": ("trinity/trainer/trainer.py", "train", "self.monitor.log(metrics, self.train_step_num)"),
    "trinity/explorer": ("trinity/explorer/explorer.py", "_finish_explore_step", "self.monitor.log(metric, step=step)"),
    "roll": ("roll/pipeline/rlvr/rlvr_pipeline.py", "run", "self.tracker.log(values=metrics, step=global_step)"),
    "trl": ("transformers/integrations/integration_utils.py", "on_log", '"train/global_step": state.global_step'),
    "openrlhf": ("openrlhf/utils/logging_utils.py", "log_train", '"global_step": global_step'),
    "chatlearn": ("chatlearn/runtime/engine.py", "logging_summary", "self.metric_manager.log(prefix, iteration + 1"),
    "nemo_rl": (
        "nemo_rl/algorithms/grpo.py",
        "grpo_train",
        'logger.log_metrics(metrics, total_steps + 1, prefix="train")',
    ),
    "runner": ("runners/rftconf_runner/record.py", "note", "metrics.log(\n            period=period"),
}
"""What each counter's values are, in the code that logs against it."""


def test_every_counter_has_its_code() -> None:
    assert set(STEPS) == {f"{counter.framework}/{counter.run}".rstrip("/") for counter in COUNTERS}


@pytest.mark.parametrize("counter", STEPS)
def test_metrics_are_logged_against_that_counter(counter: str) -> None:
    framework = counter.partition("/")[0]
    file, function, text = STEPS[counter]
    release = "5.20.2" if file.startswith("transformers/") else ""
    path = home(framework, Logged("", file, function, package_release=release))
    if not path.is_dir():
        pytest.skip(f"{path.name} is not in {path.parent}; `make conformance-env` puts it there")
    assert any(text in body for body in bodies(path / file, function)), f"{function} in {file}"
