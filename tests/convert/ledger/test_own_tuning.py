"""What a source's own settings do, for which no plan field stands, is said among what changes the learning."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import Change
from rftconf.convert.learning.learning import UNMEASURED
from tests.mappers.roll_runs import from_roll


def learning(**more: Any) -> list[Change]:
    return list(from_roll(more).conversion.ledger.learning)


def test_settings_of_one_reason_are_one_change() -> None:
    """functionals.reward_postprocess and compute_advantage clamp; nothing in veRL does."""
    (own,) = [change for change in learning(advantage_clip=2.0, reward_clip=10) if change.tier == UNMEASURED]
    assert own.says == "advantage_clip=2.0 and reward_clip=10 act in the source only"
    assert own.keys == ("advantage_clip", "reward_clip")
    assert "cut off" in own.why


def test_they_stand_before_what_samples_and_chance_make() -> None:
    tiers = [change.tier for change in learning(advantage_clip=2.0)]
    assert tiers == sorted(tiers, key=("objective", "scale", UNMEASURED, "samples", "chance").index)
    assert UNMEASURED in tiers


def test_a_setting_at_its_default_changes_nothing() -> None:
    assert not [change for change in learning(advantage_clip=None) if change.tier == UNMEASURED]


def test_within_its_framework_nothing_is_lost() -> None:
    done = from_roll({"advantage_clip": 2.0}, to="roll")
    assert not [change for change in done.conversion.ledger.learning if change.tier == UNMEASURED]
    assert done.out["advantage_clip"] == 2.0
