"""Scripts on the shipped template say the same as the whole config."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import Basis, TargetLine
from rftconf.convert.convert import Options, convert, convert_loaded
from rftconf.lint.rule import Example
from rftconf.load.load import load
from rftconf.schemas import catalogue
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from rftconf.text.write.emit_yaml import emit
from tests.lint.bases import as_shell
from tests.sources import ROOT

CASES = ("grpo-guide", "chatlearn-grpo", "chatlearn-megatron", "dapo", "multi-node")


def template(trainer: str) -> str:
    """The template that the newest ChatLearn ships, from the catalogue's facts."""
    known = catalogue.load("chatlearn", None, trainer)
    return emit([TargetLine(key, value, Basis.FIXED) for key, value in known.template.items()])


@pytest.mark.parametrize("name", CASES)
def test_a_script_on_the_template_is_the_same_run(name: str) -> None:
    (file,) = (ROOT / "golden" / "convert" / name).glob("input.*")
    source = read(Source(file.name, file.read_text(encoding="utf-8")))
    script, whole = (convert(source, "chatlearn", rows=7473, style=style) for style in ("sh", "yaml"))
    assert (script.file_suffix, whole.file_suffix) == (".sh", ".yaml")
    templates = {f"template/grpo_{trainer}.yaml": template(trainer) for trainer in ("fsdp", "megatron")}
    on_template = load(read(Source("run.sh", script.text), ReadOptions(sources=templates, bindings={"HOME": "/h"})))
    plain = load(read(Source("run.yaml", whole.text.replace("${oc.env:HOME}", "/h"))))
    # the template's own tuning stays where nobody asked for another
    assert on_template.plan.model_dump(exclude=TUNING) == plain.plan.model_dump(exclude=TUNING)


TUNING: Any = {
    "extensions": True,
    "idle": True,
    "stages": {
        0: {
            "placement": {"actor": {"offload": True, "megatron": {"distributed_optimizer"}}, "reference": {"offload"}},
            "batch": {"log_prob", "reference"},
        }
    },
}


def test_what_the_template_says_otherwise_is_undone() -> None:
    (file,) = (ROOT / "golden" / "convert" / "chatlearn-gspo").glob("input.*")
    text = convert(read(Source(file.name, file.read_text(encoding="utf-8"))), "chatlearn", style="sh").text
    assert "runtime_args.data_checkpoint_path=null" in text


def test_tuning_that_the_source_itself_writes_does_not_become_the_templates() -> None:
    own = "actor_rollout_ref.actor.fsdp_config.param_offload=False"
    source = load(read(Source("run.sh", as_shell(Example("verl", (own, "actor_rollout_ref.hybrid_engine=False"))))))
    text = convert_loaded(source, "chatlearn", Options(style="sh")).text
    back = load(read(Source("run.sh", text)), framework="chatlearn")
    assert back.plan.stages[0].placement.actor.offload.param is False


def test_tuning_that_the_template_brings_is_named() -> None:
    (file,) = (ROOT / "golden" / "convert" / "megatron-back").glob("input.*")
    source = load(read(Source(file.name, file.read_text(encoding="utf-8"))))
    notes = convert_loaded(source, "chatlearn", Options(style="sh")).ledger.notes
    assert any("placement.actor.offload.grad: " in note for note in notes), notes


LAUNCH = (
    "python chatlearn/entrypoint.py grpo --config-file template/grpo_fsdp.yaml runtime_args.data_path=/d/a.json"
    " runtime_args.eval_data_path=/d/b.json models.policy_trainer.load=/models/q models.policy_trainer.num_gpu=8\n"
)


@pytest.mark.parametrize("style", ["sh", "yaml"])
def test_a_script_on_the_template_keeps_what_the_template_says(style: str) -> None:
    """The engines and the reference take the trainer's folder by the template, and a whole config has to say all of it."""
    before = load(read(Source("run.sh", LAUNCH)))
    after_text = convert(read(Source("run.sh", LAUNCH)), "chatlearn", style=style)
    after = load(read(Source(f"run{after_text.file_suffix}", after_text.text)))
    assert after_text.file_suffix == f".{style}"
    assert "load=null" not in after_text.text
    assert after.plan.model_dump(exclude=TUNING) == before.plan.model_dump(exclude=TUNING)
    assert after.stages[0].values["stage.model.path"] == "/models/q"
