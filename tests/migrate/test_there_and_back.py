"""A file for an older release and back again: what it was, or refused by name."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from tests.migrate.texts import migrated


def test_dpo_comes_back_the_same() -> None:
    """What 0.6.0 only asks for at its start is no difference."""
    text = (
        "mode: train\nalgorithm:\n  algorithm_type: dpo\ntrainer:\n  use_dynamic_bsz: false\n  save_interval: 10\n"
        "  trainer_config:\n    actor_rollout_ref:\n      actor:\n        ppo_micro_batch_size_per_gpu: 2\n"
        "      ref:\n        log_prob_micro_batch_size_per_gpu: 2\nbuffer:\n  train_batch_size: 32\n"
    )
    old = migrated(text, "0.6.0", "0.5.2", "run.yaml", "trinity")
    back = migrated(old.text, "0.5.2", "0.6.0", "run.yaml", "trinity")
    assert "      rollout:\n        log_prob_micro_batch_size_per_gpu:" in back.text
    first, last = old.runs[0].before.stages[0].values, back.runs[0].after.stages[0].values
    assert {path for path in {*first, *last} if first.get(path) != last.get(path)} == set()
    scored = text.replace("algorithm:\n", "algorithm:\n  bypass_old_logprobs: false\n").replace(
        "      ref:\n", "      rollout:\n        log_prob_micro_batch_size_per_gpu: 4\n      ref:\n"
    )
    saved = migrated(scored, "0.6.0", "0.6.0", "run.yaml", "trinity").runs[0].after.stages[0].values
    assert saved["stage.batch.log_prob.sequences_per_rank"] == 2


def test_a_release_that_starts_no_such_run_is_refused_by_name() -> None:
    text = "is_pure_opd: true\nrollout_batch_size: 8\nactor_train:\n  device_mapping: list(range(0,8))\nteacher:\n  device_mapping: list(range(0,8))\n"
    with pytest.raises(RefusedError, match=r"ROLL 0\.1\.3 starts none: they came with 0\.2\.1"):
        migrated(text, "0.3.0", "0.1.3", "run.yaml", "roll")
    assert migrated(text, "0.3.0", "0.2.1", "run.yaml", "roll").text


def test_a_config_that_the_script_writes_is_named() -> None:
    config = "mode: train\nalgorithm:\n  algorithm_type: dpo\ntrainer:\n  use_dynamic_bsz: false\n"
    text = f"cat > d.yaml <<EOF\n{config}EOF\ntrinity run --config d.yaml\n"
    with pytest.raises(RefusedError, match="in a config that the script writes") as refused:
        migrated(text, "0.5.2", "0.6.0", "run.sh", "trinity")
    assert "run.sh:4:3" in str(refused.value)
