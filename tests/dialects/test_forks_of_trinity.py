"""Forks of Trinity-RFT: recognised by words that only they take, and counting what their workflows hand back."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.errors import RefusedError
from rftconf.cli.app import run
from rftconf.convert.convert import Options, convert_loaded
from rftconf.lint import engine
from tests.dialects.test_forks import read

TEACHES_STEPS = """
algorithm: {algorithm_type: on_policy_distill, advantage_fn: multi_turn_opd, advantage_fn_args: {kl_coef: 0.5}, repeat_times: 1}
model: {model_path: /m, max_prompt_tokens: 1024, max_response_tokens: 256}
cluster: {node_num: 1, gpu_per_node: 8}
buffer:
  batch_size: 16
  train_batch_size: 64
  total_steps: 20
  explorer_input:
    taskset: {name: shop, storage_type: file, path: /d/shop}
    default_workflow_type: TCOD_f2b_webshop_workflow
explorer: {rollout_model: {engine_num: 2}, auxiliary_models: [{model_path: /t, engine_num: 2}]}
synchronizer: {sync_style: dynamic_by_explorer, sync_interval: 1}
"""


def test_a_fork_of_trinity_that_is_shown_by_its_words_alone(tmp_path: Path) -> None:
    """TCOD: its workflows make an experience of each step, and its function is on-policy distillation step by step."""
    loaded = read(tmp_path, TEACHES_STEPS, "run.yaml")
    assert loaded.guess.dialect == "tcod"
    assert "a word of TCOD's" in loaded.guess.reasons[0]
    values = loaded.stages[0].values
    assert (values["stage.kind"], values["stage.algorithm.distillation.teacher_coef"]) == ("distill", 0.5)
    assert str(values["stage.batch.sequences_per_update"]) == "64 / steps_per_episode"
    with pytest.raises(RefusedError, match="on-policy distillation"):
        convert_loaded(loaded, "chatlearn", Options())
    diagnostics = engine.check(loaded.document)
    assert "KEY013" not in {finding.code for finding in diagnostics}


def test_steps_are_told_to_the_memory_account_as_to_a_conversion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(
        TEACHES_STEPS.replace("/m,", "Qwen/Qwen2.5-7B,").replace("/t,", "Qwen/Qwen2.5-7B,"), encoding="utf-8"
    )
    arguments = ["budget", str(path), "--gpu", "h100-80g", "--quiet"]
    assert run(arguments) == 2
    assert "pass --assume steps_per_episode=N" in capsys.readouterr().err
    assert run([*arguments, "--assume", "steps_per_episode=4"]) in (0, 1)
    assert "Qwen2.5-7B" in capsys.readouterr().out
