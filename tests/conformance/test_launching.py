"""The reader of written scripts: what bash passes on is what the script says."""

from __future__ import annotations

from pathlib import Path

from tests.conformance.launching import numbered, overrides_of, positions

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
    file = tmp_path / "data"
    file.touch()
    script = SCRIPT.replace("data.train_batch_size=64", 'data.train_batch_size="$(nproc)"')
    assert "data.train_batch_size=8" in overrides_of(written(tmp_path, f"set -e\nrm -rf {file}\n{script}"), tmp_path)
    assert file.exists()


def test_arguments_by_their_place_are_given(tmp_path: Path) -> None:
    script = "set -u\nN=$1\npython3 -m verl.trainer.main_ppo trainer.nnodes=$N data.train_files=${2}\n"
    assert overrides_of(written(tmp_path, script), tmp_path) == ["trainer.nnodes=$1", "data.train_files=$2"]


def test_an_argument_that_counts_processes_is_read_as_the_number_that_bash_was_given() -> None:
    """The judge's own 8 stands for `$1` when bash runs the script, so that what is read back has 8 there too."""
    script = 'trainer.n_gpus_per_node=${1} trainer.project_name=${2} x=$10 y=$1 "${@:3}"'
    assert positions(script)[:2] == ["8", "$2"]
    assert numbered(script) == 'trainer.n_gpus_per_node=8 trainer.project_name=${2} x=$10 y=8 "${@:3}"'


def test_a_name_that_the_clock_gives_is_a_word_on_both_sides(tmp_path: Path) -> None:
    script = SCRIPT.replace("data.train_batch_size=64", 'trainer.experiment_name="run_$(date +"%Y%m%d")"')
    assert "trainer.experiment_name=run_today" in overrides_of(written(tmp_path, script), tmp_path)
    assert 'trainer.experiment_name="run_today"' in numbered(script)
