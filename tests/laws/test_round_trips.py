"""Laws of whole configs: what is written for the same framework is the same plan; what is said to be kept is kept."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from rftconf.base.errors import RftconfError
from rftconf.base.symbols import Var, is_symbolic, names_in
from rftconf.mappers.rows import natives_of
from rftconf.mappers.tables import table_of
from rftconf.schemas import catalogue, registry
from rftconf.schemas.catalogue import Key
from rftconf.schemas.verl.versions import SETTLED
from tests.laws.flip_base import Base
from tests.laws.flip_bases import BASES
from tests.laws.flip_values import candidates
from tests.laws.round_trips import Trip, convert_flat, travel

FRAMEWORKS = tuple(name for name in registry.FRAMEWORKS if name in BASES)
PAIRS = [(first, second) for first in FRAMEWORKS for second in registry.FRAMEWORKS if first != second]
CHUNK = 12
EXAMPLES = 1200
"""Random configs of a law in all directions together: another framework makes none of the laws longer."""
LAWS = settings(
    max_examples=EXAMPLES // len(PAIRS), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
UNLIKE_BASE = (
    "strategy",
    "trainer_mode",
    "hybrid_engine",
    "use_v1",
    "mode",
    "trainer_type",
    "enable_resource_pool",
    "warmup_style",
    "is_pure_opd",
)
"""Switches that need a base of their own: alone they make a config that its framework would not start with."""

OF_ANOTHER_RUN = {"student_train.device_mapping", "model.tinker.enable", "distillation.enabled"}
"""Alone they make a run that follows a teacher, or that a service trains."""
OF_ANOTHER_KIND = {("rollouts alone", "max_steps")}
"""Base and key that alone make a run of another kind of it: one that trains, without a trainer's GPUs."""


@cache
def keys_with_rows(framework: str, trainer: str) -> dict[str, Key]:
    """Keys of the newest release that rows and folds speak for, without items of lists."""
    known = catalogue.load(framework, None, trainer)
    natives = {native for row in table_of(framework).rows for native in natives_of(row)}
    natives -= {key for keys in SETTLED.values() for key in keys}  # the newest release takes their default only
    new_keys = {name: known.get(name) for name in sorted(natives) if "[]" not in name and "*" not in name}
    return {
        name: key
        for name, key in new_keys.items()
        if key is not None and name.rpartition(".")[2] not in UNLIKE_BASE and name not in OF_ANOTHER_RUN
    }


@cache
def choices(framework: str, base: Base) -> dict[str, tuple[Any, ...]]:
    """Key to legal values unlike those of the base; keys without any are left out."""
    known = keys_with_rows(framework, base.trainer)
    values = {name: tuple(candidates(name, key, base.flat.get(name))) for name, key in known.items()}
    return {name: tuple(v for v in values if v != "other" or _is_text(known[name])) for name, values in values.items()}


def _is_text(key: Key) -> bool:
    return key.type.split("|")[0] == "str" or isinstance(key.default, str)


def kept_choices(framework: str, base: Base) -> dict[str, tuple[Any, ...]]:
    """Those that leave the base a run of its kind."""
    second = {key for name, key in OF_ANOTHER_KIND if base.name == name}
    return {name: values for name, values in choices(framework, base).items() if values and name not in second}


def configs(framework: str, most: int) -> st.SearchStrategy[tuple[Base, dict[str, Any]]]:
    """A base and legal values for some of its keys."""

    def flips(base: Base) -> st.SearchStrategy[tuple[Base, dict[str, Any]]]:
        open_to = kept_choices(framework, base)
        names = st.lists(st.sampled_from(sorted(open_to)), unique=True, max_size=most)
        return names.flatmap(
            lambda chosen: st.tuples(
                st.just(base), st.fixed_dictionaries({name: st.sampled_from(open_to[name]) for name in chosen})
            )
        )

    return st.sampled_from(BASES[framework]).flatmap(flips)


def trip(framework: str, to: str, base: Base, flips: Mapping[str, Any]) -> Trip | None:
    """There and back, or None where the config is refused in so many words."""
    try:
        return travel(framework, to, {**base.flat, **flips}, base.trainer)
    except RftconfError:
        return None


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_written_for_the_same_framework_it_is_the_same_plan(framework: str) -> None:
    @LAWS
    @given(configs(framework, most=30))
    def law(config: tuple[Base, dict[str, Any]]) -> None:
        done = trip(framework, framework, *config)
        assume(done is not None)
        assert done is not None
        assert done.differences() == {}

    law()


@pytest.mark.parametrize(("framework", "to"), PAIRS)
def test_what_is_said_to_be_kept_is_kept(framework: str, to: str) -> None:
    @LAWS
    @given(configs(framework, most=8))
    def law(config: tuple[Base, dict[str, Any]]) -> None:
        done = trip(framework, to, *config)
        assume(done is not None)
        assert done is not None
        assert done.broken_claims() == {}

    law()


@pytest.mark.parametrize(("framework", "to"), PAIRS)
def test_every_row_is_flipped_once(framework: str, to: str) -> None:
    """The same law, with each key that has a row set at least once, a few at a time, on every third base.

    Each base goes to five of the other frameworks.
    """
    broken: dict[str, Any] = {}
    others = [second for second in registry.FRAMEWORKS if second != framework]
    turn = others.index(to)
    for base in [base for number, base in enumerate(BASES[framework][::3]) if (number + turn) % len(others) < 5]:
        firsts = [(name, values[0]) for name, values in kept_choices(framework, base).items()]
        for start in range(0, len(firsts), CHUNK):
            chunk = firsts[start : start + CHUNK]
            together = trip(framework, to, base, dict(chunk))
            # where one of them is refused, the others are tried without it
            for done in [together] if together is not None else [trip(framework, to, base, {k: v}) for k, v in chunk]:
                for path, what in (done.broken_claims() if done is not None else {}).items():
                    broken.setdefault(path, (base.name, chunk, what))
    assert broken == {}


@pytest.mark.parametrize(
    ("base", "to", "key"),
    [
        ("student", "verl", "reward_model.device_mapping"),
        ("student", "trinity", "kl_penalty"),
        ("taught", "roll", "distillation.teacher_models.teacher_model.inference.dtype"),
    ],
)
def test_a_teacher_keeps_its_place_and_its_run(base: str, to: str, key: str) -> None:
    framework = "roll" if base == "student" else "verl"
    new_base = next(new_base for new_base in BASES[framework] if new_base.name == base)
    trips = [trip(framework, to, new_base, {key: value}) for value in choices(framework, new_base)[key]]
    assert [done.broken_claims() for done in trips if done is not None] == [{}] * len(trips)


@pytest.mark.parametrize(("framework", "to"), PAIRS)
def test_unknown_values_are_never_lost(framework: str, to: str) -> None:
    """Each name that the source leaves open stands in the target, or is named by what a person must decide."""

    def numbers(base: Base) -> list[str]:
        return sorted(name for name, value in base.flat.items() if type(value) is int)

    @LAWS
    @given(st.sampled_from(BASES[framework]), st.data())
    def law(base: Base, data: st.DataObject) -> None:
        chosen = data.draw(st.lists(st.sampled_from(numbers(base)), unique=True, min_size=1, max_size=3))
        names = {key: f"V{index}" for index, key in enumerate(chosen)}
        try:
            done = convert_flat(framework, to, {**base.flat, **{k: Var(v) for k, v in names.items()}}, base.trainer)
        except RftconfError as refusal:
            event(type(refusal).__name__)
            return
        lines = {line.key: line for line in done.ledger.sources}
        new_names = {name for line in done.ledger.targets if is_symbolic(line.value) for name in names_in(line.value)}
        text = " ".join(f"{d.key} {d.why} {' '.join(d.choices)}" for d in done.ledger.decisions)
        text += " ".join(line.comment for line in done.ledger.targets) + " ".join(done.ledger.notes)
        for key, name in names.items():
            assert name in new_names or name in text or lines[key].reason, (key, lines[key])

    law()
