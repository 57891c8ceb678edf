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
from rftconf.convert.learning.differences_in_ledger import told_by
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
    found = [value for at, value in zip(case.options, case.options[1:], strict=False) if at == name]
    return dict(value.split("=", 1) for value in found)


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


def untold(found: Comparison, ledger: Ledger) -> dict[str, tuple[Any, Any]]:
    """Differences in the mathematics of which the ledger says nothing.

    A field that does nothing on one side follows from the switch that says so, which differs itself.
    """
    silent = {}
    for stage in found.stages:
        told = told_by(stage.differences, ledger)
        for one in stage.differences:
            follows = one.a.idle is not None or one.b.idle is not None
            if one.known.effect is Effect.MATHEMATICS and one.certain and not follows and not told[one.path]:
                silent[one.path] = (one.a.value, one.b.value)
    return silent


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder.name)
def test_a_config_is_itself(case: Any) -> None:
    try:
        one = side("a", source_of(case))
    except RftconfError:
        pytest.skip("not read")
    found = compare(one, one)
    assert found.verdict((*COUNTED, Effect.BOOKKEEPING)) is Verdict.SAME
    assert [stage.differences for stage in found.stages] == [()] * len(one.stages)
    assert all(total.same for stage in found.stages for total in stage.totals)


@pytest.mark.parametrize("case", SINGLE, ids=IDS)
def test_a_conversion_differs_only_in_what_its_ledger_tells(case: Any) -> None:
    gpus = option(case, "--rollout-gpus")
    form, style = option(case, "--form") or "auto", option(case, "--as")
    options = Options(case.releases[0], None if gpus is None else int(gpus), form, style)
    found, ledger = there(source_of(case), case.to, options, rows_of(case))
    assert untold(found, ledger) == {}


def sampled() -> Iterator[Real]:
    """Real configs: all of them when asked."""
    for found in corpora().values():
        many = len(found) if os.environ.get("RFTCONF_CORPUS_ALL") else min(PER_CORPUS, len(found))
        yield from (found[(2 * index + 1) * len(found) // (2 * many)] for index in range(many))


REAL = list(sampled())
PAIRS = [(real, to) for real in REAL for to in FRAMEWORKS if to != real.framework]


@needs_corpus
@pytest.mark.parametrize(("real", "to"), PAIRS, ids=[f"{real.release}-{real.name}-{to}" for real, to in PAIRS])
def test_a_real_config_differs_only_in_what_its_ledger_tells(real: Real, to: str) -> None:
    try:
        loaded = load(real.document(), framework=real.framework, release=real.release, rows=ROWS)
        if len(loaded.stages) > 1 and main_stage(loaded) is not loaded.stages[0]:
            pytest.skip("a staged run becomes several")
        found, ledger = there(loaded, to, Options(), ROWS)
    except RftconfError as refused:
        pytest.skip(f"refused: {refused}")
    if any(line.value == "???" and line.key.endswith(ALGORITHM) for line in ledger.targets):
        pytest.skip("a person has to name the algorithm first: what follows from it is not known")
    assert untold(found, ledger) == {}


@cache
def sides() -> tuple[Side, ...]:
    """Golden inputs of every framework."""
    found = []
    for case in SINGLE[::4]:
        found.append(side(case.folder.name, source_of(case)))
    return tuple(found)


def agree(found: Comparison) -> None:
    """Equal ids are no differences, and the other way round."""
    alone = not (found.only_a or found.only_b)
    same_math = alone and not found.of(Effect.MATHEMATICS)
    same_plan = same_math and not found.of(Effect.MEASUREMENT) and not found.of(Effect.PERFORMANCE)
    assert (found.math_ids[0] == found.math_ids[1]) is same_math
    assert (found.plan_ids[0] == found.plan_ids[1]) is same_plan


def test_ids_say_what_diff_says_of_real_configs() -> None:
    for one, other in combinations(sides(), 2):
        agree(compare(one, other))


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
    one, other = plan_with(base), plan_with({**base, **change})
    if one is not None and other is not None:
        agree(compare(one, other))
        mirrored, straight = compare(other, one), compare(one, other)
        assert mirrored.verdict() is straight.verdict()
        assert {d.path for d in mirrored.stages[0].differences} == {d.path for d in straight.stages[0].differences}
