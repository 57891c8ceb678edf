"""The folder of a run in place of its config."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.errors import UnreadableError
from rftconf.cli.app import run
from rftconf.load.config_of_run import KEPT, config_of_run

CONFIG = "algorithm: {adv_estimator: grpo}\ndata: {train_batch_size: 64}\n"
OVERRIDES = "- algorithm.adv_estimator=grpo\n- data.train_batch_size=64\n"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("place", KEPT)
def test_a_runs_config_is_found_at_its_place(tmp_path: Path, place: str) -> None:
    file = written(tmp_path / place, CONFIG)
    assert config_of_run(str(tmp_path)) == str(file)


def test_hydras_own_folder_is_known_by_its_overrides(tmp_path: Path) -> None:
    file = written(tmp_path / "config.yaml", CONFIG)
    with pytest.raises(UnreadableError, match="no folder of a run"):
        config_of_run(str(tmp_path))
    written(tmp_path / "overrides.yaml", OVERRIDES)
    assert config_of_run(str(tmp_path)) == str(file)


def test_a_folder_with_two_configs_asks_for_one(tmp_path: Path) -> None:
    for place in KEPT[:2]:
        written(tmp_path / place, CONFIG)
    with pytest.raises(UnreadableError, match=r"with \.hydra/config\.yaml and files/config\.yaml; name one of them"):
        config_of_run(str(tmp_path))


def test_two_runs_are_compared_by_their_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path / "hydra" / ".hydra" / "config.yaml", CONFIG)
    written(tmp_path / "wandb" / "files" / "config.yaml", CONFIG.replace("64", "32"))
    assert run(["diff", str(tmp_path / "hydra"), str(tmp_path / "wandb"), "--quiet"]) == 1
    assert "batch.prompts_per_rollout" in capsys.readouterr().out
    assert run(["plan", str(tmp_path), "--quiet"]) == 2
    assert "is a directory, and no folder of a run" in capsys.readouterr().err
