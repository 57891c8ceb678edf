"""What `check` says about keys and values, and where."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.lint import engine
from rftconf.lint import key_checks as basic
from rftconf.lint import recognise_config as config_of
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

KNOWN = "algorithm.adv_estimator=grpo\ndata.train_batch_size=128\ntrainer.n_gpus_per_node=8\n"


def document(text: str, name: str = "run.overrides") -> Document:
    return read(Source(name, text), ReadOptions())


def overrides(line: str, release: str | None = "0.9.1") -> list[Diagnostic]:
    diagnostics = basic.check(document(KNOWN + line + "\n"), "verl", release)
    return [d for d in diagnostics if d.code != "VER001"]


@pytest.mark.parametrize(
    ("line", "code", "severity", "message", "help_"),
    [
        (
            "data.train_bach_size=1",
            "KEY001",
            Severity.ERROR,
            "veRL 0.9.1 has no key data.train_bach_size",
            "data.train_batch_size?",
        ),
        ("buffer.batch_size=3", "KEY002", Severity.ERROR, "has no key buffer.batch_size", "that is Trinity-RFT's name"),
        ("trainer.total_epochs=abc", "KEY004", Severity.WARNING, 'expects int, got "abc"', "default is 30"),
        (
            "reward_model.reward_manager=dapo",
            "KEY005",
            Severity.WARNING,
            "has no effect in veRL 0.9.1",
            "took its place",
        ),
        ("+trainer.nnodes=1", "KEY006", Severity.ERROR, "refuses to add it", "without the +"),
        (
            "actor_rollout_ref.rollout.engine_kwargs.vllm.foo=1",
            "KEY006",
            Severity.ERROR,
            "wants it added",
            "write +actor",
        ),
        ("+data.train_batch_siz=1", "KEY009", Severity.WARNING, "adds a key that", "data.train_batch_size?"),
    ],
)
def test_overrides(line: str, code: str, severity: Severity, message: str, help_: str) -> None:
    (diagnostic,) = overrides(line)
    assert (diagnostic.code, diagnostic.severity) == (code, severity)
    assert message in diagnostic.message
    assert help_ in diagnostic.help
    assert diagnostic.place is not None
    assert diagnostic.place.span.line == 4


@pytest.mark.parametrize(
    "line",
    [
        "trainer.total_epochs=3",
        "++trainer.nnodes=1",
        "++trainer.something_of_my_own=1",
        "+trainer.something_of_my_own=1",
        "~trainer.nnodes",
        "+actor_rollout_ref.rollout.engine_kwargs.vllm.foo=1",
        "actor_rollout_ref.rollout.temperature='${oc.env:T}'",
        "trainer.logger=[console,wandb]",
    ],
)
def test_what_is_fine(line: str) -> None:
    assert overrides(line) == []


def test_a_key_of_a_newer_release_says_since_when() -> None:
    newer = next(d for d in overrides("reward.reward_manager.name=dapo", "0.5.0") if d.code == "KEY003")
    assert "veRL 0.5.0 has no key" in newer.message
    assert "veRL has it since 0." in newer.help


def test_the_place_of_a_value_is_that_of_the_value() -> None:
    text = "python3 -m verl.trainer.main_ppo \\\n  trainer.total_epochs=abc \\\n  data.train_bach_size=4\n"
    read_as = document(KNOWN + "trainer.total_epochs=abc\n")
    (diagnostic,) = [d for d in basic.check(read_as, "verl", "0.9.1") if d.code == "KEY004"]
    assert diagnostic.place is not None
    assert read_as.text[diagnostic.place.span.start : diagnostic.place.span.end] == "abc"
    assert text


def test_trinity_yaml() -> None:
    text = "mode: both\nalgorithm:\n  repeat_time: 8\nbuffer:\n  batch_size: many\n  total_epochs: 2\n"
    diagnostics = basic.check(document(text, "t.yaml"), "trinity", "0.6.0")
    assert [(d.code, d.severity, d.place.span.line if d.place else 0) for d in diagnostics] == [
        ("KEY001", Severity.ERROR, 3),
        ("KEY004", Severity.ERROR, 5),
    ]
    assert diagnostics[0].help == "did you mean algorithm.repeat_times?"


def test_interpolations_that_lead_in_a_circle_or_nowhere() -> None:
    text = "algorithm:\n  repeat_times: ${buffer.batch_size}\nbuffer:\n  batch_size: ${algorithm.repeat_times}\n"
    diagnostics = basic.check(document(f"{text}name: ${{no.such}}\nproject: ${{name_of}}\n", "t.yaml"), None, None)
    assert sorted(d.code for d in diagnostics) == ["SYN401", "SYN401", "SYN402", "SYN402"]


def test_a_guessed_release_is_said_when_it_matters() -> None:
    diagnostics = basic.check(document(KNOWN + "data.train_bach_size=1\n"), None, None)
    assert [d.code for d in diagnostics] == ["VER001", "KEY001"]
    assert "taken for veRL" in diagnostics[0].message
    assert basic.check(document(KNOWN), None, None) == ()


def test_a_release_without_a_framework() -> None:
    (diagnostic,) = basic.check(document(KNOWN + "reward.reward_manager.name=dapo\n"), None, "0.5.0")
    assert (diagnostic.code, diagnostic.message) == ("KEY003", "veRL 0.5.0 has no key reward.reward_manager.name")


def test_a_file_of_something_else() -> None:
    other_document = document("services:\n  web:\n    image: nginx\n", "compose.yaml")
    (diagnostic,) = basic.check(other_document, None, None)
    assert diagnostic.code == "KEY000"
    assert not config_of.is_config(other_document)
    assert config_of.is_config(document(KNOWN))
    assert basic.check(document("", "empty.yaml"), None, None) == ()


SCRIPT = """set -x
python3 -m {program} {options}\\
  algorithm.adv_estimator=grpo \\
  data.train_batch_size=8 \\
  {line}
"""


def script(line: str, program: str = "verl.trainer.main_ppo", options: str = "") -> list[Diagnostic]:
    text = SCRIPT.format(line=line, program=program, options=options)
    return list(basic.check(document(text, "run.sh"), "verl", "0.9.1"))


def test_a_script_is_checked_at_its_own_lines() -> None:
    (diagnostic,) = script('data.train_bach_size="16"')
    assert diagnostic.code == "KEY001"
    assert diagnostic.place is not None
    assert (diagnostic.place.span.line, diagnostic.place.span.col) == (5, 3)


@pytest.mark.parametrize(
    ("program", "options"),
    [
        ("recipe.prime.main_prime", ""),
        ("verl.experimental.vla.main_sac", ""),
        ("verl.trainer.main_ppo", "--config-name=my_trainer --config-path=conf "),
    ],
)
def test_keys_of_a_config_that_is_not_at_hand_are_only_noted(program: str, options: str) -> None:
    (diagnostic,) = script("prime.strange=1", program, options)
    assert (diagnostic.code, diagnostic.severity) == ("KEY001", Severity.INFO)
    assert "may have it" in diagnostic.help
    (misspelt,) = script("data.train_bach_size=1", program, options)
    assert (misspelt.code, misspelt.severity) == ("KEY001", Severity.WARNING)


def test_a_program_without_a_catalogue_is_not_checked() -> None:
    (diagnostic,) = script("data.path=x", "verl.trainer.main_generation")
    assert (diagnostic.code, diagnostic.severity) == ("KEY010", Severity.INFO)


@pytest.mark.parametrize(
    ("line", "fine"),
    [
        ("+actor_rollout_ref.rollout.engine_kwargs.vllm.attention_backend=x", True),
        ("+trainer.nnodes=1", False),
        ("+trainer.logger=[wandb]", True),
    ],
)
def test_hydra_appends_where_null_stands_and_merges_lists(line: str, fine: bool) -> None:
    assert (not script(line)) is fine


def test_another_config_for_a_part_is_not_in_the_catalogue() -> None:
    (diagnostic,) = script("model_engine=mindspeed actor_rollout_ref.actor.mindspeed.strange=1")
    assert (diagnostic.code, diagnostic.severity) == ("KEY001", Severity.INFO)
    assert diagnostic.help == "the config that model_engine=mindspeed chooses may have it"


def test_a_script_that_is_said_to_be_for_another_framework() -> None:
    text = SCRIPT.format(line="trainer.nnodes=1", program="verl.trainer.main_ppo", options="")
    diagnostics = basic.check(document(text, "run.sh"), "trinity", "0.6.0")
    assert {(d.code, d.severity) for d in diagnostics} == {("KEY002", Severity.ERROR)}
    assert "veRL's name; Trinity-RFT calls it cluster.node_num" in diagnostics[-1].help


@pytest.mark.parametrize("first", [1, True, "1", 1.0])
def test_what_is_remembered_of_one_file_says_nothing_of_like_values_in_the_next(first: object) -> None:
    refused = {"1": False, "true": True, "'1'": False, "1.5": True, "1.0": True}

    def is_refused(value: str) -> bool:
        text = f"mode: both\nproject: p\nbuffer:\n  batch_size: {value}\n"
        return any(d.code == "KEY004" for d in basic.check(document(text, "run.yaml"), "trinity", "0.6.0"))

    is_refused(repr(first).lower())
    assert {value: is_refused(value) for value in refused} == refused
    assert {value: is_refused(value) for value in reversed(refused)} == refused


def test_a_key_that_the_loader_drops_is_no_error() -> None:
    (diagnostic,) = basic.check(
        document("rollout_batch_size: 64\nactor_train:\n  strange: 1\n", "a.yaml"), "roll", "0.3.0"
    )
    assert (diagnostic.code, diagnostic.severity) == ("KEY001", Severity.WARNING)


STORE = "deepspeed_zero2:\n  bf16: {enabled: true}\ncustom_env: {Lake: {max_steps: 3}}\nactor_train: {odd: 1}\n"
"""Sections that ROLL's examples keep for all configs, and a key in a section that ROLL has."""


def test_a_base_file_may_keep_sections_that_a_config_does_not_take() -> None:
    """dacite drops them (strict=False), and nobody wrote them for this config."""
    text = "defaults:\n  - ../config/store@_here_\nrollout_batch_size: 64\nadv_estimator: grpo\n"
    base = {"../config/store.yaml": STORE}
    diagnostics = basic.check(read(Source("a.yaml", text), ReadOptions(sources=base)), "roll", "0.3.0")
    assert [d.key for d in diagnostics if d.code == "KEY001"] == ["actor_train.odd"]


def test_a_key_of_another_release_than_the_guessed_one_is_no_error() -> None:
    line = "actor_rollout_ref.actor.megatron.grad_offload=True ray_kwargs.ray_init.runtime_env.py_executable=null model_engine=megatron"
    text = SCRIPT.format(line=line, program="verl.trainer.main_ppo", options="")
    guessed, severities = (
        {d.severity for d in basic.check(document(text, "run.sh"), "verl", release) if d.code == "KEY003"}
        for release in (None, "0.9.1")
    )
    assert (guessed, severities) == ({Severity.WARNING}, {Severity.ERROR})


def test_the_sft_programs_part_of_the_model_and_engines_without_a_catalogue() -> None:
    line = "model=hf_model engine=automodel optim=automodel engine.tp_size=2 model.path=Qwen/Qwen3-8B"
    text = SCRIPT.format(line=line, program="verl.trainer.sft_trainer", options="")
    assert not [d for d in basic.check(document(text, "run.sh"), None, None) if d.severity is Severity.ERROR]


TEMPLATE = """runtime_args:
  train_backend: megatron
  exp_name: x
models:
  policy_trainer:
    seq_length: ???
  policy:
    load: m/m
    seq_length: ${models.policy_trainer.seq_length}
"""
"""A config in the form of ChatLearn's own Megatron template, whose length a start script gives."""


def test_what_a_start_script_gives_is_no_error_of_a_template() -> None:
    (diagnostic,) = (d for d in basic.check(document(TEMPLATE, "grpo.yaml"), "chatlearn", None) if d.code == "SYN405")
    assert diagnostic.severity is Severity.WARNING
    assert "--set" in diagnostic.help


def test_what_a_launch_leaves_out_is_an_error() -> None:
    lines = (
        "actor_rollout_ref.model.path='???' actor_rollout_ref.model.tokenizer_path='${actor_rollout_ref.model.path}'"
    )
    script = document(f"python3 -m verl.trainer.main_ppo data.train_batch_size=8 {lines}\n", "run.sh")
    (diagnostic,) = (d for d in basic.check(script, "verl", "0.9.1") if d.code == "SYN405")
    assert diagnostic.severity is Severity.ERROR


def test_a_config_of_a_kind_that_is_not_read_has_one_error() -> None:
    """ChatLearn up to 1.0.3: `runtime_env` and `runtime` stand beside `models`, whose keys have other names and resolvers."""
    old = "runtime_env:\n  platform: DLC\nmodels:\n  policy:\n    model_config_file: a.yaml\n    gpu_per_process: ${num_gpu:1}\n"
    (diagnostic,) = basic.check(document(old, "rlhf.yaml"), None, None)
    assert (diagnostic.code, diagnostic.severity) == ("KEY003", Severity.ERROR)
    assert "runtime_env.platform is not read" in diagnostic.message
    assert "1.2.0 and later" in diagnostic.help


def test_what_a_rule_says_of_a_key_replaces_that_the_framework_sets_it_itself() -> None:
    """Trinity-RFT 0.6.0 marks `trainer_config_path` as its own, and refuses it: leaving it out would lose its content."""
    head = (
        "mode: train\nalgorithm: {algorithm_type: grpo, repeat_times: 2}\nbuffer: {batch_size: 8}\nsynchronizer: {}\n"
    )
    for value, codes in (("/code/verl.yaml", {"DIA128"}), ("''", {"KEY008"})):
        text = f"{head}trainer: {{trainer_type: verl, trainer_config_path: {value}}}\n"
        findings = engine.check(document(text, "run.yaml"), engine.Options("trinity", "0.6.0"))
        assert {finding.code for finding in findings if finding.key == "trainer.trainer_config_path"} == codes
