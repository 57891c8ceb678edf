"""ROLL's distillation pipeline: read in full into typed fields, kept key by key, and refused by name elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from rftconf.base.errors import RefusedError
from rftconf.convert.convert import convert
from rftconf.lint import engine
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.plan.model import Distillation
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.roll_runs import nested

CONFIG, AT = "strategy_args.strategy_config.", "stage.placement.auxiliary[0]."
DISTILL: dict[str, Any] = {
    "exp_name": "follow",
    "num_gpus_per_node": 8,
    "save_steps": 100,
    "eval_steps": 50,
    "student_pretrain": "/models/small",
    "teacher_pretrain": "/models/large",
    "kd_objective": "skewed_forward_kl",
    "skew_lambda": 0.2,
    "distill_loss_weight": 0.85,
    "kd_temperature": 2.0,
    "teacher_temperature": 1.5,
    "logits_topk": 32,
    "distill_on_prompt": True,
    "sequence_length": 2048,
    "max_grad_norm": 0.5,
    "question_key": "q",
    "answer_key": "a",
    "validation.data_args.file_name": ["/data/held_out.json"],
    "student.training_args.learning_rate": 2e-5,
    "student.training_args.weight_decay": 0.1,
    "student.training_args.per_device_train_batch_size": 8,
    "student.training_args.gradient_accumulation_steps": 4,
    "student.training_args.num_train_epochs": 2,
    "student.data_args.file_name": ["/data/train.json"],
    "student.strategy_args.strategy_name": "megatron_train",
    "student." + CONFIG + "tensor_model_parallel_size": 2,
    "student." + CONFIG + "pipeline_model_parallel_size": 2,
    "student.device_mapping": "list(range(0,8))",
    "teacher.training_args.per_device_train_batch_size": 16,
    "teacher.strategy_args.strategy_name": "megatron_infer",
    "teacher." + CONFIG + "tensor_model_parallel_size": 4,
    "teacher.device_mapping": "list(range(8,12))",
}


def document(**changes: Any) -> Document:
    flat = {**DISTILL, **{key.replace("__", "."): value for key, value in changes.items()}}
    return read(Source("distill.yaml", yaml.safe_dump(nested(flat), sort_keys=False)))


def loaded(**changes: Any) -> Loaded:
    return load(document(**changes), framework="roll", release="0.3.0")


def values(**changes: Any) -> dict[str, Any]:
    return loaded(**changes).stages[-1].values


def test_what_the_student_learns_and_how() -> None:
    expected = {
        "stage.kind": "offline_distill",
        "stage.model.path": "/models/small",
        "stage.length.model_max_tokens": 2048,
        "stage.batch.sequences_per_update": 8 * 4 * 2,  # of 8 GPUs, TP 2 and PP 2 leave 2 ranks
        "stage.run_length.epochs": 2,
        "stage.optim.actor.lr": 2e-5,
        "stage.optim.actor.weight_decay": 0.1,
        "stage.optim.actor.grad_clip": 0.5,
        "stage.placement.actor.gpus": 8,
        "stage.placement.actor.megatron.tp": 2,
        "stage.placement.actor.megatron.pp": 2,
        "stage.data.train[0].keys.prompt": "q",
        "stage.data.train[0].keys.response": "a",
        "stage.cadence.save_rollouts": 100,
        "stage.cadence.eval_rollouts": 50,
    }
    plan = values()
    assert {path: plan.get(path) for path in expected} == expected


def test_the_objective_has_typed_fields() -> None:
    assert loaded().plan.stages[-1].algorithm.distillation == Distillation(
        objective="skewed_forward_kl",
        loss_weight=0.85,
        student_temperature=2.0,
        teacher_temperature=1.5,
        teacher_top_k=32,
        on_prompt=True,
        adaptive_alpha=0.5,
        skew_lambda=0.2,
    )


def test_the_teacher_is_a_model_with_gpus_of_its_own_or_the_students() -> None:
    teacher = {path[len(AT) :]: value for path, value in values().items() if path.startswith(AT) and value is not None}
    assert teacher == {
        "role": "teacher", "name": "teacher", "path": "/models/large", "gpus": 4, "own_pool": True, "colocate_with": [], "engine": "megatron",
        "dtype": "bfloat16", "sequences_per_pass": 16, "tp": 4, "pp": 1,
    }  # fmt: skip
    assert values()["cluster.nodes"] == 2
    shared = values(teacher__device_mapping="list(range(0,8))")
    assert (shared[AT + "own_pool"], shared[AT + "colocate_with"]) == (False, ["actor"])


def test_both_roles_name_their_weights_or_those_at_the_top_count() -> None:
    own = values(student__model_args__model_name_or_path="/models/own")
    assert own["stage.model.path"] == "/models/small"
    both = values(
        student__model_args__model_name_or_path="/models/own", teacher__model_args__model_name_or_path="/models/other"
    )
    assert (both["stage.model.path"], both[AT + "path"]) == ("/models/own", "/models/other")


def test_every_key_comes_back() -> None:
    done = convert(document(), "roll", framework="roll", release="0.3.0", to_release="0.3.0")
    back = load(read(Source("again.yaml", done.text)), framework="roll", release="0.3.0")
    assert back.stages[-1].values == values()
    assert {leaf.key: leaf.value for leaf in back.document.leaves} == {
        leaf.key: leaf.value for leaf in document().leaves
    }
    assert all(line.state.value in ("exact", "default", "dead-in-source") for line in done.ledger.sources)


def test_it_is_checked() -> None:
    codes = {
        d.code
        for d in engine.check(document(student__device_mapping="list(range(0,6))"), engine.Options("roll", "0.3.0"))
    }
    assert codes  # six GPUs are no whole number of ranks of four
    assert "KEY001" in {d.code for d in engine.check(document(kd_objektive="x"), engine.Options("roll", "0.3.0"))}


@pytest.mark.parametrize(
    ("to", "why"),
    [
        ("verl", "veRL distils a student on its own answers alone"),
        ("trinity", "Trinity-RFT distils a student on its own answers alone"),
        ("chatlearn", "ChatLearn's entrypoint starts grpo"),
    ],
)
def test_elsewhere_it_is_refused_by_name(to: str, why: str) -> None:
    with pytest.raises(RefusedError, match=f"this is a distillation run; {why}"):
        convert(document(), to, framework="roll", release="0.3.0")
