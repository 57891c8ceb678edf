"""The keys of the expert's form: the catalogue's, those that only the tables name, and arguments of registered functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from rftconf.base.ledger import State
from rftconf.explain.spans import in_newest
from rftconf.lint import key_help as editor
from rftconf.mappers.profiles import profile_of
from rftconf.mappers.rows import natives_of
from rftconf.mappers.tables import reason_for, table_of
from rftconf.report.values import render_value
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.catalogue import Catalogue
from rftconf.studio.common import parameters

NAME = "main"
"""Stands in a key for the name of an entry, where a framework lets one choose it."""


def spelled(name: str) -> str:
    """A catalogue's name as a file has it: the first item of a list, one entry of a mapping."""
    return name.replace("[]", "[0]").replace("<*>", f".{NAME}")


@lru_cache(maxsize=8)
def names(framework: str, release: str, trainer: str) -> Mapping[str, str]:
    """Every key of the form, as a file has it, and its name in the newest release."""
    known, about = catalogue.load(framework, release, trainer), registry.framework(framework)
    spellings = {}
    for name in _spelled_names(known):
        newer = [name] if release == about.newest else in_newest(about, name, release, trainer)
        spellings[spelled(name)] = newer[0] if newer else name
    return spellings


def _spelled_names(known: Catalogue) -> Iterator[str]:
    """Names as the catalogue writes them: its own, then those below its open sections that something is known of."""
    common = [key for parameter in parameters(known.family) for key in parameter.keys]
    for name, key in known.keys.items():
        # one class for engines and helpers: what Trinity fills for the one, people write for the other
        if (not key.automatic or name in common) and not versions.dead(
            known.framework, known.release, name, known.trainer
        ):
            yield name
    newest = known.release == registry.framework(known.framework).newest
    rows = [native for row in table_of(known.framework).rows for native in natives_of(row)] if newest else []
    below = [f"algorithm.{function}_args.{name}" for function, arguments in known.arguments.items()
             for taken in arguments.values() for name in taken]  # fmt: skip
    for name in dict.fromkeys((*rows, *common, *below)):
        entry = None if name in known.keys or "*" in name else known.get(name)
        if entry is not None and entry.open and not entry.automatic:
            yield name


def keys(known: Catalogue) -> Iterator[dict[str, Any]]:
    """Each key with what a form shows of it."""
    topics = _topics(known.family)
    # a program of its own has the rows of the framework that it stands on
    for spelling, newest in names(known.framework, known.release, known.trainer).items():
        name = known.canonical(spelling)
        key, facts = known.get(spelling), editor.facts(known.family, newest)
        if key is None:
            continue
        argument = _argument(known, spelling)
        yield {
            "key": spelling,
            "type": argument["type"] if argument else key.type,
            "optional": key.optional,
            "mandatory": key.mandatory,
            "default": argument["default"]
            if argument
            else None
            if key.default is None
            else render_value(key.default, 200),
            "choices": [render_value(value) for value in (*key.choices, *known.names(name))],
            "unit": unit(known, newest),
            "meaning": facts.why or (argument["meaning"] if argument else _reason(known, newest)),
            "plan": facts.plan,
            "topic": topics.get(newest, ""),
        }


def unit(known: Catalogue, name: str) -> str:
    """Return the unit of a key, by its name in the newest release; empty where it counts nothing."""
    plain = name.replace("[0]", "[]")
    return editor.facts(known.family, plain).unit or profile_of(known.family).units.get(plain, "")


def _reason(known: Catalogue, name: str) -> str:
    """Return the tables' reason for a key without a row; empty where nothing reads it, which is said elsewhere."""
    reason = reason_for(table_of(known.family), name, None)
    return reason.why if reason and reason.state is not State.DEAD_IN_SOURCE else ""


def _argument(known: Catalogue, key: str) -> dict[str, Any] | None:
    """Type, default and takers of an argument of a registered function."""
    node, _, name = key.rpartition(".")
    function = node.removeprefix("algorithm.").removesuffix("_args")
    takers = {
        function_name: args[name] for function_name, args in known.arguments.get(function, {}).items() if name in args
    }
    if not node.startswith("algorithm.") or not takers:
        return None
    values = list(takers.values())
    kinds = {type(value).__name__ for value in values if value is not None}
    same = all(value == values[0] for value in values)
    default = (
        render_value(values[0])
        if same
        else ", ".join(f"{function_name} {render_value(value)}" for function_name, value in takers.items())
    )
    return {
        "type": kinds.pop() if len(kinds) == 1 else "any",
        "default": default,
        "meaning": f"an argument of {', '.join(takers)}",
    }


@lru_cache(maxsize=8)
def _topics(family: str) -> Mapping[str, str]:
    """Key to the topic of the generator's parameter that it stands for."""
    return {key: parameter.topic for parameter in reversed(parameters(family)) for key in parameter.keys}
