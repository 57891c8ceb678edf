"""A config that leaves micro-batches to the command that starts the run is a config to be completed, not a wrong one."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.lint.engine import Options, check
from rftconf.text.read.read import read
from rftconf.text.source import Source

STOCK = "actor_rollout_ref:\n  actor:\n    use_dynamic_bsz: false\n    ppo_micro_batch_size_per_gpu: null\n  rollout: {name: vllm}\n"
LAUNCH = "python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=null trainer.nnodes=1\n"


def found(name: str, text: str) -> Diagnostic:
    (diagnostic,) = [
        diagnostic
        for diagnostic in check(read(Source(name, text)), Options("verl", "0.9.1"))
        if diagnostic.code == "BAT006" and "the actor" in diagnostic.message
    ]
    return diagnostic


@pytest.mark.parametrize(
    ("name", "text", "severity"),
    [("ppo.yaml", STOCK, Severity.WARNING), ("run.sh", LAUNCH, Severity.ERROR)],
)
def test_only_a_launch_is_refused_for_a_size_that_stands_open(name: str, text: str, severity: Severity) -> None:
    assert found(name, text).severity is severity


def test_a_config_is_told_where_the_size_may_come_from() -> None:
    done = found("ppo.yaml", STOCK)
    assert "where the run is started" in done.help
    assert done.fix is None


def test_megatron_of_old_releases_has_one_switch_for_every_size() -> None:
    """veRL 0.3.0 ray_trainer.py _validate_config asks actor.use_dynamic_bsz alone, and then for the reference's size too."""
    text = (
        "python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer data.train_files=/d/a.parquet"
        " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4"
        " actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4\n"
    )
    (diagnostic,) = [d for d in check(read(Source("run.sh", text)), Options("verl", "0.3.0")) if d.code == "BAT010"]
    assert diagnostic.key == "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu"


MEGATRON = (
    "python3 -m verl.trainer.main_ppo --config-name ppo_megatron_trainer algorithm.adv_estimator=grpo trainer.nnodes=1"
    " actor_rollout_ref.rollout.name=vllm actor_rollout_ref.actor.use_kl_loss=True actor_rollout_ref.actor.use_dynamic_bsz=True"
    " actor_rollout_ref.ref.log_prob_use_dynamic_bsz=True actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=1\n"
)


@pytest.mark.parametrize(("release", "is_idle"), [("0.6.1", False), ("0.9.1", True)])
def test_a_size_that_a_worker_asserts_is_not_to_be_left_out(release: str, is_idle: bool) -> None:
    """megatron_workers.py up to 0.7: the reference's worker asserts its fixed size, though batches are filled by tokens."""
    key = "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu"
    codes = {d.code for d in check(read(Source("run.sh", MEGATRON)), Options("verl", release)) if d.key == key}
    assert ("KEY011" in codes) is is_idle
