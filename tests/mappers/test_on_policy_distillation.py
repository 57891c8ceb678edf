"""A student follows a teacher on its own answers: ROLL's student roles, Trinity-RFT's workflow, veRL's distillation block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.text.read.read import read
from rftconf.text.source import Source, open_source
from tests.sources import ROOT

CASES = ROOT / "golden"
ROLL = CASES / "convert" / "roll-distill-to-verl" / "input.yaml"
TRINITY = CASES / "convert" / "trinity-distill-to-verl" / "input.yaml"
VERL = CASES / "convert" / "verl-distill-to-trinity" / "input.sh"
T = "stage.algorithm.distillation."


def loaded(file: Path, *changes: tuple[str, str]) -> Loaded:
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return load(read(Source(f"config{file.suffix}", text)))


def converted(file: Path, to: str, *changes: tuple[str, str], release: str | None = None) -> Conversion:
    return convert_loaded(loaded(file, *changes), to, Options(release))


def written(conversion: Conversion) -> dict[str, Any]:
    return {line.key.lstrip("+"): line.value for line in conversion.lines}


@pytest.mark.parametrize(
    ("file", "teacher", "coef"),
    [(ROLL, "/models/qwen-32b", 0.5), (TRINITY, "/models/teacher-7b", 1.0), (VERL, "/models/teacher-32b", 1.0)],
)
def test_the_plan_names_the_teacher_and_its_divergence(file: Path, teacher: str, coef: float) -> None:
    values = load(read(open_source(str(file)))).stages[-1].values
    expected = {"stage.kind": "distill", "stage.algorithm.advantage": "teacher", "stage.algorithm.critic.enabled": False,
                T + "objective": "reverse_kl", T + "estimator": "k1", T + "teacher_coef": coef, T + "as_advantage": True,
                "stage.placement.auxiliary[0].role": "teacher", "stage.placement.auxiliary[0].path": teacher}  # fmt: skip
    assert {path: values.get(path) for path in expected} == expected


def test_roles_of_a_student_stay_a_students_within_roll() -> None:
    text = yaml.safe_load(converted(ROLL, "roll").text)
    assert text["student_train"] == yaml.safe_load(ROLL.read_text())["student_train"]
    assert "actor_train" not in text
    assert text["teacher"]["opd_kl_coef"] == 0.5


def test_roles_that_a_student_stands_over_are_dead_not_lost() -> None:
    own = ("pretrain: /models", "actor_train:\n  training_args: {learning_rate: 9.0}\npretrain: /models")
    conversion = converted(ROLL, "verl", own)
    line = next(line for line in conversion.ledger.sources if line.key == "actor_train.training_args.learning_rate")
    assert line.state is State.DEAD_IN_SOURCE
    assert written(conversion)["actor_rollout_ref.actor.optim.lr"] == 1e-6


def test_a_role_without_a_model_takes_the_teachers_away() -> None:
    values = loaded(
        ROLL, ("  model_args: {model_name_or_path: /models/qwen-7b, dtype: bf16}\n  generating", "  generating")
    )
    assert values.stages[-1].values["stage.placement.auxiliary[0].path"] == "/models/qwen-7b"
    assert any("the student would follow itself" in note for note in values.notes)


def test_roll_gets_a_switch_a_teacher_and_every_role_its_model() -> None:
    keys = written(converted(TRINITY, "roll"))
    assert keys["is_pure_opd"] is True
    assert keys["teacher.model_args.model_name_or_path"] == "/models/teacher-7b"
    assert {keys[f"student_{role}.model_args.model_name_or_path"] for role in ("train", "infer")} == {
        "/models/student-1.5b"
    }
    assert (keys["student_train.device_mapping"], keys["teacher.device_mapping"]) == (
        "list(range(0,2))",
        "list(range(6,8))",
    )


def test_trinity_gets_the_class_and_the_workflow_that_asks_the_teacher() -> None:
    keys = written(converted(ROLL, "trinity"))
    assert keys["algorithm.algorithm_type"] == "on_policy_distill"
    assert keys["algorithm.advantage_fn_args.kl_coef"] == 0.5
    assert keys["buffer.explorer_input.default_workflow_type"] == "on_policy_distill_workflow"


def test_verl_gets_a_pool_no_critic_and_the_clip_range_of_the_teachers_loss() -> None:
    conversion = converted(TRINITY, "verl")
    keys = written(conversion)
    assert keys["algorithm.adv_estimator"] == "grpo"
    assert keys["distillation.distillation_loss.use_task_rewards"] is False
    assert (keys["distillation.nnodes"], keys["distillation.n_gpus_per_node"]) == (1, 2)
    assert keys["distillation.distillation_loss.clip_ratio_high"] == 0.2
    assert keys["distillation.teacher_models.teacher_model.inference.max_model_len"] == 3073


def test_a_teacher_beside_rewards_is_no_run_of_this_kind() -> None:
    conversion = converted(VERL, "trinity", ("use_task_rewards=False", "use_task_rewards=True"))
    assert conversion.loaded.stages[-1].values["stage.kind"] == "rl"
    line = next(line for line in conversion.ledger.sources if line.key == "distillation.enabled")
    assert line.state is State.NO_COUNTERPART


def test_a_divergence_that_a_target_lacks_is_asked() -> None:
    jsd = ("on_policy_distill\n", "jsd\n"), ("{kl_coef: 1.0}", "{kl_coef: 1.0, lambda_coef: 0.3}")
    for to, key in (("verl", "distillation.distillation_loss.loss_mode"), ("roll", "kl_penalty")):
        conversion = converted(TRINITY, to, *jsd)
        assert written(conversion)[key] == "???"
        assert key in [decision.key for decision in conversion.ledger.decisions]


@pytest.mark.parametrize(
    ("file", "to", "release"), [(ROLL, "verl", "0.7.1"), (ROLL, "trinity", "0.3.3"), (TRINITY, "roll", "0.1.3")]
)
def test_releases_without_a_teacher_refuse_it_by_name(file: Path, to: str, release: str) -> None:
    with pytest.raises(RefusedError, match=r"on-policy distillation run; .* starts none: they came with"):
        converted(file, to, release=release)


def states(conversion: Conversion) -> dict[str, State]:
    return {line.key: line.state for line in conversion.ledger.sources}


@pytest.mark.parametrize("to", ["verl", "trinity"])
def test_the_account_of_a_student_says_what_became_of_it(to: str) -> None:
    outcomes = states(converted(ROLL, to))
    assert outcomes["kl_penalty"] in (State.EXACT, State.DERIVED)  # how the teacher's divergence is estimated
    assert outcomes["student_infer.model_args.model_name_or_path"] is State.EXACT
    assert {outcomes["pretrain"], outcomes["reward_pretrain"]} == {State.DEAD_IN_SOURCE}
    assert outcomes["teacher.device_mapping"] is State.NARROWED  # 16 GPUs in turns became an engine of four


def test_that_rewards_are_not_learned_from_is_no_loss() -> None:
    assert states(converted(VERL, "trinity"))["distillation.distillation_loss.use_task_rewards"] not in (
        State.NO_COUNTERPART, State.EXTENSION,
    )  # fmt: skip


def test_an_estimator_that_spares_the_critic_is_alive_in_a_run_without_rewards() -> None:
    """veRL builds a critic for gae, the default, and then asks for the critic's own keys (need_critic)."""
    lines = converted(VERL, "trinity").ledger.sources
    line = next(line for line in lines if line.key == "algorithm.adv_estimator")
    assert line.state is not State.DEAD_IN_SOURCE
