"""Configs that leave out what a run needs: converted with open values, or refused with a reason; never a defect."""

from __future__ import annotations

import random

import pytest

from rftconf.convert import convert
from rftconf.errors import RftconfError
from rftconf.lint.examples import block, tree
from rftconf.text.document import Document
from rftconf.text.read import ReadOptions, read
from rftconf.text.source import Source
from tests.lint.bases import BASES

DIRECTIONS = [(source, target) for source in BASES for target in BASES if source != target]
SUBSETS = 25


def document(framework: str, lines: list[str]) -> Document:
    text = "\n".join(block(tree(lines), 0)) if lines else "unknown: 1"
    return read(Source("run.yaml", text + "\n"), ReadOptions(framework=framework))


def converted(framework: str, target: str, lines: list[str]) -> bool:
    """False where it is refused. Anything but an RftconfError is a defect."""
    try:
        return bool(convert(document(framework, lines), target, framework=framework).text)
    except RftconfError:
        return False


@pytest.mark.parametrize(("framework", "target"), DIRECTIONS)
def test_nothing_that_a_run_needs(framework: str, target: str) -> None:
    converted(framework, target, [])


@pytest.mark.parametrize(("framework", "target"), DIRECTIONS)
def test_any_part_of_a_config(framework: str, target: str) -> None:
    draw = random.Random(f"{framework}/{target}")
    whole = list(BASES[framework])
    subsets = [[line for line in whole if draw.random() < share] for share in (0.2, 0.5, 0.9) for _ in range(SUBSETS)]
    assert sum(converted(framework, target, lines) for lines in subsets) > 0


ODD = ("0", "null", "-1", "abc", "[]", "1e-3", "0.5", "true", "{}", "100000000000000000000", "'${oc.env:X}'", "???")


@pytest.mark.parametrize(("framework", "target"), DIRECTIONS)
def test_values_that_make_no_sense(framework: str, target: str) -> None:
    draw = random.Random(f"{framework}/{target}/odd")
    for _ in range(30):
        lines = list(BASES[framework])
        for at in draw.sample(range(len(lines)), 2):
            lines[at] = f"{lines[at].partition('=')[0]}={draw.choice(ODD)}"
        converted(framework, target, lines)
