"""A rule of veRL's 0.9 line begins with the release whose code it speaks of, not with the newest patch of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rftconf.lint import registry as rules
from rftconf.lint.rule import Rule
from rftconf.schemas import catalogue, registry
from tests.lint.bases import documents
from tests.lint.test_rules import check

OTHERWISE_IN_0_9_0 = {
    "ALG005": "core_algos.compute_policy_loss_gspo of 0.9.0 takes the mean over sequences, whatever loss_agg_mode says",
    "ALG022": "utils/config.py of 0.9.0 has no _validate_router_replay_config",
    "DIA016": "utils/config.py of 0.9.0 has no _validate_router_replay_config",
}
STARTING = [rule for rule in rules.rules() if rule.bad.framework == "verl" and rule.since in ("0.9.0", "0.9.1")]


def known_before(rule: Rule, release: str) -> bool:
    """True when `release` has every key of the rule's example."""
    of = [catalogue.load("verl", release, trainer) for trainer in registry.framework("verl").trainers_of(release)]
    keys = [line.lstrip("+~").partition("=")[0] for line in rule.bad.lines]
    return all(any(key in new_catalogue for new_catalogue in of) for key in keys)


def test_what_begins_in_0_9_1_needs_a_key_of_it_or_other_code() -> None:
    late = {rule.code for rule in STARTING if rule.since == "0.9.1" and known_before(rule, "0.9.0")}
    assert late == set(OTHERWISE_IN_0_9_0)


@pytest.mark.parametrize("rule", STARTING, ids=lambda rule: rule.code)
def test_it_is_found_in_its_first_release(rule: Rule) -> None:
    first = replace(rule.bad, release=rule.since)
    for document in documents(rule.bad):
        assert rule.code in {diagnostic.code for diagnostic in check(document, first)}


def test_0_9_0_is_told_of_modes_and_switches_that_it_has() -> None:
    """veRL 0.9.0, trainer/ppo/v1: register_trainer, separate_async's assertions, _balance_batch without a condition."""
    assert {"DIA001", "DIA002", "DIA007", "GPU006", "GPU007", "BAT013"} <= {
        rule.code for rule in STARTING if rule.since == "0.9.0"
    }
