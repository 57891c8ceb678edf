"""The leaf-flip law for veRL's SFT program, whose two engines have a catalogue each."""

from __future__ import annotations

from functools import cache

import pytest

from rftconf.schemas import registry
from tests.laws.leaf_flip import GENERIC, Catalogued, Verdict, defaults_written, has_row, name_all
from tests.laws.survey import flip_all, survey

SFT = registry.VERL_SFT
TARGETS = ("trinity", "roll")
NEWEST = [Catalogued(SFT.name, SFT.newest, trainer, to) for trainer in SFT.trainers for to in TARGETS]
OLDER = [Catalogued(SFT.name, release, trainer, "trinity") for release in SFT.releases[:-1] for trainer in SFT.trainers]
ALWAYS_DEAD = {
    "fsdp": {"model.lora.rank", "model.lora.alpha", "model.lora.target_modules"},
    "megatron": {
        *("model.lora_rank", "model.lora_alpha", "model.target_modules", "model.exclude_modules"),
        "engine.full_determinism",
    },
}
"""HFModelConfig has both blocks of LoRA, and each engine reads its own; Megatron's engine never asks for determinism."""


@cache
def verdicts(of: Catalogued) -> list[Verdict]:
    """What became of every leaf."""
    return survey(of)


def silent(new_verdicts: list[Verdict]) -> list[str]:
    """The silent ones."""
    return [str(verdict) for verdict in new_verdicts if verdict.outcome == "silent"]


@pytest.mark.parametrize("of", NEWEST, ids=lambda of: f"{of.trainer}-{of.to}")
def test_no_leaf_is_silent(of: Catalogued) -> None:
    new_verdicts = verdicts(of)
    assert silent(new_verdicts) == []
    assert len(new_verdicts) > 150


@pytest.mark.parametrize("of", NEWEST, ids=lambda of: f"{of.trainer}-{of.to}")
def test_a_leaf_with_a_row_acts(of: Catalogued) -> None:
    dead = {verdict.key: str(verdict) for verdict in verdicts(of) if verdict.row and verdict.outcome == "dead"}
    assert {key: text for key, text in dead.items() if key not in ALWAYS_DEAD[of.trainer]} == {}


@pytest.mark.parametrize("of", NEWEST, ids=lambda of: f"{of.trainer}-{of.to}")
def test_a_leaf_without_a_row_is_told_by_its_own_sentence(of: Catalogued) -> None:
    new_verdicts = [verdict for verdict in verdicts(of) if not verdict.row]
    assert [str(verdict) for verdict in new_verdicts if verdict.reason.endswith(GENERIC)] == []
    assert new_verdicts


@pytest.mark.parametrize("of", NEWEST, ids=lambda of: f"{of.trainer}-{of.to}")
def test_defaults_written_out_lose_nothing_without_a_word(of: Catalogued) -> None:
    assert silent(defaults_written(of)) == []


@pytest.mark.parametrize("of", OLDER, ids=lambda of: f"{of.release}-{of.trainer}")
def test_no_leaf_is_silent_in_older_releases(of: Catalogued) -> None:
    names = of.leaves()
    new_verdicts = [*name_all(of, [name for name in names if not has_row(of, name)])]
    new_verdicts += flip_all(of, [name for name in names if has_row(of, name)])
    assert silent(new_verdicts) == []
