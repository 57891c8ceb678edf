"""A staged run as several runs: order, hand-over of the checkpoint, one account of the source."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import Options
from rftconf.convert.stage_launcher import Start, script
from rftconf.convert.stage_series import Series, convert_series, is_series
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.mappers.tables import all_tables, table_of
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source, open_source
from tests.sources import ROOT

STAGED = ROOT / "golden" / "convert" / "stages" / "input.yaml"
STUB = """#!/bin/bash
printf '%s\\n' "$@" >>"$SEEN"
for word in "$@"; do case $word in trainer.default_local_dir=*) mkdir -p "${word#*=}/global_step_9" "${word#*=}/global_step_10";; esac; done
"""


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return load(read(open_source(STAGED), ReadOptions()))


@pytest.fixture(scope="module")
def series(loaded: Loaded) -> Series:
    return convert_series(loaded, "verl", Options())


def changed(old: str, new: str) -> Loaded:
    text = STAGED.read_text()
    assert old in text
    return load(read(Source("input.yaml", text.replace(old, new)), ReadOptions()))


def test_one_file_a_stage_and_the_script_that_runs_them(series: Series) -> None:
    assert [name for name, _ in series.files] == ["01-warmup.sh", "02-rl.sh", "run.sh"]
    assert [step.conversion.ledger.target_framework for step in series.steps] == ["verl_sft", "verl"]


def test_only_a_target_without_stages_gets_a_series(loaded: Loaded) -> None:
    assert is_series(loaded, "verl")
    assert not is_series(loaded, "trinity")
    single = load(read(open_source(ROOT / "golden" / "convert" / "sft-back" / "input.yaml"), ReadOptions()))
    assert not is_series(single, "verl")


def test_the_stage_before_saves_what_the_next_one_starts_from(series: Series) -> None:
    first, second = ({line.key: line.value for line in step.conversion.lines} for step in series.steps)
    assert "hf_model" in str(first["checkpoint.save_contents"])
    assert "actor_rollout_ref.actor.checkpoint.save_contents" not in second
    assert str(second["actor_rollout_ref.model.path"]) != "/models/Qwen2.5-1.5B-Instruct"
    assert first["trainer.default_local_dir"] == "/ckpt/staged/sft_grpo/warmup"


def test_every_leaf_is_accounted_for_once_by_the_stage_that_reads_it(loaded: Loaded, series: Series) -> None:
    keys = [line.key for line in series.ledger.sources]
    assert keys == list(dict.fromkeys(leaf.key for leaf in loaded.document.leaves))
    state = {line.key: line for line in series.ledger.sources}
    assert state["stages[0].algorithm.optimizer.lr"].targets == ("01-warmup.sh: optim.lr",)
    assert state["stages[1].algorithm.optimizer.lr"].targets == ("02-rl.sh: actor_rollout_ref.actor.optim.lr",)
    assert state["stages[0].stage_name"].state is State.DERIVED
    assert not any("run of its own" in line.reason for line in series.ledger.sources)


def test_bash_runs_the_stages_in_order_with_the_newest_checkpoint(series: Series, tmp_path: Path) -> None:
    for name, text in series.files:
        (tmp_path / name).write_text(text.replace("/ckpt/", f"{tmp_path}/ckpt/"))
    commands = tmp_path / "commands"
    commands.mkdir()
    (commands / "python3").write_text(STUB)
    (commands / "python3").chmod(0o755)
    path = tmp_path / "seen"
    environment = {"PATH": f"{commands}{os.pathsep}/usr/bin{os.pathsep}/bin", "SEEN": str(path)}
    subprocess.run(
        ["/bin/bash", str(tmp_path / "run.sh"), "trainer.save_freq=7"], env=environment, check=True, timeout=60
    )
    words = path.read_text().splitlines()
    assert [word for word in words if word.startswith("verl.trainer")] == [
        "verl.trainer.sft_trainer_ray",
        "verl.trainer.main_ppo",
    ]
    folder = f"{tmp_path}/ckpt/staged/sft_grpo/warmup/global_step_10/huggingface"
    assert f"actor_rollout_ref.model.path={folder}" in words
    assert words[-1] == "trainer.save_freq=7"


def test_a_stage_that_leaves_no_checkpoint_stops_the_series(series: Series, tmp_path: Path) -> None:
    for name, text in series.files:
        (tmp_path / name).write_text(text.replace("/ckpt/", f"{tmp_path}/ckpt/"))
    (tmp_path / "ckpt/staged/sft_grpo/warmup").mkdir(parents=True)
    (tmp_path / "01-warmup.sh").write_text("true\n")
    done = subprocess.run(
        ["/bin/bash", str(tmp_path / "run.sh")],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "stage warmup left no checkpoint" in done.stderr


ROLL_STUB = """#!/bin/bash
printf '%s\\n' "$PWD" "WARMUP=${WARMUP_CHECKPOINT-}" "$@" >>"$SEEN"
case $1 in *sft*) for step in 50 99; do mkdir -p "$CKPT/warmup/20260101-000000/checkpoint-$step"; done;; esac
"""


def test_roll_gets_a_file_for_each_pipeline(loaded: Loaded) -> None:
    new_series = convert_series(loaded, "roll", Options())
    assert [name for name, _ in new_series.files] == ["01-warmup.yaml", "02-rl.yaml", "run.sh"]
    first, second = ({line.key: line.value for line in step.conversion.lines} for step in new_series.steps)
    assert first["checkpoint_config.output_dir"] == "/ckpt/warmup"
    assert second["checkpoint_config.output_dir"] == "/ckpt/rl"
    assert dict(new_series.files)["02-rl.yaml"].count("${oc.env:WARMUP_CHECKPOINT}") == 1
    assert first["max_steps"] == 100  # the last update is saved, and the next stage starts from it


def test_roll_exports_what_the_next_pipeline_loads() -> None:
    quiet = changed("      save_interval: 50", "      save_interval: 50\n      save_hf_checkpoint: never")
    first, second = (
        {line.key: line.value for line in step.conversion.lines}
        for step in convert_series(quiet, "roll", Options()).steps
    )
    assert first["sft_train.training_args.save_hf_model"] is True
    assert "pretrain" in second


def test_bash_runs_roll_s_pipelines_in_order_with_the_newest_checkpoint(loaded: Loaded, tmp_path: Path) -> None:
    path, sources, commands, new_path = (tmp_path / name for name in ("runs", "ROLL", "commands", "seen"))
    for folder in (path, sources / "examples", commands):
        folder.mkdir(parents=True)
    for name, text in convert_series(loaded, "roll", Options()).files:
        (path / name).write_text(text.replace("/ckpt/", f"{tmp_path}/ckpt/"))
    (commands / "python").write_text(ROLL_STUB)
    (commands / "python").chmod(0o755)
    environment = {
        "PATH": f"{commands}:/usr/bin:/bin",
        "SEEN": str(new_path),
        "ROLL": str(sources),
        "CKPT": f"{tmp_path}/ckpt",
    }
    subprocess.run(["/bin/bash", str(path / "run.sh")], env=environment, check=True, timeout=60)
    words = new_path.read_text().splitlines()
    newest = f"{tmp_path}/ckpt/warmup/20260101-000000/checkpoint-99"
    assert words == [
        str(sources), "WARMUP=", f"{sources}/examples/start_sft_pipeline.py", "--config_path", "../../runs", "--config_name", "01-warmup",
        str(sources), f"WARMUP={newest}", f"{sources}/examples/start_rlvr_pipeline.py", "--config_path", "../../runs", "--config_name", "02-rl",
    ]  # fmt: skip
    without = subprocess.run(
        ["/bin/bash", str(path / "run.sh")], env=environment | {"ROLL": ""}, check=False, capture_output=True, text=True
    )
    assert "the folder that the sources of ROLL are in" in without.stderr


def test_chatlearn_has_no_stage_but_grpo(loaded: Loaded) -> None:
    with pytest.raises(
        RefusedError, match="stage warmup: this is a supervised run; ChatLearn's entrypoint starts grpo"
    ):
        convert_series(loaded, "chatlearn", Options())


def test_a_stage_that_cannot_be_written_is_named() -> None:
    with pytest.raises(RefusedError, match="stage warmup: this is a DPO run"):
        convert_series(changed("algorithm_type: sft", "algorithm_type: dpo"), "verl", Options())


def test_an_adapter_has_to_be_merged_by_a_person() -> None:
    new_loaded = changed(
        "  max_prompt_tokens: 1024", "  lora_configs: [{lora_rank: 8, lora_alpha: 8}]\n  max_prompt_tokens: 1024"
    )
    decisions = convert_series(new_loaded, "verl", Options()).ledger.decisions
    assert any(decision.key.endswith("checkpoint") and "adapter" in decision.why for decision in decisions)


def test_roll_has_a_start_script_for_every_kind_that_is_written() -> None:
    kinds = {kind for name, of in all_tables() if name == "roll" for kind in table_of(name, of or None).kinds}
    start = Start("01.yaml", "only", "rl", "/out", "", "NEXT")
    values = {kind: script("roll", [replace(start, kind=kind)]) for kind in kinds}
    assert "start_onpolicy_distill_pipeline.py" in values["distill"]
    assert "start_rlvr_rollout_pipeline.py" in values["eval"]
    assert kinds == {"rl", "distill", "sft", "dpo", "eval"}


def test_a_stage_that_follows_a_teacher_is_started_by_its_own_script() -> None:
    taught = changed("algorithm_type: grpo", "algorithm_type: on_policy_distill")
    files = dict(convert_series(taught, "roll", Options()).files)
    assert "start_sft_pipeline.py" in files["run.sh"]
    assert "start_onpolicy_distill_pipeline.py" in files["run.sh"]


def test_comments_name_the_stage_that_its_author_wrote(series: Series) -> None:
    text = dict(series.files)["02-rl.sh"]
    assert "# stages[1].algorithm.optimizer.lr=1e-06" in text


def test_what_changes_the_learning_is_said_of_each_stage(series: Series) -> None:
    changes = series.ledger.learning
    assert len(changes) == sum(len(step.conversion.ledger.learning) for step in series.steps) > 0
    stages = {step.stage for step in series.steps}
    assert all(change.says.partition(": ")[0] in stages for change in changes)
