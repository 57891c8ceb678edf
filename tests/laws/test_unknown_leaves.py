"""Each leaf of a config as a variable that nobody sets: nothing fails, and what it decides beside itself is said.

A plan field that some other value of the leaf would change is not told by the file either: it holds an expression, or
the leaf has a finding, a note or a reason. A field whose own size is not known may be empty.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from rftconf.base.errors import RefusedError, RftconfError, UsageError
from rftconf.base.symbols import Var, is_symbolic
from rftconf.budget.advice.cluster_search import on_cluster
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.price import price
from rftconf.budget.roles.plan_view import plan_view
from rftconf.budget.roles.setup import BudgetRequest
from rftconf.convert.convert import Options, convert_loaded
from rftconf.lint import engine
from rftconf.load.load import load, main_stage
from rftconf.load.loaded import Loaded
from rftconf.schemas import catalogue, registry
from tests.laws.flip_base import Base
from tests.laws.flip_bases import OTHER_FRAMEWORKS, bases_in_turn
from tests.laws.flip_values import candidates
from tests.laws.round_trips import ROWS, document

UNKNOWN = Var("X")
BASES = bases_in_turn(7)
UPPER_BOUNDS = ("stage.run_length.rollouts", ".decay_updates")
"""Ends of what holds the steps that were asked for, where data may end before: with rows that are not counted, a bound."""
ALIKE = {
    "stage.sync.old_logprob",  # in a period of one update the two policies are one
    "stage.optim.actor.schedule",  # a floor as high as the rate itself makes it constant
}


def reading(framework: str, flat: dict[str, Any], trainer: str) -> Loaded:
    newest = registry.framework(framework).newest
    return load(document(framework, flat, trainer), framework=framework, release=newest, rows=ROWS)


def leaves(base: Base) -> Iterator[str]:
    return (key for key, value in base.flat.items() if not isinstance(value, (dict, list)))


def outcomes(framework: str, base: Base, key: str) -> dict[str, set[str]]:
    """What each plan field is under the values that the leaf may have."""
    known = catalogue.load(framework, None, base.trainer or registry.framework(framework).trainer)
    own, value = known.get(key), base.flat[key]
    others = [not value] if isinstance(value, bool) else candidates(key, own)[:3] if own is not None else []
    result = defaultdict[str, set[str]](set)
    stages = [main_stage(reading(framework, base.flat, base.trainer))]
    for second in others:
        try:
            stage = main_stage(reading(framework, {**base.flat, key: second}, base.trainer))
        except RftconfError:
            continue
        if not stage.reading.value_errors:  # else the config has no such value
            stages.append(stage)
    for path in {path for stage in stages for path in stage.values}:
        result[path] = {repr(stage.values.get(path)) for stage in stages}
    return result


def said(loaded: Loaded) -> str:
    """All that the reading says beside its values."""
    read = main_stage(loaded).reading
    findings = [finding.leaf.key for finding in read.value_errors]
    return " ".join([*read.notes, *read.narrowed, *read.narrowed.values(), *findings, *read.unread_rows.values()])


def silent(framework: str, base: Base, key: str) -> list[str]:
    loaded = reading(framework, {**base.flat, key: UNKNOWN}, base.trainer)
    values, named = main_stage(loaded).values, key in said(loaded)
    worded = isinstance(base.flat[key], (bool, str)) and not key.endswith("device_mapping")
    new_values = []
    for path, might in outcomes(framework, base, key).items():
        value, names = values.get(path), might - {"None"}
        settled = value is not None and len(names) < 2  # the switch above it is open, and asked for
        if len(might) < 2 or named or is_symbolic(value) or settled or path.endswith(UPPER_BOUNDS) or path in ALIKE:
            continue
        if value is not None or worded:
            new_values.append(f"{key} decides {path}={value}, which might be {sorted(might)}")
    return new_values


@pytest.mark.parametrize(("framework", "base"), BASES)
def test_what_an_unknown_leaf_decides_is_said(framework: str, base: Base) -> None:
    assert [line for key in leaves(base) for line in silent(framework, base, key)] == []


@pytest.mark.parametrize(("framework", "base"), BASES)
def test_nothing_fails_on_an_unknown_leaf(framework: str, base: Base) -> None:
    newest = registry.framework(framework).newest
    for key in leaves(base):
        flat = {**base.flat, key: UNKNOWN}
        engine.check(document(framework, flat, base.trainer), engine.Options(framework, newest, fixes=False))
        loaded = reading(framework, flat, base.trainer)
        assert loaded.plan.stages
        for target in OTHER_FRAMEWORKS[framework]:
            try:
                done = convert_loaded(loaded, target, Options())
            except RefusedError:
                continue
            assert {line.key for line in done.ledger.sources} >= {key}, target
        account_for(loaded)


def account_for(loaded: Loaded) -> None:
    """The memory account is made, or ends with a sentence on what it lacks."""
    view = plan_view((stage.values for stage in loaded.stages), loaded.framework, loaded.release, loaded.extensions)
    with suppress(UsageError, RefusedError):
        assert price(on_cluster(view, BudgetRequest()), gpu_named("h100-80g")).pools
