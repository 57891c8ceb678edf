"""Every key of every catalogue is explained, and a mapped one says what it is in the plan and elsewhere."""

from __future__ import annotations

import pytest

from rftconf.base.errors import UsageError
from rftconf.explain.fields import fields_at, fields_by_key
from rftconf.explain.find import Match
from rftconf.explain.key import STAGE, KeyFacts, key_facts
from rftconf.explain.spans import spans_of
from rftconf.report.screen import Screen
from rftconf.schemas import catalogue, registry
from rftconf.verbs.key_json import match_json
from rftconf.verbs.key_page import page

EVERY = [known.name for known in registry.variants()]


def keys_of(framework: str) -> list[str]:
    """Every key that any release and trainer has."""
    known = registry.framework(framework)
    return sorted(
        {
            key
            for release in known.releases
            for trainer in known.trainers_of(release)
            for key in catalogue.load(framework, release, trainer).keys
        }
    )


@pytest.mark.parametrize("framework", EVERY)
def test_every_key_of_every_release_is_explained(framework: str) -> None:
    """And a mapped one names its plan fields, and for each of them what each other framework has, or why nothing."""
    known, silent, mapped = registry.framework(framework), [], 0
    others = {framework.name for framework in registry.FRAMEWORKS.values() if framework.name != known.family}
    newest = catalogue.load(framework).keys
    for key in keys_of(framework):
        text, facts = page(Match(known, key), Screen()), key_facts(framework, key)
        assert text.startswith(f"{key}: a key of {known.title}")
        assert facts.spans
        if not (facts.fields or facts.reason[1] or facts.unread or facts.named != (key,)):
            silent.append(key)
        plans = fields_at(fields_by_key(framework), key) if key in newest else ()
        mapped += bool(plans)
        assert {field.field for field in facts.fields} >= set(plans), key
        assert all(plan in " ".join(text.split()) for plan in plans), key
        for instance in (instance for field in facts.fields for instance in field.held):
            assert registry.framework(instance.framework).family in others
            assert instance.keys if instance.state in ("exact", "derived") else instance.how, (key, instance)
        assert all(len(field.held) == len(others) for field in facts.fields)
    assert mapped > 0
    # sections of a stage, of which hazard 58 speaks
    assert [key for key in silent if not key.startswith(STAGE)] == []


@pytest.mark.parametrize("framework", EVERY)
def test_every_release_says_its_own_type_and_default(framework: str) -> None:
    known = registry.framework(framework)
    for release in known.releases:
        for trainer in known.trainers_of(release):
            for key, new_key in catalogue.load(framework, release, trainer).keys.items():
                span = spans_of(known, trainer, key, release)[0]
                assert (span.releases, span.name, span.default) == ((release,), key, new_key.default)


def test_a_count_is_told_with_its_unit_and_formula() -> None:
    facts = key_facts("verl", "actor_rollout_ref.actor.ppo_mini_batch_size")
    assert facts.formulas == (
        (
            "batch.sequences_per_update",
            "actor_rollout_ref.actor.ppo_mini_batch_size * responses_per_prompt",
        ),
    )
    (field,) = facts.fields
    assert field.unit == "sequences"
    by_name = {entry.framework: entry for entry in field.held}
    assert by_name["trinity"].keys[0] == "buffer.train_batch_size"
    assert by_name["roll"].formula == (
        "actor_train.training_args.per_device_train_batch_size * "
        "actor_train.training_args.gradient_accumulation_steps * trainer_gpus / sp"
    )
    assert (by_name["chatlearn"].state, by_name["chatlearn"].keys) == (
        "exact",
        ("runtime_args.train_global_batch_size",),
    )
    assert {hazard.name for hazard in facts.hazards} >= {"H1", "H2", "H4", "H8"}
    assert {code for code, _ in facts.rules} >= {"BAT001", "BAT018"}


def test_two_keys_together_are_told_as_a_product() -> None:
    facts = key_facts("trinity", "buffer.batch_size")
    message = dict(facts.formulas)["batch.prompts_per_rollout"]
    assert message == "buffer.batch_size * synchronizer.explorer_sync_interval"
    counted = dict(key_facts("chatlearn", "runtime_args.sample_per_episode").formulas)
    assert counted["batch.prompts_per_rollout"] == "runtime_args.sample_per_episode / responses_per_prompt"


def test_a_renamed_key_leads_to_its_name_today() -> None:
    facts = key_facts("verl", "critic.model.fsdp_config.fsdp_size")
    assert facts.named == ("critic.fsdp.fsdp_size",)
    assert [field.field for field in facts.fields] == ["placement.critic.fsdp_shard_gpus"]
    newer = key_facts("verl", "critic.fsdp.fsdp_size")
    assert {span.name for span in newer.spans} == {"critic.model.fsdp_config.fsdp_size", "critic.fsdp.fsdp_size"}


def test_a_default_that_flipped_is_two_spans() -> None:
    spans = key_facts("verl", "actor_rollout_ref.rollout.calculate_log_probs").spans
    assert [span.default for span in spans][-2:] == [False, True]
    assert spans[-1].releases == ("0.9.0", "0.9.1")
    new_spans = key_facts("verl", "actor_rollout_ref.rollout.calculate_log_probs", "0.8.0").spans
    assert [(span.releases, span.default) for span in new_spans] == [(("0.8.0",), False)]


def test_a_key_that_nobody_reads_says_so() -> None:
    facts = key_facts("verl", "reward_model.enable")
    assert "reads none of it" in facts.unread
    assert facts.named == ("reward.reward_model.enable",)
    assert "H59" in {hazard.name for hazard in facts.hazards}


def test_indices_and_names_of_mappings_are_free() -> None:
    facts = key_facts("trinity", "buffer.explorer_input.tasksets[3].path")
    assert facts.key == "buffer.explorer_input.tasksets[].path"
    assert "data.train[].uri" in {field.field for field in facts.fields}


def test_a_kind_without_a_program_says_so() -> None:
    kinds = {kind.kind: kind for kind in key_facts("trinity", "buffer.train_batch_size").kinds}
    field = next(field for field in kinds["dpo"].fields if field.field == "batch.sequences_per_update")
    support_by_name = {entry.framework: entry for entry in field.held}
    assert support_by_name["verl"].state == "none"
    assert "no trainer for pairs" in support_by_name["verl"].how


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"veRL has no key buffer\.batch_size"):
        key_facts("verl", "buffer.batch_size")
    with pytest.raises(UsageError, match=r"0\.4\.1 has no key trainer\.use_v1"):
        key_facts("verl", "trainer.use_v1", "0.4.1")


def test_json_and_page_are_of_the_same_facts() -> None:
    match = Match(registry.framework("verl"), "trainer.save_freq")
    data, facts = match_json(match), key_facts("verl", "trainer.save_freq")
    assert isinstance(facts, KeyFacts)
    assert list(data["hazards"]) == [hazard.name for hazard in facts.hazards]
    assert data["plan"][0]["frameworks"]["trinity"]["formula"] == (
        "trainer.save_interval * sequences_per_update / (prompts_per_rollout * responses_per_prompt)"
    )
    assert data["plan"][0]["frameworks"]["trinity"]["state"] == "derived"
