"""The reader of written scripts: what bash passes on is what the script says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.launching import overrides_of

SCRIPT = """\
#!/usr/bin/env bash
set -euo pipefail
ARGS=(
  data.train_batch_size=64  # a comment
  'data.train_files=[/data/a b.parquet]'
  actor_rollout_ref.model.path="${MODEL:?}"
  trainer.total_training_steps="$((STEPS * 2))"
)
python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
"""


def written(folder: Path, text: str) -> Path:
    script = folder / "run.sh"
    script.write_text(text)
    return script


def test_arguments_as_bash_gives_them(tmp_path: Path) -> None:
    assert overrides_of(written(tmp_path, SCRIPT), tmp_path) == [
        "data.train_batch_size=64",
        "data.train_files=[/data/a b.parquet]",
        "actor_rollout_ref.model.path=$MODEL",
        "trainer.total_training_steps=16",
    ]


def test_no_other_command_runs(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="bash refuses"):
        overrides_of(written(tmp_path, "set -e\nrm -rf nothing\n" + SCRIPT), tmp_path)


def test_arguments_by_their_place_are_given(tmp_path: Path) -> None:
    script = "set -u\nN=$1\npython3 -m verl.trainer.main_ppo trainer.nnodes=$N data.train_files=${2}\n"
    assert overrides_of(written(tmp_path, script), tmp_path) == ["trainer.nnodes=$1", "data.train_files=$2"]
