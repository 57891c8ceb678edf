"""A file is there whole, as it was, or not at all."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from rftconf.base import files as atomic
from rftconf.base.errors import UsageError


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        atomic.write(tmp_path / "a.yaml", "é\n")
        atomic.write(tmp_path / "a.sh", "x\n", executable=True)
    finally:
        os.umask(old)
    assert (tmp_path / "a.yaml").read_bytes() == "é\n".encode()
    assert (mode(tmp_path / "a.yaml"), mode(tmp_path / "a.sh")) == (0o640, 0o750)


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o604)
    link.symlink_to(real)
    atomic.write(link, "new")
    assert link.is_symlink()
    assert (real.read_text(), mode(real)) == ("new", 0o604)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"cannot write .*: No space left on device"):
        atomic.write(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a directory"):
        atomic.write(tmp_path, "x")
    with pytest.raises(UsageError, match="No such file or directory"):
        atomic.write(tmp_path / "no" / "a", "x")


def test_a_device_is_written_directly() -> None:
    atomic.write(Path("/dev/null"), "x")
    assert not Path("/dev/null").is_file()


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(UsageError, match="is read-only; allow writing"):
        atomic.write(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_every_name_of_a_file_has_the_new_text(tmp_path: Path) -> None:
    path, other_path = tmp_path / "a", tmp_path / "b"
    path.write_text("the old text")
    other_path.hardlink_to(path)
    atomic.write(path, "new")
    assert other_path.read_text() == "new"
    assert path.samefile(other_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_pipe_is_written_once_somebody_reads_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    atomic.write(pipe, "words " * 100_000)
    reader.join(20)
    assert read == ["words " * 100_000]


def test_a_pipe_that_nobody_reads_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "PIPE_SECONDS", 0.0)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="nobody reads from the pipe"):
        atomic.write(tmp_path / "pipe", "x")
