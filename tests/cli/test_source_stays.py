"""`rftconf convert` never writes over what it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.cli.app import run
from tests.cli.scripts import written


@pytest.mark.parametrize("option", ["-o", "--ledger"])
@pytest.mark.parametrize("by", ["name", "link"])
def test_the_source_is_no_place_for_an_output(
    option: str, by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path(written(tmp_path))
    place, before = source, source.read_text()
    if by == "link":
        place = tmp_path / "link.sh"
        place.symlink_to(source)
    assert run(["convert", str(source), "--to", "verl", option, str(place)]) == 2
    assert "is the source itself" in capsys.readouterr().err
    assert source.read_text() == before
