"""Writing the files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from rftconf.base.errors import UsageError
from rftconf.convert.adapters.folder import refuse_foreign, write
from rftconf.convert.adapters.shapes import DATA_FILE
from tests.convert.adapters.samples import adapters, run_of

FILES = adapters("verl", "trinity", run_of("verl", "/x")).files


def test_files_are_written_executable_with_their_folders(tmp_path: Path) -> None:
    write(tmp_path / "new" / "folder", FILES)
    for name, text in FILES.items():
        file = tmp_path / "new" / "folder" / name
        assert file.read_text() == text
        assert file.stat().st_mode & stat.S_IXUSR


def test_own_files_are_replaced_and_others_are_not(tmp_path: Path) -> None:
    write(tmp_path, adapters("verl", "trinity", run_of("verl", "/y")).files)
    refuse_foreign(tmp_path, FILES)
    write(tmp_path, FILES)
    (tmp_path / DATA_FILE).write_text(FILES[DATA_FILE].replace("/x", "/mine"))
    with pytest.raises(UsageError, match=r"convert_data\.py was changed since rftconf wrote it"):
        refuse_foreign(tmp_path, FILES)


@pytest.mark.parametrize("content", [b"print()\n", b"\xff\xfe"])
def test_a_file_of_another_is_not_written_over(content: bytes, tmp_path: Path) -> None:
    (tmp_path / DATA_FILE).write_bytes(content)
    with pytest.raises(UsageError, match="or is not rftconf's"):
        refuse_foreign(tmp_path, FILES)


def test_a_folder_in_place_of_a_file_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / DATA_FILE).mkdir()
    with pytest.raises(UsageError, match="or is not rftconf's"):
        refuse_foreign(tmp_path, FILES)


def test_a_place_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot make the folder"):
        write(tmp_path / "file", FILES)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="cannot"):
        write(tmp_path, FILES)
