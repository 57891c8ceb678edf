"""Settings are found near the files and checked against their table."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.errors import UsageError
from rftconf.lint import settings


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.rftconf]\nframework = "verl"\n')
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert settings.find(deep).get("framework") == "verl"
    (deep / "rftconf.toml").write_text('framework = "trinity"\n')
    assert settings.find(deep).get("framework") == "trinity"
    (deep / "rftconf.toml").unlink()
    (tmp_path / "a" / ".git").mkdir()
    assert settings.find(deep).values == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("framwork = 'verl'", "did you mean framework?"),
        ("select = 'BAT'", "select = 'BAT' does not fit"),
        ("severity = 'loud'", "does not fit"),
        ("[cluster]\nnodes = 0", "cluster.nodes = 0 does not fit"),
        ("[cluster]\ngpus = 8", "there is no setting cluster.gpus"),
        ("[per-file-ignores]\n'*.sh' = 'BAT'", "does not fit"),
        ("a = [", "rftconf.toml"),
    ],
)
def test_wrong_settings_are_said(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "rftconf.toml").write_text(text)
    with pytest.raises(UsageError, match=message.replace("[", r"\[").replace("?", r"\?").replace(".", r"\.")):
        settings.find(tmp_path)


def test_every_setting_has_a_schema_and_a_sentence() -> None:
    schema = settings.settings_schema()
    assert set(schema["properties"]) == set(settings.SETTINGS)
    assert all(entry["description"] for entry in schema["properties"].values())
