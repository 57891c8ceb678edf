"""Every verb of the installed wheel does its work outside the checkout, in each Python."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from rftconf.cli.verb_names import VERBS
from tests.cli.conversation import conversation
from tests.packaging.built import ENVIRONMENTS
from tests.sources import ROOT

INPUT = ROOT / "golden" / "convert" / "readme" / "input.sh"
ROWS = ("--rows", "7473")
METRICS = '{"step": 1, "actor/pg_loss": 0.5, "critic/score/mean": 0.25}\n'


@dataclass(frozen=True, slots=True)
class Call:
    """A command line after `rftconf`, its exit code, and a part of what it prints or writes."""

    words: tuple[str, ...]
    shows: str
    code: int = 0
    file: str | None = None
    before: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)


CALLS = {
    "convert": Call(("convert", "run.sh", "--to", "trinity", *ROWS, "--adapters", "adapters"), "repeat_times: 8"),
    "check": Call(("check", "run.sh"), "1 file"),
    "migrate": Call(("migrate", "run.sh", "--to-release", "0.8.0", "--diff"), "0.8.0"),
    "plan": Call(("plan", "run.sh", "--json"), '"responses_per_prompt": 8'),
    "diff": Call(("diff", "run.sh", "run.sh"), "same"),
    "verify": Call(
        ("verify", "out.yaml.certificate.json"),
        "holds",
        before=("convert", "run.sh", "--to", "trinity", *ROWS, "--certify", "-o", "out.yaml"),
    ),
    "budget": Call(("budget", "run.sh", "--gpu", "h100-80g"), "GiB"),
    "explain": Call(("explain", "actor_rollout_ref.rollout.n"), "responses"),
    "metrics": Call(
        ("metrics", "--rename", "m.jsonl", "--from", "verl", "--to", "trinity"), "step", beside={"m.jsonl": METRICS}
    ),
    "new": Call(
        (
            *("new", "--framework", "verl", "--algorithm", "grpo", "--model", "Qwen/Qwen2.5-7B-Instruct"),
            *("--gpus", "8", "--gpu", "h100-80g", "-o", "new.sh"),
        ),
        "verl.trainer.main_ppo",
        file="new.sh",
    ),
    "init": Call(("init", "."), 'framework = "verl"', file="rftconf.toml"),
    "run": Call(("run", "run.sh", "--dry-run", "--python", "/bin/true"), "what would be placed where"),
    "launch": Call(("launch", "run.sh", "--on", "slurm", "--folder", "/shared/x"), "#SBATCH"),
    "runs": Call(("runs",), "no run"),
    "schema": Call(("schema", "trinity"), '"repeat_times"'),
}
SERVERS = ("lsp", "studio", "mcp")
"""Verbs that go on until they are told to stop."""


def command(environment: Path) -> str:
    return str(environment / "bin" / "rftconf")


def surroundings() -> dict[str, str]:
    """Nothing that could lead Python to the checkout."""
    return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


def called(environment: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [command(environment), *words],
        cwd=folder,
        env=surroundings(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


everywhere = pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda folder: f"python-{folder.name}")


def test_there_is_an_environment_and_a_call_for_every_verb() -> None:
    assert ENVIRONMENTS, "make packaging-env"
    assert set(CALLS) | set(SERVERS) == set(VERBS)


@everywhere
def test_it_is_the_wheel_that_runs(environment: Path, tmp_path: Path) -> None:
    name = "import rftconf, rftconf_runner; print(rftconf.__version__, rftconf.__file__, rftconf_runner.__file__)"
    python = [str(environment / "bin" / "python"), "-c", name]
    done = subprocess.run(python, cwd=tmp_path, env=surroundings(), capture_output=True, text=True, check=True)
    assert done.stdout.count(str(environment)) == 2
    assert called(environment, tmp_path, "--version").stdout == f"rftconf {done.stdout.split()[0]}\n"


@everywhere
@pytest.mark.parametrize("verb", CALLS)
def test_a_verb(environment: Path, verb: str, tmp_path: Path) -> None:
    call = CALLS[verb]
    shutil.copyfile(INPUT, tmp_path / "run.sh")
    for name, text in call.beside.items():
        (tmp_path / name).write_text(text)
    if call.before:
        assert called(environment, tmp_path, *call.before).returncode == 0
    done = called(environment, tmp_path, *call.words)
    assert done.returncode == call.code, done.stdout + done.stderr
    assert call.shows in ((tmp_path / call.file).read_text() if call.file else done.stdout + done.stderr)
    assert "Traceback" not in done.stderr


@everywhere
def test_the_python_interface(environment: Path, tmp_path: Path) -> None:
    shutil.copyfile(INPUT, tmp_path / "run.sh")
    name = (
        "import rftconf; run = rftconf.read('run.sh', rows=7473); roll = run.convert('roll'); "
        "print(run.framework, run.check().errors, roll.framework, run.budget('h100-80g').verdict, run.diff(run).verdict)"
    )
    python = [str(environment / "bin" / "python"), "-c", name]
    done = subprocess.run(python, cwd=tmp_path, env=surroundings(), capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("verl () roll fits same\n", "")


@everywhere
def test_lsp(environment: Path, tmp_path: Path) -> None:
    answers, code, problems = conversation([command(environment), "lsp"], tmp_path, surroundings())
    assert answers[1]["result"]["serverInfo"]["name"] == "rftconf"
    assert (code, problems) == (0, "")


@everywhere
def test_studio(environment: Path, tmp_path: Path) -> None:
    words = [command(environment), "studio", "--port", "0"]
    with subprocess.Popen(words, cwd=tmp_path, env=surroundings(), stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            with urlopen(address) as page:
                assert b"<html" in page.read()
        finally:
            process.terminate()


@everywhere
def test_mcp(environment: Path, tmp_path: Path) -> None:
    words = [command(environment), "mcp", "--http", "0"]
    with subprocess.Popen(words, cwd=tmp_path, env=surroundings(), stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}'
            headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
            with urlopen(Request(address, body, headers)) as answer:
                assert b'"migrate"' in answer.read()
        finally:
            process.terminate()


@everywhere
def test_the_golden_cases_convert_to_the_same_bytes(environment: Path, tmp_path: Path) -> None:
    """Every case of golden/ outside the checkout: scripts/golden.py names the files that it would write anew."""
    shutil.copytree(ROOT / "golden", tmp_path / "golden")
    (tmp_path / "scripts").mkdir()
    shutil.copyfile(ROOT / "scripts" / "golden.py", tmp_path / "scripts" / "golden.py")
    python = [str(environment / "bin" / "python"), "scripts/golden.py"]
    done = subprocess.run(python, cwd=tmp_path, env=surroundings(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
