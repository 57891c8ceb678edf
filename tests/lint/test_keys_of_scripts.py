"""A script of somebody's own may declare what TRL lacks: its config is no mistake, and nobody is told that it is one."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.lint import engine
from rftconf.lint import key_checks as basic
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

YAML = "num_generations: 8\nreward_funcs: [accuracy]\nmax_completion_length: 512\nuse_vllm: true\n"
OPTIONS = "--num_generations 8 --max_completion_length 512 --system_prompt hello --num_generatons 4"
CALL = """\
from trl import GRPOConfig, GRPOTrainer
{more}
trainer = GRPOTrainer(model="m", args=GRPOConfig(num_generations=8, vllm_sampling_params=None, max_completion_length=64))
trainer.train()
"""


def severities(document: Document) -> dict[str, Severity]:
    return {d.key: d.severity for d in basic.check(document, "trl", None) if d.code == "KEY001"}


def test_a_config_that_any_script_may_read() -> None:
    """HfArgumentParser fills whatever dataclasses a script has; a name beside one of TRL's is still taken for misspelt."""
    keys = severities(read(Source("grpo.yaml", f"{YAML}system_prompt: hello\nnum_generatons: 4\n")))
    assert keys == {"system_prompt": Severity.WARNING, "num_generatons": Severity.ERROR}


def test_a_script_of_ones_own() -> None:
    keys = severities(read(Source("run.sh", f"accelerate launch src/open_r1/grpo.py {OPTIONS}\n")))
    assert keys == {"system_prompt": Severity.INFO, "num_generatons": Severity.WARNING}


def test_the_published_program_stops() -> None:
    keys = severities(read(Source("run.sh", f"trl grpo {OPTIONS}\n")))
    assert set(keys.values()) == {Severity.ERROR}


@pytest.mark.parametrize(
    ("more", "severity"), [("import torch", Severity.ERROR), ("from unsloth import FastLanguageModel", Severity.INFO)]
)
def test_a_library_that_replaces_the_class(more: str, severity: Severity) -> None:
    """GRPOConfig raises TypeError for an argument that it lacks; unsloth's has vllm_sampling_params."""
    document = read(Source("train.py", CALL.format(more=more)))
    assert severities(document) == {"vllm_sampling_params": severity}


def test_a_key_that_stands_twice_says_who_stops() -> None:
    (twice,) = (d for d in read(Source("a.yaml", f"{YAML}use_vllm: false\n")).diagnostics if d.code == "SYN209")
    assert "TRL takes the later one" in twice.message


def test_the_split_of_an_evaluation_that_nobody_tells_is_not_the_training_split() -> None:
    """The script's own config may evaluate, and on which split is not told."""
    command = "accelerate launch train.py --num_generations 8 --max_completion_length 512 --dataset_name data.json\n"
    assert not [d for d in engine.check(read(Source("run.sh", command)), engine.Options()) if d.code == "DAT002"]
