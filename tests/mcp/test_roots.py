"""Files: only those below the roots are opened, whatever a call or a config names, and none is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from rftconf.base.errors import UsageError
from rftconf.mcp.processes import loading
from rftconf.mcp.roots import Roots
from rftconf.service.workers import Workers
from tests.mcp.client import GOLDEN, content_of, text_of, with_answers

SCRIPT = (GOLDEN / "readme" / "input.sh").read_text()
OUTSIDE = "SIGN_OF_THE_FILE_OUTSIDE"
GPU = {"gpu": "h100-80g"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with a script and ways out of it, beside files that nobody may read."""
    above = tmp_path_factory.mktemp("above")
    root = above / "root"
    (root / "inside").mkdir(parents=True)
    (above / "outside.sh").write_text(SCRIPT.replace("gsm8k", OUTSIDE))
    (above / "outside.yaml").write_text(f"trainer:\n  project_name: {OUTSIDE}\n")
    (above / "model").mkdir()
    (above / "model" / "config.json").write_text(f'{{"model_type": "{OUTSIDE}"}}')
    (root / "run.sh").write_text(SCRIPT)
    (root / "link.sh").symlink_to(above / "outside.sh")
    (root / "elsewhere").symlink_to(above)
    (root / "sources.sh").write_text(f"source ../outside.sh\n. {above}/outside.sh\n{SCRIPT}")
    (root / "named.sh").write_text(
        "python3 -m verl.trainer.main_ppo --config-path=.. --config-name=outside data.seed=1\n"
    )
    (root / "base.yaml").write_text("defaults:\n  - ../outside\n  - _self_\ndata:\n  train_batch_size: 8\n")
    (root / "big.yaml").write_text("a: 1\n" * 4_000_000)
    (root / "binary.sh").write_bytes(bytes(range(256)) * 64)
    os.mkfifo(root / "pipe.yaml")
    return root


@pytest.fixture(scope="module")
def workers(folder: Path) -> Iterator[Workers]:
    workers = Workers(loading(Roots.of([folder])), count=1, seconds=60.0)
    yield workers
    workers.end()


def ask(workers: Workers, tool: str, arguments: dict[str, Any]) -> Any:
    return with_answers(lambda client: client.call_tool(tool, arguments), workers.ask)


def test_a_file_below_a_root_is_read(workers: Workers, folder: Path) -> None:
    for path in ("run.sh", "inside/../run.sh", str(folder / "run.sh")):
        assert content_of(ask(workers, "check", {"config": {"path": path}}))["framework"] == "verl"


@pytest.mark.parametrize(
    "path",
    [
        "../outside.sh",
        "link.sh",
        "elsewhere/outside.sh",
        "/etc/passwd",
        "inside/../../outside.sh",
        "run.sh\0",
        "~/x",
        "-",
    ],
)
@pytest.mark.parametrize("tool", ["check", "convert"])
def test_no_path_leads_out(workers: Workers, tool: str, path: str) -> None:
    result = ask(workers, tool, {"config": {"path": path}, **({"to": "trinity"} if tool == "convert" else {})})
    assert result.is_error
    assert OUTSIDE not in text_of(result)
    assert "Traceback" not in text_of(result)


@pytest.mark.parametrize("name", ["sources.sh", "named.sh", "base.yaml"])
def test_no_file_that_a_config_names_is_read_outside(workers: Workers, name: str) -> None:
    for tool, more in (("check", {}), ("convert", {"to": "trinity"}), ("budget", GPU)):
        result = ask(workers, tool, {"config": {"path": name, "framework": "verl"}, **more})
        assert OUTSIDE not in text_of(result)
        assert "defect" not in text_of(result)


def test_no_base_file_and_no_model_is_read_outside(workers: Workers, folder: Path) -> None:
    base = ask(workers, "check", {"config": {"path": "run.sh", "base": "../outside.yaml"}})
    assert "outside the folders" in text_of(base)
    model = ask(workers, "budget", {"config": {"path": "run.sh"}, "model": str(folder.parent / "model"), **GPU})
    assert model.is_error
    assert OUTSIDE not in text_of(model)
    named = SCRIPT.replace("${MODEL_PATH:-Qwen/Qwen2.5-7B-Instruct}", str(folder.parent / "model"))
    assert OUTSIDE not in text_of(ask(workers, "budget", {"config": {"text": named}, **GPU}))
    rows = {"framework": "verl", "algorithm": "grpo", "model": "Qwen/Qwen2.5-7B", "gpus": 8, **GPU}
    assert OUTSIDE not in text_of(ask(workers, "new", {**rows, "data": str(folder.parent / "outside.yaml")}))


@pytest.mark.parametrize("name", ["big.yaml", "binary.sh", "pipe.yaml", "inside", "missing.sh"])
def test_an_odd_file_is_a_sentence(workers: Workers, name: str) -> None:
    result = ask(workers, "check", {"config": {"path": name}})
    assert result.is_error
    assert "Traceback" not in text_of(result)
    assert "defect" not in text_of(result)


def test_nothing_is_written(workers: Workers, folder: Path) -> None:
    before = {path: path.lstat().st_mtime_ns for path in folder.parent.rglob("*")}
    for tool, more in (("fix", {"unsafe": True}), ("convert", {"to": "roll"}), ("migrate", {"to_release": "0.7.1"})):
        ask(workers, tool, {"config": {"path": "run.sh"}, **more})
    assert {path: path.lstat().st_mtime_ns for path in folder.parent.rglob("*")} == before


def test_without_a_root_only_texts_are_read() -> None:
    with pytest.raises(UsageError, match="--root"):
        Roots().place("run.sh")
    with pytest.raises(UsageError, match="no such folder"):
        Roots.of([GOLDEN / "missing"])


def test_of_several_roots_the_first_that_has_the_file_counts(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "b" / "run.sh").write_text(SCRIPT)
    roots = Roots.of([tmp_path / "a", tmp_path / "b"])
    assert roots.place("run.sh") == tmp_path / "b" / "run.sh"
