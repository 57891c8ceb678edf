"""The parameters that people set most, by topic: those of Trinity-RFT's own config generator, in all frameworks.

What the other frameworks call them follows from the plan fields that their tables share with Trinity's, or stands in
their profiles (`mappers/<framework>/profile.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from rftconf.lint.counterparts import counterparts, pairs
from rftconf.mappers.profiles import profile_of
from rftconf.mappers.rows import Cannot, Fixed
from rftconf.mappers.tables import table_of
from rftconf.schemas import registry
from rftconf.studio.generator import PARAMETERS


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of the generator in one framework: its keys, or why there is none."""

    name: str
    topic: str
    keys: tuple[str, ...]
    why: str = ""


@cache
def parameters(framework: str) -> tuple[Parameter, ...]:
    """Every parameter of the generator, by what this framework calls it."""
    parameters = []
    for topic, parameter_keys in PARAMETERS.items():
        for name, keys in parameter_keys.items():
            mine = keys if framework == "trinity" else _keys_here(framework, name, keys)
            parameters.append(Parameter(name, topic, mine, "" if mine else _why(framework, keys)))
    return tuple(parameters)


def _keys_here(framework: str, name: str, keys: tuple[str, ...]) -> tuple[str, ...]:
    own = profile_of(framework).parameters.get(name, ())
    shared = counterparts("trinity", framework)
    return tuple(dict.fromkeys((*own, *(shared[key] for key in keys if key in shared))))


@cache
def lacking(framework: str) -> tuple[Parameter, ...]:
    """The parameters that this framework has no key for."""
    return tuple(parameter for parameter in parameters(framework) if not parameter.keys)


def _why(framework: str, keys: tuple[str, ...]) -> str:
    """Return the framework's own behaviour instead of the keys, as its table gives it for the plan's field."""
    table, plans = table_of(framework), [plan for native, plan in pairs("trinity") if native in keys]
    entries: list[Cannot | Fixed] = [*table.cannot, *(row for row in table.rows if isinstance(row, Fixed))]
    for plan in plans:
        for entry in entries:
            if plan == entry.plan or plan.startswith(f"{entry.plan}."):
                return entry.why
    return f"no key of {registry.framework(framework).title} is known that stands for it"
