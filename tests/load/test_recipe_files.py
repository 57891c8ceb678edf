"""Configs of recipes, which a script names and that stand in a framework's repository: where one is not beside the script,
the framework's own of that name counts, and is said."""

from __future__ import annotations

from pathlib import Path

from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.verbs.open_input import open_document
from rftconf.verbs.read_arguments import Reading

SCRIPT = """\
#!/usr/bin/env bash
CONFIG_PATH="$(pwd)/recipe/fapo/config"
python3 -m verl.trainer.main_ppo \\
    --config-path $CONFIG_PATH \\
    --config-name NAME \\
    data.train_files=/d/train.parquet \\
    data.train_batch_size=64 \\
    actor_rollout_ref.model.path=org/small \\
    actor_rollout_ref.rollout.name=vllm \\
    reward_model.enable=True \\
    reward_model.rollout.name=sglang \\
    trainer.total_epochs=1
"""


def loaded(folder: Path, name: str = "rm_config.yaml") -> Loaded:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "run.sh"
    file.write_text(SCRIPT.replace("NAME", name))
    return load(open_document(str(file), Reading()), framework="verl", release="0.6.1")


def test_a_recipes_config_that_is_not_beside_is_the_frameworks_own(tmp_path: Path) -> None:
    """recipe/fapo/config/rm_config.yaml at v0.6.1: DAPO's manager, and a judge whose answer may have 512 tokens."""
    read = loaded(tmp_path)
    (note,) = (d for d in read.document.diagnostics if d.code == "SYN521")
    assert note.message == "rm_config.yaml is not beside the script: rftconf uses veRL 0.6.1's own (recipe)"
    assert "SYN507" not in {d.code for d in read.document.diagnostics}
    stage = read.plan.stages[0]
    (judge,) = stage.placement.auxiliary
    assert (judge.prompt_max_tokens, judge.response_max_tokens, judge.tp, judge.dtype) == (512, 512, 2, "bfloat16")
    assert stage.reward.manager == "dapo"


def test_what_the_recipe_starts_from_is_the_releases_config(tmp_path: Path) -> None:
    """`defaults: [ppo_trainer]`: without another word no adapter is learned, and the rate is the release's."""
    stage = loaded(tmp_path).plan.stages[0]
    assert stage.model_options.lora.rank in (0, None)
    assert stage.optim.actor.lr == 1e-6


def test_a_file_beside_wins(tmp_path: Path) -> None:
    config = tmp_path / "recipe" / "fapo" / "config"
    config.mkdir(parents=True)
    (config / "rm_config.yaml").write_text("reward_model: {rollout: {response_length: 99}}\n")
    read = loaded(tmp_path)
    assert "SYN521" not in {d.code for d in read.document.diagnostics}
    assert read.plan.stages[0].placement.auxiliary[0].response_max_tokens == 99


def test_a_name_that_no_recipe_has_stays_unknown(tmp_path: Path) -> None:
    codes = {d.code for d in loaded(tmp_path, "mine.yaml").document.diagnostics}
    assert "SYN507" in codes
    assert "SYN521" not in codes
