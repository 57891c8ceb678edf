"""A checkpoint is whole or not there, and a full disk is called one."""

from __future__ import annotations

import errno
import shutil
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
    path = checkpoint.newest(tmp_path)
    assert path == tmp_path / "step-000002"
    read = checkpoint.state_of(path)
    waits: Any = read.waiting
    assert (read.period, read.kl_coef, read.drawn) == (2, 0.5, 16)
    assert waits == [[15, [[[1, 2], [-0.1, -0.25], 1]]]]


@pytest.mark.parametrize(
    ("free", "error", "message"),
    [
        (0, OSError("[enforce fail at inline_container.cc:672]"), "no space left on the disk"),
        (1 << 30, OSError(errno.EACCES, "Permission denied"), "Permission denied"),
    ],
)
def test_what_cannot_be_written(
    tmp_path: Path, free: int, error: OSError, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one before stays, and nothing half is left."""
    checkpoint.save(tmp_path / "step-000001", STATE, lambda _: None)
    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(0, 0, free))

    def write(to: Path) -> None:
        (to / "half").write_bytes(b"h")
        raise error

    with pytest.raises(CheckpointError, match=f"step-000002: {message}"):
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


def steps(run: Path, *periods: int) -> None:
    for period in periods:
        checkpoint.save(checkpoint.name(run, period), STATE, lambda _: None)


def left(run: Path) -> list[str]:
    return sorted(path.name for path in run.iterdir())


@pytest.mark.parametrize(("keep", "periods"), [(0, [1, 2, 3]), (-1, [1, 2, 3]), (1, [3]), (2, [2, 3]), (9, [1, 2, 3])])
def test_as_many_stay_as_the_plan_says(tmp_path: Path, keep: int, periods: list[int]) -> None:
    """What is not named as the runner names checkpoints is not its own."""
    steps(tmp_path, 1, 2, 3)
    (tmp_path / "step-000001-best").mkdir()
    checkpoint.keep_last(tmp_path, keep)
    assert left(tmp_path) == sorted([*(f"step-{period:06d}" for period in periods), "step-000001-best"])
    assert checkpoint.newest(tmp_path) == tmp_path / "step-000003"


def test_a_kill_while_one_is_deleted_leaves_no_half_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has another name by then, which is on the disk, and which nobody goes on from; the next start deletes the rest."""
    steps(tmp_path, 1, 2)
    written, rmtree = list[Path](), shutil.rmtree
    monkeypatch.setattr("rftconf_runner.disk.to_disk", written.append)

    def killed(path: Path, **_: Any) -> None:
        if path.exists():
            assert written == [tmp_path]
            (path / checkpoint.STATE).unlink()
            raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        checkpoint.keep_last(tmp_path, 1)
    monkeypatch.setattr(shutil, "rmtree", rmtree)
    assert left(tmp_path) == ["gone-step-000001", "step-000002"]
    (tmp_path / "step-000003.partial").mkdir()
    assert checkpoint.newest(tmp_path) == tmp_path / "step-000002"
    checkpoint.clean(tmp_path)
    assert left(tmp_path) == ["step-000002"]


def test_one_that_cannot_be_deleted_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps(tmp_path, 1, 2)

    def refuses(*_: Any) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "rename", refuses)
    with pytest.raises(CheckpointError, match=r"cannot delete .*step-000001: Permission denied"):
        checkpoint.keep_last(tmp_path, 1)


def test_the_newest_is_of_the_last_period(tmp_path: Path) -> None:
    """A number of seven digits comes after all of six."""
    steps(tmp_path, 999_999, 1_000_000)
    assert checkpoint.newest_name(tmp_path) == tmp_path / "step-1000000"
