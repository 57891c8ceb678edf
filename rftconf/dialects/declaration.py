"""The declaration of a fork: a TOML file of `forks/`, read into records and checked against their fields.

A file says once what it is a fork of, and then, code file by code file, what was read there. `docs/dialects.md` shows
all of them; CONTRIBUTING.md says how to add one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from rftconf.base.errors import UsageError
from rftconf.base.older_python import StrEnum
from rftconf.base.record import record
from rftconf.base.symbols import Value

FOLDER = Path(__file__).with_name("forks")


class Meaning(StrEnum):
    """The effect of a fork's key without a name in the framework, or of a framework's key that acts otherwise there."""

    LACKING = "lacking"
    """It changes the run, and nothing else has it."""
    HARMLESS = "harmless"
    """It is read, and what is learned does not depend on it: logs, addresses of services, caches."""
    OTHERWISE = "otherwise"
    """A key of the framework that this fork ignores, or that acts in another way there: with `when`, in such runs alone."""
    UNREAD = "unread"
    """It is in the fork's own config or scripts, and no code reads it."""


@record
class Fact:
    """A key of a fork (or a pattern with `*`) and the effect that it has there.

    With a value of `off` it does nothing, nor does it unless the fork's keys of `when` have these values.
    """

    key: str
    meaning: Meaning
    says: str
    source: str
    off: tuple[Value, ...] = ()
    when: Mapping[str, Value] = field(default_factory=dict)


@record
class Name:
    """The framework's key `to` for a fork's key, while the fork's keys of `when` have these values.

    `words` translates values, `times` names a key whose number (or length, of a list) multiplies it, and `factor` does so
    too; `divides` names one whose number it divides, `negated` turns a switch round, `before`
    and `after` take the text on one side of a sign.
    """

    key: str
    to: str
    source: str
    when: Mapping[str, Value] = field(default_factory=dict)
    words: Mapping[str, Value] = field(default_factory=dict)
    times: str = ""
    factor: int = 1
    divides: str = ""
    negated: bool = False
    before: str = ""
    after: str = ""


@record
class Dialect:
    """One fork. `release` is the framework's release that it stands on, `read_at` the commit whose code was read.

    `words` are values of keys that only this fork takes. `arguments` is `dotlist` where its programs take `key=value` with
    values in YAML, and `config=FILE`, instead of what Hydra takes.
    `always` are sentences on what its code does whatever a config says. `counts` says in which unit it counts what
    forks count differently (`mini_batch = "samples"`; `"steps"`: each step of an
    episode is one; `"capped"`: in prompts, and no more of them than a period has; `"parts"`: a
    period in as many equal updates as mini-batches fit into it).
    `defaults` differ from the release's, under the fork's names; `${key}` takes the fork's value of another key.
    `as_released` are keys whose conditions (when they do nothing) were found in its code as the release has them;
    a switch that is named there puts to sleep what it does in the release.
    `newer` are keys of later releases that it has too, with the same meaning.
    """

    name: str
    title: str
    framework: str
    release: str
    repository: str
    read_at: str
    about: str
    extends: str = ""
    programs: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    arguments: str = ""
    always: tuple[str, ...] = ()
    counts: Mapping[str, str] = field(default_factory=dict)
    names: tuple[Name, ...] = ()
    facts: tuple[Fact, ...] = ()
    defaults: Mapping[str, Value] = field(default_factory=dict)
    as_released: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()

    def fact(self, key: str) -> Fact | None:
        """Return what is known about a key that has no name in the framework, or another meaning there; else None."""
        own = next((fact for fact in self.facts if fact.key == key), None)
        return own or next((fact for fact in self.facts if fits(key, fact.key)), None)

    def takes_word(self, key: str, word: Value) -> bool:
        """True where the fork has this word of a key beside the framework's own; a list or a mapping is no word."""
        if isinstance(word, (list, dict)):
            return False
        return word in self.words.get(key, ()) or any(name.key == key and word in name.words for name in self.names)

    def speaks_of(self, key: str) -> bool:
        """True where the declaration says anything of a key: what it is, does, or is where the config is silent."""
        return key in self.defaults or self.fact(key) is not None or any(fits(key, name.key) for name in self.names)

    def same_condition(self, key: str) -> bool:
        """True where the code that decides whether `key` acts was read and is the release's."""
        return any(fits(key, pattern) or fits(key, f"{pattern}.*") for pattern in self.as_released)


_HEAD = frozenset(
    ("title", "framework", "release", "repository", "read_at", "about", "extends", "always", "marks", "code")
)
_CODE = frozenset((*Meaning, "file", "names", "defaults", "counts", "as_released", "newer"))
_FACT = frozenset(("says", "off", "when"))


def fits(key: str, pattern: str) -> bool:
    """True where `pattern` is the key, or has a `*` in place of some of it."""
    return key == pattern or ("*" in pattern and fnmatchcase(key, pattern))


def all_names() -> tuple[str, ...]:
    """The names of all declared forks: the files of the folder."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def find(name: str) -> Dialect:
    """The fork called `name`, by its file or title in any case. Raises UsageError when none is."""
    wanted_name = name.strip().lower()
    for known in all_names():
        if wanted_name == known:
            return load(known)
    titled = next((known for known in all_names() if load(known).title.lower() == wanted_name), None)
    if titled is None:
        raise UsageError(f"no dialect is called {name!r}; known: {', '.join(all_names())}")
    return load(titled)


@cache
def load(name: str) -> Dialect:
    """The declaration of a fork, with all that it has from the fork it extends. Raises ValueError for a misspelt one."""
    from rftconf.text.toml import loads

    raw = loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    _check(name, raw, _HEAD)
    base = load(raw["extends"]) if "extends" in raw else None
    code: list[dict[str, Any]] = raw.get("code", [])
    for part in code:
        _check(name, part, _CODE)
    marks = raw.get("marks", {})
    names, facts = tuple(_names(code)), tuple(_facts(code))
    return Dialect(
        name,
        raw["title"],
        raw["framework"] if base is None else base.framework,
        raw["release"] if "release" in raw or base is None else base.release,
        raw["repository"],
        raw["read_at"],
        raw["about"],
        raw.get("extends", ""),
        tuple(marks.get("programs", ())),
        tuple(marks.get("keys", ())),
        {key: tuple(values) for key, values in marks.get("values", {}).items()},
        marks.get("arguments", ""),
        (*raw.get("always", ()), *(base.always if base else ())),
        _joined(base.counts if base else {}, code, "counts"),
        (*names, *(name for name in (base.names if base else ()) if name.key not in {own.key for own in names})),
        (*facts, *(base.facts if base else ())),
        _joined(base.defaults if base else {}, code, "defaults"),
        (*_listed(code, "as_released"), *(base.as_released if base else ())),
        (*_listed(code, "newer"), *(base.newer if base else ())),
    )


def _check(name: str, table: Mapping[str, Any], known: frozenset[str]) -> None:
    wrong = sorted(table.keys() - known)
    if wrong:
        raise ValueError(
            f"{name}.toml: {', '.join(wrong)} is no part of a declaration; known: {', '.join(sorted(known))}"
        )


def _joined(base: Mapping[str, Any], code: list[dict[str, Any]], part: str) -> dict[str, Any]:
    joined = dict(base)
    for table in code:
        joined |= table.get(part, {})
    return joined


def _listed(code: list[dict[str, Any]], part: str) -> Iterator[str]:
    for table in code:
        yield from table.get(part, ())


def _names(code: list[dict[str, Any]]) -> Iterator[Name]:
    for table in code:
        for key, cases in table.get("names", {}).items():
            for case in cases if isinstance(cases, list) else [cases]:
                yield (
                    Name(key, case, table["file"]) if isinstance(case, str) else Name(key, source=table["file"], **case)
                )


def _facts(code: list[dict[str, Any]]) -> Iterator[Fact]:
    for table in code:
        for meaning in Meaning:
            for key, says in table.get(meaning, {}).items():
                if isinstance(says, str):
                    yield Fact(key, meaning, says, table["file"])
                else:
                    _check(key, says, _FACT)
                    off = says.get("off", [])
                    offs = tuple(off if isinstance(off, list) else [off])
                    yield Fact(key, meaning, says["says"], table["file"], offs, says.get("when", {}))
