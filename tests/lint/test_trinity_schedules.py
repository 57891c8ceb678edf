"""Schedules that Trinity-RFT passes on and that the FSDP trainer below it refuses."""

from __future__ import annotations

import pytest

from rftconf.lint.engine import Options, check
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = """mode: {mode}
model: {{model_path: /m, max_prompt_tokens: 1024, max_response_tokens: 3072}}
algorithm: {{algorithm_type: {kind}, repeat_times: 8, optimizer: {{{actor}}}}}
buffer: {{batch_size: 32, explorer_input: {{tasksets: [{{name: t, path: /d}}]}}}}
trainer: {{trainer_strategy: {strategy}, trainer_config: {{critic: {{optim: {{lr_scheduler_type: {critic}}}}}}}}}
"""


def refused(
    *,
    release: str = "0.6.0",
    mode: str = "both",
    kind: str = "grpo",
    strategy: str = "fsdp",
    actor: str = "lr: 1.0e-6",
    critic: str = "constant",
) -> int:
    text = RUN.format(mode=mode, kind=kind, strategy=strategy, actor=actor, critic=critic)
    diagnostics = check(read(Source("run.yaml", text)), Options("trinity", release))
    return [diagnostic.code for diagnostic in diagnostics].count("DIA134")


@pytest.mark.parametrize("release", ["0.3.3", "0.4.1", "0.5.2", "0.6.0"])
@pytest.mark.parametrize(("word", "count"), [("linear", 1), ("cosine", 0)])
def test_fsdp_takes_two_schedules_in_every_release(release: str, word: str, count: int) -> None:
    """0.6.0 builds veRL's FSDPOptimizerConfig, which asserts them; fsdp_workers.py of earlier releases raises."""
    key = "warmup_style" if release == "0.3.3" else "lr_scheduler_type"
    assert refused(release=release, actor=f"{key}: {word}") == count


def test_megatron_and_runs_without_a_trainer_refuse_none() -> None:
    """trainer/verl/config.py writes Megatron's as lr_decay_style; an explorer builds no optimizer."""
    assert refused(strategy="megatron", actor="lr_scheduler_type: linear") == 0
    assert refused(mode="explore", actor="lr_scheduler_type: linear") == 0


@pytest.mark.parametrize(("kind", "count"), [("ppo", 1), ("grpo", 0)])
def test_a_critic_that_is_trained_has_the_same_two(kind: str, count: int) -> None:
    assert refused(kind=kind, critic="linear") == count
