"""What a script exports is what `${oc.env:NAME}` gives in the config that it starts from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rftconf.base.symbols import is_symbolic
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import open_source

CONFIG = """
mode: both
name: n
algorithm: {algorithm_type: grpo, repeat_times: "${oc.env:REPEAT,8}", optimizer: {lr: "${oc.env:LR,1e-6}"}}
model: {model_path: "${oc.env:MODEL,base/model}", max_prompt_tokens: 512, max_response_tokens: 1024}
cluster: {node_num: 1, gpu_per_node: 8}
buffer: {batch_size: 96, total_steps: 9, explorer_input: {taskset: {path: /d/g, split: train}}}
explorer: {rollout_model: {engine_num: 2}}
monitor: {monitor_type: wandb, monitor_args: {api_key: "${oc.env:WANDB_API_KEY}"}}
"""
LR, RESPONSES, MODEL = "stage.optim.actor.lr", "stage.batch.responses_per_prompt", "stage.model.path"


def values(folder: Path, script: str = "", **bindings: str) -> dict[str, Any]:
    config = folder / "run.yaml"
    config.write_text(CONFIG)
    (folder / "run.sh").write_text(script)
    document = read(open_source(folder / "run.sh" if script else config), ReadOptions(bindings=bindings))
    return load(document).stages[0].values


@pytest.mark.parametrize(
    "start", ["trinity run --config run.yaml", "python -m trinity.cli.launcher run --config=run.yaml"]
)
def test_exported_variables_reach_the_config(tmp_path: Path, start: str) -> None:
    new_values = values(tmp_path, f"export LR=3e-6\nREPEAT=16 nohup {start} > log 2>&1 &\n")
    assert (new_values[LR], new_values[RESPONSES], new_values[MODEL]) == (3e-6, 16, "base/model")


def test_a_variable_that_is_not_exported_does_not(tmp_path: Path) -> None:
    assert values(tmp_path, "LR=3e-6\ntrinity run --config run.yaml\n")[LR] == 1e-6


def test_what_a_person_says_counts_for_a_config_alone(tmp_path: Path) -> None:
    assert values(tmp_path, LR="5e-6")[LR] == 5e-6


def test_an_unknown_export_stays_a_name(tmp_path: Path) -> None:
    assert is_symbolic(values(tmp_path, "export MODEL=$(pick)\ntrinity run --config run.yaml\n")[MODEL])


def test_a_secret_of_the_environment_stays_one(tmp_path: Path) -> None:
    script = "export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567\ntrinity run --config run.yaml\n"
    assert "0123456789abcdef" not in repr(values(tmp_path, script))


def test_a_count_of_tokens_is_no_secret(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(CONFIG.replace("1024", '"{{ most }}"'))
    loaded = load(read(open_source(tmp_path / "run.yaml"), ReadOptions()))
    assert any("max_response_tokens" in finding.message for finding in loaded.diagnostics)


def test_a_key_that_is_taken_out_is_told(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(
        "python3 -m verl.trainer.main_ppo ~data.shuffle +own.key=1 ~own.key data.train_batch_size=8\n"
    )
    notes = load(read(open_source(tmp_path / "run.sh"), ReadOptions())).notes
    assert [note.split()[0] for note in notes if note.startswith("~")] == ["~data.shuffle"]
