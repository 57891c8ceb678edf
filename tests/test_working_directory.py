"""Nothing of the working directory is executed: it may be a stranger's checkout, with modules named like Python's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

import rftconf
from rftconf.base.import_path import leave_out_working_directory
from rftconf.cli import app
from tests.cli.scripts import GRPO
from tests.sources import ROOT

DEPENDENCIES = {
    *("pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection", "yaml", "_yaml"),
    *("click", "typer", "rich", "shellingham", "tomli", "pyarrow", "numpy", "pygls", "lsprotocol", "cattrs", "attr"),
    *("attrs", "starlette", "uvicorn", "anyio", "h11", "idna", "sniffio", "httptools", "uvloop", "websockets"),
    *(
        "mcp",
        "mcp_types",
        "opentelemetry",
        "httpx2",
        "ray",
        "torch",
        "vllm",
        "rftconf_runner",
        "pip",
        "setuptools",
        "wheel",
        "sitecustomize",
        "usercustomize",
    ),
}
PLANTED = """with open(__file__ + ".ran", "w") as canary:
    canary.write(__name__)
raise ImportError(f"{__name__} of the working directory was executed")
"""
METHODS = ("fork", "spawn", "forkserver")
BIN = Path(sys.executable).parent
PROGRAM = """import multiprocessing
import sys

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv.pop(1))
    from rftconf.cli.app import main

    main()
"""
"""The command as an installed script starts it, with a way of starting processes that other systems have."""
VERBS = {
    "convert": ["convert", "run0.sh", "--to", "trinity", "-o", "made.yaml", "--certify"],
    "check": ["check", "run0.sh", "--fix", "--diff"],
    "migrate": ["migrate", "run0.sh", "--to-release", "0.9.1", "--diff"],
    "plan": ["plan", "run0.sh", "--json"],
    "diff": ["diff", "run0.sh", "run1.sh"],
    "verify": ["verify", "made.yaml.certificate.json"],
    "budget": ["budget", "run0.sh", "--gpu", "h100-80g"],
    "explain": ["explain", "trainer.save_freq"],
    "metrics": ["metrics", "verl", "trinity"],
    "new": [
        "new",
        "--framework",
        "verl",
        "--algorithm",
        "grpo",
        "--model",
        "Qwen/Qwen3-8B",
        "--gpus",
        "8",
        "--gpu",
        "h100-80g",
    ],
    "init": ["init", "."],
    "run": ["run", "run0.sh", "-o", "out", "--python", sys.executable],
    "launch": ["launch", "run0.sh", "--on", "slurm", "--folder", "/shared/run"],
    "runs": ["runs", "."],
    "schema": ["schema", "plan"],
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bin") / "program.py"
    file.write_text(PROGRAM)
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout with a module of every standard name and of every dependency's, and enough scripts for two processes."""
    for name in sorted(sys.stdlib_module_names | DEPENDENCIES):
        (tmp_path / f"{name}.py").write_text(PLANTED)
    for number in range(40):
        (tmp_path / f"run{number}.sh").write_text(GRPO)
    return tmp_path


def ran(folder: Path) -> list[str]:
    """Names of planted modules that were executed."""
    return sorted(path.name.removesuffix(".py.ran") for path in folder.rglob("*.ran"))


def executed(
    command: list[str], folder: Path, arguments: bytes = b"", more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    quiet = {name: value for name, value in os.environ.items() if name not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    return subprocess.run(
        command,
        cwd=folder,
        env={**quiet, **(more or {})},
        input=arguments,
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_a_planted_module_would_be_seen(folder: Path) -> None:
    executed([sys.executable, "-c", "import json"], folder)
    assert "json" in ran(folder)


def test_every_verb_is_tried() -> None:
    assert {*VERBS, "studio", "lsp", "mcp"} == set(app.VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_executes_nothing(verb: str, program: Path, folder: Path) -> None:
    if verb == "verify":
        executed([sys.executable, str(program), "fork", *VERBS["convert"]], folder)
    done = executed([sys.executable, str(program), "fork", *VERBS[verb]], folder)
    assert ran(folder) == []
    assert b"Traceback" not in done.stderr, done.stderr
    if verb != "run":  # the runner is not installed here
        assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("method", METHODS)
def test_processes_of_check_execute_nothing(method: str, program: Path, folder: Path) -> None:
    done = executed([sys.executable, str(program), method, "check", ".", "--jobs", "2", "--json"], folder)
    assert ran(folder) == []
    assert done.returncode in (0, 1), done.stderr
    assert b"run1.sh" in done.stdout
    assert b"run39.sh" in done.stdout


@pytest.mark.parametrize("method", METHODS)
def test_processes_of_the_studio_execute_nothing(method: str, program: Path, folder: Path) -> None:
    pytest.importorskip("starlette")
    server = subprocess.Popen(
        [sys.executable, str(program), method, "studio", "--port", "0"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        body = json.dumps({"text": GRPO, "name": "run.sh"}).encode()
        origin = address.split("/")[2]
        headers = {"content-type": "application/json", "origin": f"http://{origin}"}
        request = urllib.request.Request(f"{address}api/check", body, headers)
        with urllib.request.urlopen(request, timeout=90) as answer:
            assert answer.status == 200
    finally:
        server.terminate()
        server.communicate(timeout=30)
    assert ran(folder) == []


def test_tools_for_agents_execute_nothing(program: Path, folder: Path) -> None:
    pytest.importorskip("mcp")
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    call = {"name": "check", "arguments": {"config": {"path": "run0.sh"}}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **entry}) + "\n" for entry in messages)
    command = [sys.executable, str(program), "fork", "mcp", "--root", "."]
    quiet = {name: value for name, value in os.environ.items() if name not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    server = subprocess.Popen(
        command, cwd=folder, env=quiet, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(lines)
        server.stdin.flush()
        replies = [json.loads(server.stdout.readline()) for _ in range(2)]
    finally:
        server.terminate()
        server.communicate(timeout=30)
    assert ran(folder) == []
    assert replies[1]["result"]["structuredContent"]["framework"] == "verl"


def test_the_language_server_executes_nothing(program: Path, folder: Path) -> None:
    pytest.importorskip("pygls")
    params: dict[str, Any] = {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}}
    item = {"uri": (folder / "run0.sh").as_uri(), "languageId": "shellscript", "version": 1, "text": GRPO}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": params},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": item}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **entry}).encode() for entry in messages]
    arguments = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    done = executed([sys.executable, str(program), "fork", "lsp"], folder, arguments)
    assert ran(folder) == []
    assert b'"id":1' in done.stdout.replace(b" ", b""), done.stderr


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 itself looks for runpy in the working directory")
def test_the_package_as_a_module_executes_nothing(folder: Path) -> None:
    done = executed([sys.executable, "-m", "rftconf", "check", "run0.sh"], folder)
    assert ran(folder) == []
    assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("version", ["", "0"])
def test_the_action_executes_nothing(version: str, folder: Path) -> None:
    """What it runs before rftconf is there is pip, which gets no network here."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    install, check = (step["run"] for step in action["runs"]["steps"])
    more = {"PATH": f"{BIN}:{os.environ['PATH']}", "VERSION": version, "ACTION": "/nowhere", "PIP_NO_INDEX": "1"}
    assert executed(["bash", "-c", install], folder, more=more).returncode != 0
    assert ran(folder) == []
    assert executed(["bash", "-c", check], folder, more={**more, "FILES": ".", "ARGUMENTS": "--jobs 2"}).returncode in (
        0,
        1,
    )
    assert ran(folder) == []


HOOKS = [hook["entry"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))]
"""The commands as they are published, so that another option of theirs is tried without a change here."""


def test_there_are_hooks() -> None:
    assert len(HOOKS) == 2


@pytest.mark.parametrize("entry", HOOKS)
def test_the_hook_executes_nothing(entry: str, folder: Path) -> None:
    name, *remainder = entry.split()
    done = executed([str(BIN / name), *remainder, *(f"run{number}.sh" for number in range(40))], folder)
    assert ran(folder) == []
    assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("own", [True, False])
def test_only_a_checkout_of_the_tool_itself_stays_on_the_path(
    own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(Path(rftconf.__file__).parents[1] if own else tmp_path)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.setattr(sys, "path", ["", folder, "/another"])
    leave_out_working_directory()
    assert sys.path == ([folder, "/another"] if own else ["/another"])
