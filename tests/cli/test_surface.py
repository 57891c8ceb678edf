"""The options of each verb, frozen: a change here is a change for every script that calls rftconf."""

from __future__ import annotations

import pytest
import typer

from rftconf.cli.app import run
from rftconf.cli.parser import application
from rftconf.cli.verb_names import VERBS

READING = ["--from", "--from-release", "--set", "--env", "--args", "--launch", "--base", "--source"]
OPTIONS = {
    "convert": [
        *(*READING, "--to", "--to-release", "--rows", "--assume", "--rollout-gpus", "--as", "--form", "--output", "-o"),
        *("--layout", "--questions", "--answers"),
        *("--ledger", "--adapters", "--gpu", "--certify"),
        *("--on-loss", "--verbose", "-v", "--json", "--quiet", "-q", "--color"),
    ],
    "check": [
        *(*READING, "--select", "--ignore", "--severity", "--format", "--json", "--output", "-o", "--statistics"),
        *("--exit-zero", "--fix", "--unsafe-fixes", "--diff", "--baseline", "--write-baseline", "--config"),
        *("--gpu", "--jobs", "-j", "--cache", "--mixed", "--quiet", "-q", "--color"),
    ],
    "plan": [
        *READING,
        "--rows",
        "--assume",
        "--format",
        "--origins",
        "--output",
        "-o",
        "--json",
        "--yaml",
        "--quiet",
        "-q",
        "--color",
    ],
    "diff": [
        *(*READING, "--rows", "--assume", "--set-a", "--set-b", "--only", "--metrics", "--html", "--verbose", "-v"),
        *("--output", "-o", "--json", "--quiet", "-q", "--color"),
    ],
    "new": [
        *("--framework", "--algorithm", "--model", "--gpus", "--gpu", "--nodes", "--data", "--eval-data", "--rows"),
        *("--prompt-tokens", "--response-tokens", "--release", "--force"),
        *("--output", "-o", "--json", "--quiet", "-q", "--color"),
    ],
    "migrate": [
        *(*READING, "--to-release", "--rows", "--assume", "--diff", "--check", "--on-loss"),
        *("--output", "-o", "--verbose", "-v", "--json", "--quiet", "-q", "--color"),
    ],
    "verify": ["--set", "--output", "-o", "--json", "--quiet", "-q", "--color"],
    "budget": [
        *(
            *READING,
            "--assume",
            "--rows",
            "--gpu",
            "--nodes",
            "--gpus-per-node",
            "--model",
            "--trainer-date",
            "--mean-tokens",
            "--step-seconds",
        ),
        *("--explain", "--phase", "--fit", "--front", "--apply", "--html"),
        *("--output", "-o", "--json", "--quiet", "-q", "--color"),
    ],
    "explain": ["--framework", "--release", "--json", "--color"],
    "metrics": [
        "--rename",
        "--from",
        "--to",
        "--to-release",
        "--config",
        "--set",
        "--output",
        "-o",
        "--json",
        "--quiet",
        "-q",
        "--color",
    ],
    "run": [
        *(
            *READING,
            "--rows",
            "--assume",
            "--output",
            "-o",
            "--reward",
            "--leave-out",
            "--resume",
            "--dry-run",
            "--address",
            "--python",
            "--gpu",
            "--gpus",
            "--as-placed",
            "--finish-answers",
            "--no-trackers",
            "--no-validation",
            "--reward-seconds",
            "--answer-seconds",
            "--json",
        ),
        *("--quiet", "-q", "--color"),
    ],
    "launch": [
        *(
            "--from",
            "--from-release",
            "--set",
            "--env",
            "--on",
            "--folder",
            "--image",
            "--claim",
            "--hours",
            "--partition",
        ),
        *("--output", "-o", "--quiet", "-q", "--color"),
    ],
    "runs": ["--metric", "--html", "--output", "-o", "--json", "--color"],
    "schema": ["--from-release", "--trainer", "--output", "-o"],
    "init": ["--from", "--from-release", "--pyproject", "--force", "--dry-run", "--json", "--quiet", "-q"],
    "lsp": [],
    "studio": ["--port", "--open"],
    "mcp": ["--root", "--http"],
}


def test_verbs() -> None:
    assert set(VERBS) == set(OPTIONS)


@pytest.mark.parametrize("verb", VERBS)
def test_options(verb: str) -> None:
    command = typer.main.get_command(application()).commands[verb]  # type: ignore[attr-defined]
    values = [option for param in command.params if param.param_type_name == "option" for option in param.opts]
    assert sorted(values) == sorted(OPTIONS[verb])


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    out = capsys.readouterr().out
    assert "Examples:\n" in out
    assert f"    rftconf {verb}" in out


def test_no_arguments_print_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) in (0, 2)
    out, err = capsys.readouterr()
    assert "rftconf convert run_grpo.sh --to trinity" in out + err


@pytest.mark.parametrize(
    ("words", "count", "text"),
    [
        ("rftconf convert x --to t", 4, "trinity"),
        ("rftconf co", 1, "convert"),
        ("rftconf diff a b --only m", 5, "mathematics"),
        ("rftconf diff a b --from r", 5, "roll"),
        ("rftconf explain SYN11", 2, "SYN110"),
    ],
)
def test_completion(
    words: str, count: int, text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_RFTCONF_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(count))
    run([])
    assert text in capsys.readouterr().out.split()
