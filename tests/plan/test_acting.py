"""What does nothing in a run is not compared; where nobody knows, it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rftconf.base.symbols import Var
from rftconf.plan.acting import IDLE, Validation, acting, awake_and_asleep, validation_of
from rftconf.plan.index import fields

A = "stage.algorithm."
RL: dict[str, Any] = {
    "stage.kind": "rl",
    "stage.batch.prompts_per_rollout": 16,
    "stage.batch.responses_per_prompt": 8,
    "stage.batch.sequences_per_update": 64,
}


def acts(path: str, value: Any, **others: Any) -> bool:
    values = {**RL, path: value, **{name.replace("__", "."): second for name, second in others.items()}}
    return path in acting(values)


@pytest.mark.parametrize(
    ("path", "value", "asleep", "awake"),
    [
        (A + "kl_loss.estimator", "k2", {"stage__algorithm__kl_loss__enabled": False},
         {"stage__algorithm__kl_loss__enabled": True}),
        (A + "kl_loss.estimator", "k2", {"stage__algorithm__kl_loss__enabled": True, "stage__algorithm__kl_loss__coef": 0},
         {"stage__algorithm__kl_loss__enabled": True, "stage__algorithm__kl_loss__coef": 0.1}),
        ("stage.optim.critic.lr", 1e-5, {}, {"stage__algorithm__critic__enabled": True}),
        (A + "divide_logits_by_temperature", True, {"stage__sampling__train__temperature": 1.0},
         {"stage__sampling__train__temperature": 0.7}),
        (A + "advantage_scope", "update", {"stage__batch__sequences_per_update": 128}, {}),
        ("stage.batch.uneven_tail", "pad", {}, {"stage__batch__sequences_per_update": 60}),
        ("stage.run_length.epochs", 3, {"stage__run_length__rollouts": 10}, {}),
        ("stage.data.seed", 7, {"stage__data__shuffle": False}, {"stage__data__shuffle": True}),
        ("stage.sampling.eval.temperature", 0.5, {},
         {"stage__data__eval[0]__uri": "/e", "stage__cadence__eval_rollouts": 5}),
        ("stage.placement.actor.megatron.tp", 2, {"stage__placement__actor__backend": "fsdp"},
         {"stage__placement__actor__backend": "megatron"}),
        ("stage.batch.micro.tokens_per_rank", 9000, {"stage__batch__micro__dynamic": False},
         {"stage__batch__micro__dynamic": True}),
        ("stage.optim.actor.min_lr_ratio", 0.1, {"stage__optim__actor__schedule": "constant"},
         {"stage__optim__actor__schedule": "cosine"}),
        ("stage.sync.every_rollouts", 2, {"stage__kind": "sft"}, {}),
        ("stage.model_options.lora.alpha", 8, {}, {"stage__model_options__lora__rank": 4}),
    ],
)  # fmt: skip
def test_when_a_field_acts(path: str, value: Any, asleep: dict[str, Any], awake: dict[str, Any]) -> None:
    assert not acts(path, value, **asleep)
    assert acts(path, value, **awake)


@pytest.mark.parametrize(
    ("path", "value", "switch"),
    [
        (A + "kl_loss.coef", 0.1, A + "kl_loss.enabled"),
        ("stage.optim.critic.lr", 0.1, A + "critic.enabled"),
        ("stage.batch.uneven_tail", "pad", "stage.batch.sequences_per_update"),
        ("stage.placement.actor.megatron.tp", 2, "stage.placement.actor.backend"),
    ],
)
def test_an_unknown_switch_leaves_the_field_alone(path: str, value: Any, switch: str) -> None:
    assert path in acting({**RL, path: value, switch: Var("X")})


def test_a_run_that_follows_a_teacher_reads_its_own_fields() -> None:
    values = {
        "stage.kind": "offline_distill",
        A + "distillation.teacher_temperature": 2.0,
        "stage.placement.auxiliary[0].path": "/t",
    }
    assert acting(values).keys() == values.keys()


def test_a_reason_is_told() -> None:
    values = {**RL, A + "kl_loss.coef": 0.1, A + "kl_loss.enabled": False}
    assert awake_and_asleep(values)[1].why(A + "kl_loss.coef") == "there is no KL term in the loss"
    assert awake_and_asleep({**values, A + "kl_loss.enabled": True})[1].why(A + "kl_loss.coef") is None


def test_every_glob_is_about_fields() -> None:
    from fnmatch import fnmatchcase

    globs = [glob for idle in IDLE for glob in idle.fields]
    assert [glob for glob in globs if not any(fnmatchcase(p, glob.replace("[]", "[[]]")) for p in fields())] == []


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(
        st.sampled_from([path.replace("[]", "[0]") for path in fields()]),
        st.one_of(st.none(), st.booleans(), st.integers(-3, 10**9), st.floats(), st.text(), st.just(Var("X")),
                  st.lists(st.text()), st.dictionaries(st.text(), st.integers())),
    )
)  # fmt: skip
def test_any_values_are_taken_and_one_spelling_is_kept(values: dict[str, Any]) -> None:
    once = acting(values)
    again = acting(once)
    assert again.keys() <= once.keys()
    assert repr({path: once[path] for path in again}) == repr(again)


SET, EVERY, FIRST = "stage.data.eval[0].uri", "stage.cadence.eval_rollouts", "stage.cadence.eval_at_start"


@pytest.mark.parametrize(
    ("values", "validation"),
    [
        ({}, Validation.NEVER),
        ({EVERY: 5, FIRST: True}, Validation.NEVER),
        ({SET: "/e", EVERY: None, FIRST: False}, Validation.NEVER),
        ({SET: "/e"}, Validation.NEVER),
        ({SET: "/e", EVERY: 5}, Validation.SOME_TIME),
        ({SET: "/e", FIRST: True, EVERY: Var("EVERY")}, Validation.SOME_TIME),
        ({SET: "/e", FIRST: False, EVERY: Var("EVERY")}, Validation.UNKNOWN),
        ({SET: Var("SET"), FIRST: Var("FIRST")}, Validation.UNKNOWN),
        ({"stage.data.environments[0].name": "maze", EVERY: 5}, Validation.SOME_TIME),
        ({"stage.kind": "eval", SET: "/e"}, Validation.SOME_TIME),
    ],
)
def test_whether_a_run_validates(values: dict[str, Any], validation: Validation) -> None:
    assert validation_of({"stage.kind": "rl", **values}) is validation
