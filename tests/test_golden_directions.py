"""Each direction has reviewed cases: one data set, several, Megatron on several nodes; of TRL and OpenRLHF one data set and several nodes."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from rftconf.load.load import load, main_stage
from rftconf.schemas import registry
from rftconf.text.read.read import read
from rftconf.text.source import open_source
from tests.test_golden import CASES

SINGLE, SETS, MEGATRON, NODES = (
    "one data set",
    "several data sets or domains",
    "Megatron on several nodes",
    "several nodes",
)
PLAIN = {"trl", "openrlhf"}
ONE_SET = {*PLAIN, "nemo_rl"}
"""Frameworks whose mixtures are of one kind."""
DIRECTIONS: dict[tuple[str, str], dict[str, str]] = {
    ("verl", "trinity"): {SINGLE: "grpo-guide", SETS: "messy-script", MEGATRON: "megatron-moe"},
    ("verl", "roll"): {SINGLE: "roll-single-from-verl", SETS: "roll-domains-from-verl", MEGATRON: "roll-megatron-from-verl"},
    ("verl", "chatlearn"): {SINGLE: "chatlearn-grpo", SETS: "chatlearn-megatron", MEGATRON: "chatlearn-gspo"},
    ("trinity", "verl"): {SINGLE: "grpo-guide-back", SETS: "multi-dataset", MEGATRON: "megatron-back"},
    ("trinity", "roll"): {SINGLE: "roll-single-from-trinity", SETS: "roll-domains-from-trinity", MEGATRON: "roll-megatron-from-trinity"},
    ("trinity", "chatlearn"): {SINGLE: "trinity-to-chatlearn", SETS: "trinity-sets-to-chatlearn", MEGATRON: "trinity-megatron-to-chatlearn"},
    ("roll", "verl"): {SINGLE: "roll-single-to-verl", SETS: "roll-domains-to-verl", MEGATRON: "roll-megatron-to-verl"},
    ("roll", "trinity"): {SINGLE: "roll-single-to-trinity", SETS: "roll-domains-to-trinity", MEGATRON: "roll-megatron-to-trinity"},
    ("roll", "chatlearn"): {SINGLE: "roll-single-to-chatlearn", SETS: "roll-domains-to-chatlearn", MEGATRON: "roll-megatron-to-chatlearn"},
    ("chatlearn", "verl"): {SINGLE: "chatlearn-to-verl", SETS: "chatlearn-megatron-to-verl", MEGATRON: "chatlearn-gspo-to-verl"},
    ("chatlearn", "trinity"): {SINGLE: "chatlearn-to-trinity", SETS: "chatlearn-megatron-to-trinity", MEGATRON: "chatlearn-gspo-to-trinity"},
    ("chatlearn", "roll"): {SINGLE: "roll-single-from-chatlearn", SETS: "roll-domains-from-chatlearn", MEGATRON: "roll-megatron-from-chatlearn"},
    ("verl", "trl"): {SINGLE: "verl-to-trl", MEGATRON: "verl-megatron-to-trl"},
    ("trinity", "trl"): {SINGLE: "trinity-to-trl", MEGATRON: "trinity-megatron-to-trl"},
    ("roll", "trl"): {SINGLE: "roll-to-trl", MEGATRON: "roll-megatron-to-trl"},
    ("chatlearn", "trl"): {SINGLE: "chatlearn-to-trl", MEGATRON: "chatlearn-megatron-to-trl"},
    ("trl", "verl"): {SINGLE: "trl-sequence-to-verl", NODES: "trl-to-verl"},
    ("trl", "trinity"): {SINGLE: "trl-to-trinity", NODES: "trl-machines-to-trinity"},
    ("trl", "roll"): {SINGLE: "trl-to-roll", NODES: "trl-machines-to-roll"},
    ("trl", "chatlearn"): {SINGLE: "trl-to-chatlearn", NODES: "trl-machines-to-chatlearn"},
    ("verl", "openrlhf"): {SINGLE: "verl-to-openrlhf", MEGATRON: "verl-megatron-to-openrlhf"},
    ("trinity", "openrlhf"): {SINGLE: "trinity-to-openrlhf", MEGATRON: "trinity-megatron-to-openrlhf"},
    ("roll", "openrlhf"): {SINGLE: "roll-to-openrlhf", MEGATRON: "roll-megatron-to-openrlhf"},
    ("chatlearn", "openrlhf"): {SINGLE: "chatlearn-to-openrlhf", MEGATRON: "chatlearn-megatron-to-openrlhf"},
    ("trl", "openrlhf"): {SINGLE: "trl-to-openrlhf", NODES: "trl-machines-to-openrlhf"},
    ("openrlhf", "verl"): {SINGLE: "openrlhf-to-verl", NODES: "openrlhf-nodes-to-verl"},
    ("openrlhf", "trinity"): {SINGLE: "openrlhf-to-trinity", NODES: "openrlhf-nodes-to-trinity"},
    ("openrlhf", "roll"): {SINGLE: "openrlhf-to-roll", NODES: "openrlhf-nodes-to-roll"},
    ("openrlhf", "chatlearn"): {SINGLE: "openrlhf-to-chatlearn", NODES: "openrlhf-nodes-to-chatlearn"},
    ("openrlhf", "trl"): {SINGLE: "openrlhf-to-trl", NODES: "openrlhf-nodes-to-trl"},
    ("verl", "nemo_rl"): {SINGLE: "verl-to-nemo_rl", MEGATRON: "verl-megatron-to-nemo_rl"},
    ("trinity", "nemo_rl"): {SINGLE: "trinity-to-nemo_rl", MEGATRON: "trinity-megatron-to-nemo_rl"},
    ("roll", "nemo_rl"): {SINGLE: "roll-to-nemo_rl", MEGATRON: "roll-megatron-to-nemo_rl"},
    ("chatlearn", "nemo_rl"): {SINGLE: "chatlearn-to-nemo_rl", MEGATRON: "chatlearn-megatron-to-nemo_rl"},
    ("trl", "nemo_rl"): {SINGLE: "trl-to-nemo_rl", NODES: "trl-nodes-to-nemo_rl"},
    ("openrlhf", "nemo_rl"): {SINGLE: "openrlhf-to-nemo_rl", NODES: "openrlhf-nodes-to-nemo_rl"},
    ("nemo_rl", "verl"): {SINGLE: "nemo_rl-to-verl", MEGATRON: "nemo_rl-megatron-to-verl"},
    ("nemo_rl", "trinity"): {SINGLE: "nemo_rl-to-trinity", MEGATRON: "nemo_rl-megatron-to-trinity"},
    ("nemo_rl", "roll"): {SINGLE: "nemo_rl-to-roll", MEGATRON: "nemo_rl-megatron-to-roll"},
    ("nemo_rl", "chatlearn"): {SINGLE: "nemo_rl-to-chatlearn", MEGATRON: "nemo_rl-megatron-to-chatlearn"},
    ("nemo_rl", "trl"): {SINGLE: "nemo_rl-to-trl", MEGATRON: "nemo_rl-megatron-to-trl"},
    ("nemo_rl", "openrlhf"): {SINGLE: "nemo_rl-to-openrlhf", MEGATRON: "nemo_rl-megatron-to-openrlhf"},
}  # fmt: skip
"""Direction and kind to the folder of the case."""
KINDS = [(direction, kind) for direction, kinds in DIRECTIONS.items() for kind in kinds]


def test_all_directions_are_here() -> None:
    assert set(DIRECTIONS) == set(permutations(registry.FRAMEWORKS, 2))
    for direction, kinds in DIRECTIONS.items():
        # some trainers have no Megatron, and some mixtures are of one kind
        named = {SINGLE, NODES if direction[0] in PLAIN else MEGATRON} | (set() if {*direction} & ONE_SET else {SETS})
        assert set(kinds) == named
        assert len(set(kinds.values())) == len(named)


def plan_of(folder: str) -> tuple[Any, str, dict[str, Any]]:
    """The case, the source's framework and what its main stage says."""
    (case,) = [case for case in CASES if case.folder.name == folder]
    loaded = load(read(open_source(case.folder / case.source)))
    return case, registry.framework(loaded.framework).family, main_stage(loaded).values


@pytest.mark.parametrize(("direction", "kind"), KINDS, ids=[f"{' to '.join(d)}: {kind}" for d, kind in KINDS])
def test_the_case_is_what_it_stands_for(direction: tuple[str, str], kind: str) -> None:
    case, source, values = plan_of(DIRECTIONS[direction][kind])
    assert (source, case.to) == direction
    assert case.group in ("convert", "open")
    assert (case.folder / "ledger.json").exists()
    assert len((case.folder / "NOTES.md").read_text(encoding="utf-8")) > 100
    sets = sum(values.get(f"stage.data.train[{index}].uri") is not None for index in range(9))
    nodes = values.get("cluster.nodes")
    several = isinstance(nodes, int) and nodes > 1
    megatron = values.get("stage.placement.actor.backend") == "megatron" and several
    assert {SINGLE: sets == 1, SETS: sets > 1, MEGATRON: megatron, NODES: several}[kind]
    assert values["stage.kind"] == "rl"
