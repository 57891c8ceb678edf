"""Files of a run's folder: no history is lost where a write of it fails."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from rftconf_runner import disk
from rftconf_runner.ledger import Ledger
from rftconf_runner.metrics import Metrics
from rftconf_runner.watch import Watch


def begun(folder: Path, done: int) -> None:
    """What keeps lines, of a run of which `done` periods are over."""
    Ledger(folder, done)
    Metrics(folder, done, Watch("quiet"))


def test_history_is_cut_only_where_there_is_more(tmp_path: Path) -> None:
    names = ("ledger.jsonl", "metrics.jsonl")
    begun(tmp_path, 0)
    assert [(tmp_path / name).read_text() for name in names] == ["", ""]
    for name in names:
        (tmp_path / name).write_text("1\n2\n3\n")
    before = [(tmp_path / name).stat() for name in names]
    begun(tmp_path, 3)
    assert [(tmp_path / name).stat() for name in names] == before
    begun(tmp_path, 2)
    assert [(tmp_path / name).read_text() for name in names] == ["1\n2\n"] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


@pytest.mark.parametrize("name", ["ledger.jsonl", "metrics.jsonl"])
def test_a_full_disk_loses_no_history(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / name).write_text("1\n2\n3\n")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=f"No space left on device: '.*{name}'"):
        begun(tmp_path, 2)
    assert (tmp_path / name).read_text() == "1\n2\n3\n"
    assert list(tmp_path.glob("*.partial")) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's file that is always full")
def test_what_could_not_be_written_is_named() -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        disk.add(Path("/dev/full"), "{}")
