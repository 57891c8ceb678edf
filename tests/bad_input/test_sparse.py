"""Configs that leave out what a run needs: converted with open values, or refused with a reason; never a defect."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from rftconf.base.errors import RftconfError
from rftconf.convert.convert import convert
from rftconf.lint.examples import block, tree
from rftconf.load.load import load
from rftconf.schemas import catalogue, registry
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.lint.bases import BASES

DIRECTIONS = [(source, target) for source in BASES for target in registry.FRAMEWORKS if source != target]
SUBSETS = 25


def document(framework: str, lines: list[str]) -> Document:
    text = "\n".join(block(tree(lines), 0)) if lines else "unknown: 1"
    return read(Source("run.yaml", text + "\n"), ReadOptions(framework=framework))


def mistold(framework: str, target: str, lines: list[str]) -> dict[str, int] | None:
    """Keys that the ledger tells of not at all or twice; None where the conversion is refused. Any other error is a defect."""
    source = document(framework, lines)
    try:
        done = convert(source, target, framework=framework)
    except RftconfError:
        return None
    counter = Counter(line.key for line in done.ledger.sources)
    return {key: counter[key] for key in source.last() if counter[key] != 1}


@pytest.mark.parametrize(("framework", "target"), DIRECTIONS)
def test_nothing_that_a_run_needs(framework: str, target: str) -> None:
    assert not mistold(framework, target, [])


@pytest.mark.parametrize(("framework", "target"), DIRECTIONS)
def test_any_part_of_a_config(framework: str, target: str) -> None:
    draw = random.Random(f"{framework}/{target}")
    whole = list(BASES[framework])
    subsets = [[line for line in whole if draw.random() < share] for share in (0.2, 0.5, 0.9) for _ in range(SUBSETS)]
    problems = [mistold(framework, target, lines) for lines in subsets]
    assert {} in problems, "at least one is converted"
    assert [entry for entry in problems if entry] == []


@pytest.mark.parametrize("framework", BASES)
def test_an_empty_section_is_one_left_out(framework: str) -> None:
    of = registry.framework(framework)
    whole, known = list(BASES[framework]), catalogue.load(framework, None, of.trainer)
    sections = {line.partition("=")[0].rpartition(".")[0] for line in whole}
    for section in sorted(name for name in sections if known.is_node(name) and name not in known and "[" not in name):
        without = [line for line in whole if not line.startswith(f"{section}.")]
        plans = [
            load(document(framework, lines), framework=framework, release=of.newest).plan.model_dump()
            for lines in (without, [*without, f"{section}={{}}"])
        ]
        differing = sorted(name for name in plans[0] if plans[0][name] != plans[1][name])
        assert set(differing) <= {"extensions"}, section


ODD = ("0", "null", "-1", "abc", "[]", "1e-3", "0.5", "true", "{}", "100000000000000000000", "'${oc.env:X}'", "???")


@pytest.mark.parametrize(("framework", "target"), DIRECTIONS)
def test_values_that_make_no_sense(framework: str, target: str) -> None:
    draw = random.Random(f"{framework}/{target}/odd")
    for _ in range(30):
        lines = list(BASES[framework])
        for index in draw.sample(range(len(lines)), 2):
            lines[index] = f"{lines[index].partition('=')[0]}={draw.choice(ODD)}"
        assert not mistold(framework, target, lines), lines
