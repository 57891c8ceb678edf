"""How frameworks hold plan fields."""

from __future__ import annotations

import pytest

from rftconf.explain.field import field_facts, hazards_of, rules_of
from rftconf.explain.fields import field_support, fields_by_key, keys_by_field
from rftconf.mappers.tables import all_tables
from rftconf.plan.index import fields
from rftconf.schemas import registry


@pytest.mark.parametrize(("framework", "kind"), all_tables(), ids="-".join)
def test_both_directions_agree(framework: str, kind: str) -> None:
    by_key = fields_by_key(framework, kind)
    for path, keys in keys_by_field(framework, kind).items():
        for key in keys:
            assert path.removeprefix("stage.") in by_key[key]


@pytest.mark.parametrize("path", fields())
def test_every_field_is_explained_for_every_framework(path: str) -> None:
    facts = field_facts(path)
    assert facts.section
    assert facts.type or facts.choices
    assert [entry.framework for entry in facts.held] == list(registry.FRAMEWORKS)
    for entry in facts.held:
        assert entry.keys if entry.state in ("exact", "derived") else entry.how


@pytest.mark.parametrize(
    ("framework", "field", "state", "first"),
    [
        ("verl", "sampling.train.temperature", "exact", "actor_rollout_ref.rollout.temperature"),
        ("verl", "batch.sequences_per_update", "derived", "actor_rollout_ref.actor.ppo_mini_batch_size"),
        ("trinity", "data.train[].uri", "derived", "buffer.explorer_input.tasksets[].path"),
        ("trinity", "model_options.lora.alpha", "derived", "model.lora_configs[].lora_alpha"),
        ("roll", "batch.prompts_per_rollout", "derived", "rollout_batch_size"),
        ("roll", "placement.actor.gpus", "derived", "actor_train.device_mapping"),
        ("chatlearn", "algorithm.advantage", "fixed", ""),
        ("chatlearn", "optim.critic.lr", "none", ""),
    ],
)
def test_states(framework: str, field: str, state: str, first: str) -> None:
    result = field_support(framework, f"stage.{field}")
    assert result.state == state
    assert (result.keys[0] if result.keys else "") == first


def test_words_are_listed() -> None:
    words = dict(field_support("verl", "stage.algorithm.kl_loss.estimator").words)
    assert words["low_var_kl"] == "k3_clamped"


def test_hazards_and_rules_of_a_field() -> None:
    assert {hazard.name for hazard in hazards_of("stage.sampling.eval.temperature")} == {"H55"}
    assert "BAT011" in {code for code, _ in rules_of("stage.batch.responses_per_prompt")}
