"""A key names one data file, a list of them, or several in one text."""

from __future__ import annotations

from pathlib import Path

from rftconf.convert.convert import Options, convert_loaded
from rftconf.mappers.files import joined_files
from tests.dialects.test_forks import launch, read


def test_one_text_may_name_several_files() -> None:
    assert joined_files("a/x.parquet, b/y.parquet") == ["a/x.parquet", "b/y.parquet"]
    assert joined_files("a/x,y.parquet") == []
    assert joined_files("a/x.parquet") == []


def test_files_with_commas_between_them_are_data_sets_of_their_own(tmp_path: Path) -> None:
    loaded = read(
        tmp_path, "python3 -m verl.trainer.main data.train_files=a/x.parquet,b/y.parquet worker.rollout.n=8\n"
    )
    converted = convert_loaded(loaded, "trinity", Options())
    assert "path: a" in converted.text
    assert "path: b" in converted.text
    assert any("with commas between them" in note for note in converted.ledger.notes)
    assert not any(
        "commas" in note
        for note in convert_loaded(read(tmp_path, launch("verl.trainer.main_ppo")), "trinity", Options()).ledger.notes
    )
