"""Upstream's own examples at their own release: no error, except a reviewed list where the example really is broken."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.lint import engine
from rftconf.text.read.read import read
from rftconf.text.source import Source, open_source
from tests.sources import CORPUS

SCRIPTS = (("v0.4.1", "0.4.1"), ("v0.5.0", "0.5.0"), ("v0.6.1", "0.6.1"))
"""Sets of overrides that bash made of veRL's examples, each at a release that has a catalogue."""

# SYN and KEY entries: refused by the release's own Hydra compose; BAT006, BAT010: its validate_config; BAT020: its mesh.
REVIEWED = {
    ("0.4.1", "run_deepseek671b_math_megatron.sh", "KEY021"): "<path> is not in Hydra's grammar; compose refuses it",
    ("0.4.1", "test_dapo_dspk_671b_megatron.sh", "KEY021"): "as above",
    ("0.5.0", "run_deepseek671b_math_megatron.sh", "KEY021"): "as above",
    ("0.5.0", "test_dapo_dspk_671b_megatron.sh", "KEY021"): "as above",
    ("0.6.1", "run_deepseek671b_math_megatron_80gb.sh", "KEY021"): "as above",
    ("0.6.1", "test_dapo_dspk_671b_megatron_96gb.sh", "KEY021"): "as above",
    ("0.4.1", "run_minicpmo2_6.sh", "KEY006"): "+data.trust_remote_code is in the YAML; Hydra: could not append",
    ("0.6.1", "run_gptoss_20b.sh#1", "KEY006"): "+ on a key of the YAML, and none on one that is not in it",
    ("0.4.1", "run_deepseek7b_llm_pfppo.sh", "SYN304"): "a backslash before a blank makes an argument of a blank",
    ("0.5.0", "run_deepseek7b_llm_pfppo.sh", "SYN304"): "as above",
    ("0.6.1", "run_deepseek7b_llm_pfppo.sh", "SYN304"): "as above",
    ("0.4.1", "run_deepseek_full_hh_rlhf.sh", "KEY003"): "reward_model.param_offload left Megatron's YAML after 0.3.0",
    ("0.6.1", "run_deepseek_full_hh_rlhf.sh", "KEY003"): "as above",
    (
        "0.5.0",
        "run_deepseek_full_hh_rlhf.sh",
        "KEY003",
    ): "critic.model.enable_gradient_checkpointing left Megatron's YAML",
    ("0.5.0", "run_qwen1.5_moe_a2.7b-gsm8k_megatron.sh#1", "KEY003"): "as above",
    (
        "0.6.1",
        "run_with_rollout_corr.sh",
        "BAT006",
    ): "no micro-batch size and no dynamic batches: validate_config raises",
    ("0.6.1", "run_with_rollout_corr.sh", "BAT010"): "the same for scoring",
    ("0.6.1", "run_gpt_oss_20b_bf16.sh", "BAT020"): "2 GPUs with Ulysses 4: the device mesh asserts",
    ("0.6.1", "run_qwen2.5_3b.sh", "BAT020"): "as above",
}
"""Release, file and code to the reason why the example does not run as it stands."""


def verl_errors() -> Iterator[tuple[str, str, str, str]]:
    for name, release in SCRIPTS:
        for line in (CORPUS / "verl_argv" / f"{name}.jsonl").read_text().splitlines():
            entry = json.loads(line)
            if any(word.startswith("--config-path=examples") for word in entry["overrides"]):
                continue  # a config of the example's own folder, which is not in the corpus
            words = " \\\n  ".join(map(shlex.quote, entry["overrides"]))
            document = read(Source("run.sh", f"python3 -m verl.trainer.main_ppo \\\n  {words}\n"))
            for diagnostic in engine.check(document, engine.Options("verl", release)):
                if diagnostic.severity is Severity.ERROR:
                    yield release, Path(entry["id"]).name, diagnostic.code, diagnostic.message


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of upstream examples is not beside the project")
def test_verl_examples() -> None:
    values = {(release, name, code): message for release, name, code, message in verl_errors()}
    assert {key: message for key, message in values.items() if key not in REVIEWED} == {}
    assert set(REVIEWED) - set(values) == set(), "reviewed, and no longer found"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of upstream examples is not beside the project")
def test_trinity_examples() -> None:
    files = sorted((CORPUS / "trinity").glob("*.yaml"))
    assert len(files) > 20
    problems = [
        f"{file.name}: {d.code} {d.message}"
        for file in files
        for d in engine.check(read(open_source(file)), engine.Options("trinity", "0.6.0"))
        if d.severity is Severity.ERROR
    ]
    assert problems == []


TEMPLATES = {
    "template__grpo_fsdp.yaml": set[str](),
    # its launch scripts give num_gpu; alone, 1 GPU has no engine of 2
    "template__grpo_megatron.yaml": {"GPU003"},
}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of upstream examples is not beside the project")
@pytest.mark.parametrize("name", TEMPLATES)
def test_chatlearn_templates(name: str) -> None:
    document = read(open_source(CORPUS / "chatlearn" / name))
    diagnostics = engine.check(document, engine.Options("chatlearn"))
    assert {d.code for d in diagnostics if d.severity is Severity.ERROR} == TEMPLATES[name]


@pytest.mark.skipif(not (CORPUS / "roll").is_dir(), reason="needs the corpus")
def test_no_value_in_a_real_config_of_roll_is_called_unfit() -> None:
    never = {"KEY016", "DIA319", "PAR015"}
    documents = [read(open_source(str(path))) for path in sorted((CORPUS / "roll").glob("*.yaml"))]
    assert len(documents) > 50
    assert {diagnostic.code for document in documents for diagnostic in engine.check(document)} & never == set()
