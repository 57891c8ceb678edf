"""Laws of comparisons: a config is itself, a conversion differs only in what its ledger tells, ids say what diff says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rftconf.base.errors import RftconfError
from rftconf.base.ledger import Ledger
from rftconf.base.symbols import Var
from rftconf.convert.convert import Options, convert_loaded
from rftconf.convert.learning.differences_in_ledger import ledger_lines_on
from rftconf.diff.compare import Comparison, Verdict, compare
from rftconf.diff.effects import COUNTED, Effect
from rftconf.diff.sides import Side, side
from rftconf.load.load import load, main_stage
from rftconf.load.loaded import Loaded
from rftconf.load.typed_plan import nest
from rftconf.plan.flat import flat_stages
from rftconf.plan.index import fields
from rftconf.plan.model import Plan, Run
from rftconf.schemas.registry import FRAMEWORKS
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source, open_source
from tests.corpus import ROWS, Real, corpora
from tests.laws.there_and_back import ALGORITHM
from tests.sources import CORPUS
from tests.test_golden import CASES

PER_CORPUS = 3
"""Configs of each corpus in a sample; all of them with RFTCONF_CORPUS_ALL=1."""
SINGLE = [case for case in CASES if case.group != "refused" and not case.several]
IDS = [f"{case.group}/{case.folder.name}" for case in SINGLE]
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of upstream examples beside the project")


def option(case: Any, name: str) -> str | None:
    return case.options[case.options.index(name) + 1] if name in case.options else None


def pairs_after(case: Any, name: str) -> dict[str, str]:
    """What every `name NAME=VALUE` says."""
    values = [value for position, value in zip(case.options, case.options[1:], strict=False) if position == name]
    return dict(value.split("=", 1) for value in values)


def rows_of(case: Any) -> int | None:
    rows = option(case, "--rows")
    return None if rows is None else int(rows)


def source_of(case: Any) -> Loaded:
    document = read(open_source(case.folder / case.source), ReadOptions(bindings=pairs_after(case, "--set")))
    return load(document, rows=rows_of(case), assume=pairs_after(case, "--assume"))


def there(loaded: Loaded, to: str, options: Options, rows: int | None) -> tuple[Comparison, Ledger]:
    """A source beside what it becomes, and the account."""
    done = convert_loaded(loaded, to, options)
    ledger = done.ledger
    text = read(Source(f"written{done.file_suffix}", done.text))
    back = load(text, framework=ledger.target_framework, release=ledger.target_release, rows=rows)
    return compare(side("a", loaded), side("b", back)), ledger


def untold(comparison: Comparison, ledger: Ledger) -> dict[str, tuple[Any, Any]]:
    """Differences in the mathematics of which the ledger says nothing.

    A field that does nothing on one side follows from the switch that says so, which differs itself.
    """
    silent = {}
    for stage in comparison.stages:
        names = ledger_lines_on(stage.differences, ledger)
        for difference in stage.differences:
            follows = difference.a.idle is not None or difference.b.idle is not None
            if (
                difference.known.effect is Effect.MATHEMATICS
                and difference.certain
                and not follows
                and not names[difference.path]
            ):
                silent[difference.path] = (difference.a.value, difference.b.value)
    return silent


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder.name)
def test_a_config_is_itself(case: Any) -> None:
    try:
        new_side = side("a", source_of(case))
    except RftconfError:
        pytest.skip("not read")
    comparison = compare(new_side, new_side)
    assert comparison.verdict((*COUNTED, Effect.BOOKKEEPING)) is Verdict.SAME
    assert [stage.differences for stage in comparison.stages] == [()] * len(new_side.stages)
    assert all(total.same for stage in comparison.stages for total in stage.totals)


@pytest.mark.parametrize("case", SINGLE, ids=IDS)
def test_a_conversion_differs_only_in_what_its_ledger_tells(case: Any) -> None:
    gpus = option(case, "--rollout-gpus")
    form, style = option(case, "--form") or "auto", option(case, "--as")
    options = Options(case.releases[0], None if gpus is None else int(gpus), form, style)
    comparison, ledger = there(source_of(case), case.to, options, rows_of(case))
    assert untold(comparison, ledger) == {}


def sampled() -> Iterator[Real]:
    """Real configs: all of them when asked."""
    for reals in corpora().values():
        many = len(reals) if os.environ.get("RFTCONF_CORPUS_ALL") else min(PER_CORPUS, len(reals))
        yield from (reals[(2 * index + 1) * len(reals) // (2 * many)] for index in range(many))


REAL = list(sampled())
PAIRS = [(real, to) for real in REAL for to in FRAMEWORKS if to != real.framework]


@needs_corpus
@pytest.mark.parametrize(("real", "to"), PAIRS, ids=[f"{real.release}-{real.name}-{to}" for real, to in PAIRS])
def test_a_real_config_differs_only_in_what_its_ledger_tells(real: Real, to: str) -> None:
    try:
        loaded = load(real.document(), framework=real.framework, release=real.release, rows=ROWS)
        if len(loaded.stages) > 1 and main_stage(loaded) is not loaded.stages[0]:
            pytest.skip("a staged run becomes several")
        comparison, ledger = there(loaded, to, Options(), ROWS)
    except RftconfError as refused:
        pytest.skip(f"refused: {refused}")
    if any(line.value == "???" and line.key.endswith(ALGORITHM) for line in ledger.targets):
        pytest.skip("a person has to name the algorithm first: what follows from it is not known")
    assert untold(comparison, ledger) == {}


@cache
def sides() -> tuple[Side, ...]:
    """Golden inputs of every framework."""
    new_sides = []
    for case in SINGLE[::4]:
        new_sides.append(side(case.folder.name, source_of(case)))
    return tuple(new_sides)


def agree(comparison: Comparison) -> None:
    """Equal ids are no differences, and the other way round."""
    alone = not (comparison.only_a or comparison.only_b)
    same_math = alone and not comparison.of(Effect.MATHEMATICS)
    same_plan = same_math and not comparison.of(Effect.MEASUREMENT) and not comparison.of(Effect.PERFORMANCE)
    assert (comparison.math_ids[0] == comparison.math_ids[1]) is same_math
    assert (comparison.plan_ids[0] == comparison.plan_ids[1]) is same_plan


def test_ids_say_what_diff_says_of_real_configs() -> None:
    for first, second in combinations(sides(), 2):
        agree(compare(first, second))


VALUES = st.one_of(st.integers(0, 4), st.booleans(), st.floats(0, 2), st.sampled_from(["a", "token-mean", "cosine"]))


def plan_with(values: dict[str, Any]) -> Side | None:
    try:
        run = Run.model_validate(nest({"stage.kind": "rl", **values}))
    except ValueError:
        return None
    plan = Plan(identity=run.identity, cluster=run.cluster, stages=[run.stage])
    return Side("x", "verl", "0.9.1", plan, flat_stages(plan), [{}])


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    base=st.dictionaries(
        st.sampled_from([p.replace("[]", "[0]") for p in fields()]), VALUES | st.just(Var("X")), max_size=8
    ),
    change=st.dictionaries(st.sampled_from([p.replace("[]", "[0]") for p in fields()]), VALUES | st.none(), max_size=3),
)
def test_ids_say_what_diff_says_of_any_plan(base: dict[str, Any], change: dict[str, Any]) -> None:
    first, second = plan_with(base), plan_with({**base, **change})
    if first is not None and second is not None:
        agree(compare(first, second))
        mirrored, straight = compare(second, first), compare(first, second)
        assert mirrored.verdict() is straight.verdict()
        assert {d.path for d in mirrored.stages[0].differences} == {d.path for d in straight.stages[0].differences}
