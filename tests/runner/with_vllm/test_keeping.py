"""What a run saves, and what it deletes for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner import keeping
from rftconf_runner.checkpoint import CheckpointError, State
from rftconf_runner.job_reader import job_of
from rftconf_runner.keeping import Keeper
from rftconf_runner.places import NOWHERE

from tests.runner.test_job import plan


def test_older_ones_go_once_the_next_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of before the run went on; one that cannot be written costs none."""
    (tmp_path / "gone-step-000001").mkdir()
    full = False

    def write(_places: Any, _tokenizer: Any, folder: Path) -> None:
        (folder / "model").write_bytes(b"m")
        if full:
            raise OSError("full")

    monkeypatch.setattr(keeping, "write", write)

    def saved(period: int, start: Path | None) -> list[str]:
        keeper = Keeper(replace(job_of(plan()), keep=2), tmp_path, None, NOWHERE, start)
        keeper.state = State(period, 0.0, 8)
        keeper.save()
        return sorted(path.name for path in tmp_path.iterdir())

    assert saved(2, None) == ["step-000002"]
    assert saved(4, tmp_path / "step-000002") == ["step-000002", "step-000004"]
    assert saved(6, tmp_path / "step-000004") == ["step-000004", "step-000006"]
    full = True
    with pytest.raises(CheckpointError):
        saved(8, tmp_path / "step-000006")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-000004", "step-000006"]
