"""Small runs with sizes that no other arithmetic gives, read into a plan or written from one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from rftconf.base.ledger import State
from rftconf.load.load import load
from rftconf.mappers.facts import Facts
from rftconf.mappers.reading import Reading
from rftconf.mappers.rows import Row
from rftconf.mappers.tables import table_of
from rftconf.mappers.writing import Writing
from rftconf.plan.units import Unit
from rftconf.schemas import catalogue, registry
from tests.laws.round_trips import document

Flat = Mapping[str, Any]
PERIOD: dict[str, Any] = {
    "batch.prompts_per_rollout": 30,
    "batch.responses_per_prompt": 7,
    "batch.sequences_per_update": 70,
    "batch.passes": 1,
    "cluster.nodes": 3,
    "cluster.gpus_per_node": 8,
}
"""The plan of a period: 30 prompts x 7 answers are 3 updates of 70 sequences, on 24 GPUs."""
UNCOUNTED = {Unit.TOKENS, Unit.GPUS, Unit.NODES}
"""Units that are worth nothing else: a field that counts them is read from keys that count them too."""


def read(
    framework: str,
    flat: Flat,
    *,
    release: str = "",
    trainer: str = "",
    rows: int | None = None,
    assume: Mapping[str, str] | None = None,
) -> Reading:
    """Read a run, None leaving a key out; fails where some value is not one that its field takes."""
    values = {key: value for key, value in flat.items() if value is not None}
    known = registry.framework(framework)
    words = document(framework, values, trainer or known.trainer)
    done = (
        load(words, framework=framework, release=release or known.newest, rows=rows, assume=assume or {})
        .stages[-1]
        .reading
    )
    assert done.value_errors == []
    assert [note for note in done.notes if "not counted" in note] == []
    return done


def plan(framework: str, flat: Flat, *paths: str, **more: Any) -> list[Any]:
    """The plan's values of a run at some paths below `stage.`."""
    values = read(framework, flat, **more).values
    return [values.get(f"stage.{path}") for path in paths]


def write(
    framework: str,
    values: Flat,
    *,
    kind: str = "rl",
    release: str = "",
    trainer: str = "",
    form: str = "auto",
    same: bool = False,
    rows: int | None = None,
) -> Writing:
    """Write a plan of some values, paths below `stage.` unless they are the cluster's or the identity's; `same` where
    the source is a config of this framework too, `rows` of the training set."""
    known = registry.framework(framework)
    trainer = trainer or known.trainer
    keys = catalogue.load(framework, None, trainer)
    whole = {
        path if path.startswith(("cluster.", "identity.")) else f"stage.{path}": value for path, value in values.items()
    }
    done = Writing(
        table_of(framework, kind),
        framework,
        release or known.newest,
        trainer,
        {"stage.kind": kind, **whole},
        {},
        same_framework=same,
        defaults=keys.default,
        knows=keys.__contains__,
        facts=Facts(form=form, rows=rows),
    )
    done.write_all()
    return done


def keys(framework: str, values: Flat, *names: str, **more: Any) -> list[Any]:
    """Return the values that some keys are written with for a plan; None for one that is not written."""
    out = write(framework, values, **more).out
    return [out[name].value if name in out else None for name in names]


def outcome(framework: str, path: str, value: Any, beside: Flat | None = None, **more: Any) -> State:
    """Return the ledger's state of one plan value in a framework."""
    done = write(framework, {**(beside or {}), path: value}, **more)
    return done.outcomes[path if path.startswith(("cluster.", "identity.")) else f"stage.{path}"].state


def worths(reading: Reading) -> dict[Unit, Any]:
    """Return the sequences, or tokens per rank, that each unit is worth in a run; units without a worth are left out."""
    amounts = {}
    for unit in Unit:
        try:
            amounts[unit] = reading.table.worth(reading, unit)
        except KeyError:
            continue
    return amounts


def assert_idle(done: Reading, patterns: Iterable[str]) -> None:
    """Each pattern names keys of rows, and none of these keys does anything in a run that was read."""
    rows = [row.native for row in done.table.rows if isinstance(row, Row)]
    for pattern in patterns:
        keys = [key for key in rows if fnmatchcase(key, pattern)]
        assert keys, f"no row reads {pattern}"
        assert [key for key in keys if key not in done.inactive] == [], pattern
