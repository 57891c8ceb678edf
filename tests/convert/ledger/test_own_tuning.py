"""What a source's own settings do, for which no plan field stands, is said among what changes the learning."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from rftconf.base.ledger import Change
from rftconf.convert.convert import Options
from rftconf.convert.learning.learning import UNMEASURED, in_order
from rftconf.convert.stage_series import convert_series
from rftconf.load.load import load
from rftconf.report.learning import MOST
from rftconf.report.ledger import ledger_text
from rftconf.report.screen import Screen
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.roll_runs import from_roll
from tests.sources import ROOT


def learning(**more: Any) -> list[Change]:
    return list(from_roll(more).conversion.ledger.learning)


def test_settings_of_one_reason_are_one_change() -> None:
    """functionals.reward_postprocess and compute_advantage clamp; nothing in veRL does."""
    (own,) = [change for change in learning(advantage_clip=2.0, reward_clip=10) if change.tier == UNMEASURED]
    assert own.says == "advantage_clip=2.0 and reward_clip=10 act in the source only"
    assert own.keys == ("advantage_clip", "reward_clip")
    assert "cut off" in own.why


def test_each_setting_is_named_however_many_there_are() -> None:
    """A person has to decide about each: a count decides nothing."""
    worlds = {f"custom_envs.FrozenLake.env_config.setting_{number}": number for number in range(40)}
    (own,) = [c for c in learning(**worlds) if c.tier == UNMEASURED and "environments" in c.why]
    assert {f"{key}={value}" for key, value in worlds.items()} <= set(
        own.says.replace(" and ", ", ").replace(" act", ", ").split(", ")
    )
    assert "more like them" not in own.says


def test_what_no_screen_has_room_for_is_named_by_its_keys() -> None:
    ledger = from_roll({"advantage_clip": 2.0}).conversion.ledger
    sizes = [Change(f"cause {number}", "scale", f"Size {number}", 1.0) for number in range(MOST)]
    text = ledger_text(replace(ledger, learning=in_order([*sizes, *ledger.learning])), Screen(200))
    assert re.search(r"and \d+ further ones? \(own settings: advantage_clip[;)]", text), text


def test_what_belongs_to_another_run_is_no_change_of_this_one() -> None:
    """trinity/cli/launcher.py runs stage after stage, each with its own config: the first is as it was without the second."""
    staged = Source("run.yaml", (ROOT / "golden/convert/stages/input.yaml").read_text())
    steps = convert_series(load(read(staged)), "verl", Options()).steps
    (done,) = [step.conversion for step in steps if "warmup" in step.file]
    assert not [change for change in done.ledger.learning if "stages[" in " ".join(change.keys)]
    lost = {line.key for line in done.ledger.lossy}
    assert "stages[1].mode" in lost


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
