"""A checkpoint is whole or not there, and a full disk is called one."""

from __future__ import annotations

import errno
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest
from rftconf_runner import checkpoint
from rftconf_runner.checkpoint import CheckpointError, State

Usage = namedtuple("Usage", "total used free")
STATE = State(2, 0.5, 16, [(15, (((1, 2), (-0.1, -0.25), 1),))])


def test_what_was_saved_is_what_is_read(tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "step-000002", STATE, lambda _: None)
    found = checkpoint.newest(tmp_path)
    assert found == tmp_path / "step-000002"
    read = checkpoint.state_of(found)
    waits: Any = read.waiting
    assert (read.period, read.kl_coef, read.drawn) == (2, 0.5, 16)
    assert waits == [[15, [[[1, 2], [-0.1, -0.25], 1]]]]


@pytest.mark.parametrize(
    ("free", "error", "told"),
    [
        (0, OSError("[enforce fail at inline_container.cc:672]"), "no space left on the disk"),
        (1 << 30, OSError(errno.EACCES, "Permission denied"), "Permission denied"),
    ],
)
def test_what_cannot_be_written(
    tmp_path: Path, free: int, error: OSError, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one before stays, and nothing half is left."""
    checkpoint.save(tmp_path / "step-000001", STATE, lambda _: None)
    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(0, 0, free))

    def write(to: Path) -> None:
        (to / "half").write_bytes(b"h")
        raise error

    with pytest.raises(CheckpointError, match=f"step-000002: {told}"):
        checkpoint.save(tmp_path / "step-000002", STATE, write)
    assert [path.name for path in tmp_path.iterdir()] == ["step-000001"]


def test_folders_within_it_are_on_the_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its files are, a folder that is not written back has forgotten their names after a loss of power."""
    written = list[Path]()
    monkeypatch.setattr("rftconf_runner.disk.to_disk", written.append)

    def write(to: Path) -> None:
        (to / "critic" / "adapter").mkdir(parents=True)
        (to / "critic" / "adapter" / "a").write_bytes(b"a")

    checkpoint.save(tmp_path / "step-000001", STATE, write)
    beside = tmp_path / "step-000001.partial"
    inside = ("critic", "critic/adapter", "critic/adapter/a", checkpoint.STATE, checkpoint.DIGESTS)
    assert set(written) == {tmp_path, beside, *(beside / name for name in inside)}
    assert written[-2:] == [beside, tmp_path]
