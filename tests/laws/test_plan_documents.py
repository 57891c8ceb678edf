"""A plan is the same after it was written and read, and converts to the same native values as the file it was made from."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from rftconf.base.errors import RftconfError
from rftconf.cli.app import run
from rftconf.load.load import load
from rftconf.load.typed_plan import nest
from rftconf.plan.index import Field, fields
from rftconf.plan.model import Plan, Run
from tests.corpus import ROWS, Real, corpora
from tests.plan.test_expressions import EXPRESSIONS, KEYS, VALUES
from tests.plan_documents import read_back, same
from tests.sources import CORPUS
from tests.test_golden import CASES, golden

PER_CORPUS = 8
"""Configs of each corpus in a sample, evenly spread; all of them with RFTCONF_CORPUS_ALL=1."""
OF_THE_SOURCE = ("--set", "--args", "--launch", "--base", "--assume", "--from", "--from-release", "--env", "--source")
"""Options that say how a source is read; a plan has been read."""


def sampled() -> Iterator[Real]:
    for reals in corpora().values():
        many = len(reals) if os.environ.get("RFTCONF_CORPUS_ALL") else min(PER_CORPUS, len(reals))
        yield from (reals[index * len(reals) // many] for index in range(many))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of upstream examples beside the project")
@pytest.mark.parametrize("real", list(sampled()), ids=lambda real: f"{real.framework}-{real.release}-{real.name}")
@pytest.mark.parametrize("rows", [None, ROWS], ids=["rows-unknown", "rows-known"])
def test_the_plan_of_a_real_config_comes_back(real: Real, rows: int | None) -> None:
    try:
        plan = load(real.document(), framework=real.framework, release=real.release, rows=rows).plan
    except RftconfError as error:
        pytest.skip(f"not read: {error}")
    assert all(same(new_plan, plan) for new_plan in read_back(plan))


def values_of(field: Field) -> st.SearchStrategy[Any]:
    """Values that a field takes, those that are not known among them."""
    by_kind: dict[str, st.SearchStrategy[Any]] = {
        "int": st.integers(-(10**20), 10**20),
        "float": st.floats(allow_nan=False),
        "str": st.text(max_size=12) | st.sampled_from(["null", "true", "1e-6", "~", "${oc.env:HOME}", "a: b", "\u2028", "\x7f", "# x"]),
        "bool": st.booleans(),
        "Expr": EXPRESSIONS,
        "Fraction": st.fractions(min_value=0, max_denominator=99).filter(lambda f: f.denominator > 1),
        "dict": st.dictionaries(KEYS, VALUES, max_size=3),
    }  # fmt: skip
    kinds = [by_kind[kind] for kind in field.kinds if kind in by_kind]
    kinds += [st.just(kind[1:]) for kind in field.kinds if kind.startswith("=")]
    inner = [by_kind[kind[1:]] for kind in field.kinds if kind.startswith("[") and kind[1:] in by_kind]
    kinds += [st.lists(st.one_of(inner), max_size=3)] if inner else []
    return st.one_of(st.none(), *kinds)


PATHS = sorted(fields())


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_plan_comes_back(data: st.DataObject) -> None:
    paths = data.draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=12, unique=True))
    values = {path.replace("[]", "[0]"): data.draw(values_of(fields()[path])) for path in paths}
    try:
        new_run = Run.model_validate(nest(values))
    except ValidationError:  # a number that no float holds
        return
    extensions = data.draw(st.dictionaries(KEYS, VALUES, max_size=3))
    plan = Plan(
        identity=new_run.identity, cluster=new_run.cluster, stages=[new_run.stage], extensions={"verl": extensions}
    )
    assert all(same(new_plan, plan) for new_plan in read_back(plan))


def test_what_json_has_no_word_for_comes_back() -> None:
    plan = Plan.model_validate(
        {
            "stages": [
                {
                    "algorithm": {"clip": {"high": math.inf}} if "stage.algorithm.clip.high" in fields() else {},
                    "optim": {"actor": {"lr": math.inf}},
                    "cadence": {"save_rollouts": Fraction(25, 4)},
                    "reward": {"function_args": {"$expr": "a text of the source's own", "x": -math.inf}},
                }
            ]
        }
    )
    assert all(same(new_plan, plan) for new_plan in read_back(plan))


def converted(source: str, case: Any, options: list[str], folder: Path) -> tuple[int, dict[str, Any]]:
    """The exit code, and the target's native values by key."""
    target, ledger = folder / ("out" if case.several else "out.txt"), folder / "ledger.json"
    folder.mkdir()
    arguments = [
        "--to",
        case.to,
        "--to-release",
        case.releases[0],
        "-o",
        str(target),
        "--ledger",
        str(ledger),
        *options,
    ]
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        code = run(["convert", source, *arguments, "-q"])
    lines = json.loads(ledger.read_text())["targets"] if ledger.exists() else []
    return code, {line["key"]: line["value"] for line in lines}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.group}/{case.folder.name}")
def test_a_plan_converts_as_its_source_does(case: Any, tmp_path: Path) -> None:
    options = list(zip(case.options[::2], case.options[1::2], strict=True))
    reading = [word for pair in options if pair[0] in (*OF_THE_SOURCE, "--rows") for word in pair]
    remainder = [word for pair in options if pair[0] not in OF_THE_SOURCE for word in pair]
    with golden._in(case.folder):
        assert run(["plan", case.source, *reading, "--json", "--origins", "-q", "-o", str(tmp_path / "plan.json")]) == 0
        of_source = converted(case.source, case, list(case.options), tmp_path / "source")
        of_plan = converted(str(tmp_path / "plan.json"), case, remainder, tmp_path / "plan")
    assert of_plan == of_source
