"""Building the frameworks' environment: what is fresh is left alone, what is pinned anew is built again."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("conformance_env", ROOT / "scripts" / "conformance_env.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def installed(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], list[str]]:
    """Builds into a folder without installing anything; gives what would have been installed."""
    options: list[str] = []
    monkeypatch.setattr(script, "install", lambda python, *arguments: options.append(arguments[-1]))

    def without_packages(command: list[str], check: bool) -> None:
        python = Path(command[-1]) / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.touch()

    monkeypatch.setattr(script.subprocess, "run", without_packages)

    def build(folder: Path) -> list[str]:
        options.clear()
        script.build(folder)
        return sorted(options)

    return build


def test_second_build_does_nothing(installed: Callable[[Path], list[str]], tmp_path: Path) -> None:
    first = installed(tmp_path)
    assert "verl==0.7.0" in first
    assert "trinity-rft==0.6.0" in first
    assert any(word.startswith("torch==") for word in first)
    assert installed(tmp_path) == []


def test_a_part_that_broke_off_is_built_again(installed: Callable[[Path], list[str]], tmp_path: Path) -> None:
    installed(tmp_path)
    (tmp_path / "stamps" / "verl-0.5.0").unlink()
    assert installed(tmp_path) == ["verl==0.5.0"]


def test_another_pin_is_another_part(script: ModuleType, tmp_path: Path) -> None:
    script.Part(tmp_path, "verl-0.5.0", "verl==0.5.0").done(0.0)
    assert script.Part(tmp_path, "verl-0.5.0", "verl==0.5.0").fresh
    assert not script.Part(tmp_path, "verl-0.5.0", "verl==0.5.1").fresh


def test_every_pinned_pair_is_installed(script: ModuleType) -> None:
    expected = {f"verl-{pin}" for pins in script.TRINITY.pins.values() for pin in pins}
    assert expected <= script.RELEASES.keys()
