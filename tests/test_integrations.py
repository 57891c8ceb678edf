"""The files other tools read: pre-commit's hooks and the GitHub action."""

from __future__ import annotations

import typer
import yaml

from rftconf.cli.parser import application
from tests.sources import ROOT


def options_of_check() -> set[str]:
    command = typer.main.get_command(application()).commands["check"]  # type: ignore[attr-defined]
    return {option for param in command.params if param.param_type_name == "option" for option in param.opts}


def test_hooks_call_what_exists() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["rftconf", "rftconf-fix"]
    for hook in hooks:
        program, verb, *remainder = hook["entry"].split()
        assert (program, verb) == ("rftconf", "check")
        assert set(remainder) <= options_of_check()
        assert hook["language"] == "python"


def test_the_action_passes_inputs_through_the_environment() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"], "an input in a script could run anything"
        assert step["shell"] == "bash"
    assert {"--format", "--output"} <= options_of_check()
