"""A switch that nobody told, written for another framework: once told, the output is what it would have been all along.

Whatever the switch turns out to be, the output read with that value is the run that the source with that value becomes.
Otherwise the output asks for what hangs on it, or a finding says as what the switch was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rftconf.base.errors import RftconfError
from rftconf.base.symbols import Var
from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.diff.compare import compare
from rftconf.diff.effects import Effect
from rftconf.diff.sides import Side, side
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.schemas import registry
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.laws.flip_base import Base
from tests.laws.flip_bases import OTHER_FRAMEWORKS, bases_in_turn
from tests.laws.round_trips import ROWS, document

NAME = "X"
BASES = bases_in_turn(9)


def understood(framework: str, base: Base, key: str, value: Any) -> Loaded:
    flat = {**base.flat, key: value}
    newest = registry.framework(framework).newest
    return load(document(framework, flat, base.trainer), framework=framework, release=newest, rows=ROWS)


def read_again(done: Conversion, value: bool) -> Side:
    """The output where the variable has a value; the environment gives it to a YAML, a binding to a script."""
    text = str(value)
    options = ReadOptions(bindings={NAME: text}, environment={NAME: text})
    written = read(Source(f"written{done.file_suffix}", done.text), options)
    ledger = done.ledger
    return side("written", load(written, framework=ledger.target_framework, release=ledger.target_release, rows=ROWS))


def guessed(framework: str, base: Base, key: str, target: str) -> Iterator[str]:
    """Differences of mathematics that nothing asks about and no finding at the switch tells."""
    try:
        done = convert_loaded(understood(framework, base, key, Var(NAME)), target, Options())
    except RftconfError:
        return
    is_asked = any(choice == f"--set {NAME}=..." for decision in done.ledger.decisions for choice in decision.choices)
    if is_asked or any(
        finding.leaf.key == key for stage in done.loaded.stages for finding in stage.reading.value_errors
    ):
        return
    for value in (True, False):
        try:
            conversion = convert_loaded(understood(framework, base, key, value), target, Options())
            late, early = read_again(done, value), read_again(conversion, value)
        except RftconfError:
            continue
        for stage in compare(late, early).stages:
            for difference in stage.differences:
                if difference.known.effect is Effect.MATHEMATICS and difference.certain:
                    yield f"{key}={value} to {target}: {difference.path}: {difference.a.value} written, {difference.b.value} is right"


def switches(base: Base) -> Iterator[str]:
    return (key for key, value in base.flat.items() if isinstance(value, bool))


@pytest.mark.parametrize(("framework", "base"), BASES)
def test_what_a_switch_decides_is_not_guessed(framework: str, base: Base) -> None:
    problems = [
        line
        for key in switches(base)
        for target in OTHER_FRAMEWORKS[framework]
        for line in guessed(framework, base, key, target)
    ]
    assert problems == []
