"""All that is declared about a fork, as lines of text and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rftconf.dialects import declaration
from rftconf.dialects.declaration import Dialect, Meaning, Name
from rftconf.report.values import render_value
from rftconf.schemas import registry

PREFIX = "dialect:"
_TITLES = {
    Meaning.LACKING: "Keys that change the run and that nothing else has",
    Meaning.OTHERWISE: "Keys that act otherwise than in the release",
    Meaning.HARMLESS: "Keys on which nothing that is learned depends",
    Meaning.UNREAD: "Keys that its code does not read",
}


def heading(dialect: Dialect) -> str:
    """One line: the fork and what it is a fork of."""
    base = f"{registry.framework(dialect.framework).title} {dialect.release}"
    return f"{dialect.name}  {dialect.title}, a fork of {base}"


def listing() -> str:
    """All declared forks, a line each."""
    return "".join(f"{heading(declaration.load(name))}\n" for name in declaration.all_names())


def index() -> str:
    """The names by which `rftconf explain` shows the declared forks."""
    return "".join(f"{PREFIX}{name}\n" for name in declaration.all_names())


def page(name: str) -> str:
    """The declaration of the fork called `name`. Raises UsageError when there is none."""
    dialect = declaration.find(name)
    return f"{heading(dialect)}\n{''.join(lines_of(dialect))}"


def lines_of(dialect: Dialect) -> Iterator[str]:
    """Yield the lines of a declaration, section by section; `[file]` is the code that was read for it."""
    yield f"\n{dialect.about}\nRead in {dialect.repository} at {dialect.read_at}.\n"
    if dialect.extends:
        yield f"It has all that {declaration.load(dialect.extends).title} has.\n"
    yield from _section(
        "Recognised by", [*(f"program {name}" for name in dialect.programs), *dialect.keys, *_words(dialect)]
    )
    yield from _section("Whatever a config says", list(dialect.always))
    yield from _section("It counts", [f"{name} in {unit}" for name, unit in dialect.counts.items()])
    yield from _section("Its keys in the framework's words", [_name(name) for name in dialect.names])
    for meaning, title in _TITLES.items():
        facts = (f for f in dialect.facts if f.meaning is meaning)
        yield from _section(title, [f"{fact.key}: {fact.says}  [{fact.source}]" for fact in facts])
    yield from _section(
        "Where a config is silent", [f"{key}={render_value(value)}" for key, value in dialect.defaults.items()]
    )
    yield from _section("Conditions of keys that were found as in the release", list(dialect.as_released))
    yield from _section("Keys of later releases that it has too", list(dialect.newer))


def _words(dialect: Dialect) -> list[str]:
    return [f"{key}={word}" for key, words in dialect.words.items() for word in words]


def _section(title: str, entries: list[str]) -> Iterator[str]:
    if entries:
        yield f"\n{title}\n"
        yield from (f"  {entry}\n" for entry in entries)


def _name(name: Name) -> str:
    parts = [f"{name.key} is {'not ' if name.negated else ''}{name.to}"]
    parts += [f"times {name.times}"] if name.times else []
    parts += [f"which is {name.divides} in so many parts"] if name.divides else []
    parts += [f"{render_value(theirs)} as {render_value(value)}" for theirs, value in name.words.items()]
    parts += [f"while {key}={render_value(value)}" for key, value in name.when.items()]
    return f"{', '.join(parts)}  [{name.source}]"


def as_data(name: str) -> Mapping[str, Any]:
    """The declaration as plain data."""
    dialect = declaration.find(name)
    return {
        "dialect": dialect.name,
        "title": dialect.title,
        "framework": dialect.framework,
        "release": dialect.release,
        "repository": dialect.repository,
        "read_at": dialect.read_at,
        "extends": dialect.extends,
        "programs": list(dialect.programs),
        "marks": list(dialect.keys),
        "always": list(dialect.always),
        "counts": dict(dialect.counts),
        "names": [
            {"key": n.key, "is": n.to, "source": n.source, "when": dict(n.when), "times": n.times, "negated": n.negated}
            for n in dialect.names
        ],
        "facts": [{"key": f.key, "meaning": str(f.meaning), "says": f.says, "source": f.source} for f in dialect.facts],
        "defaults": dict(dialect.defaults),
    }
