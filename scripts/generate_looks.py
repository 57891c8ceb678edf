"""Writes rftconf/explain/looks.json: which plan fields and keys each lint rule asks for.

Every rule runs on its own examples and on the base config of each framework it speaks of, and what it asks is written
down. Run without arguments to write, with `--check` to fail when the file on disk differs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from rftconf.explain.looks import FILE
from rftconf.lint import recognise_config as config_of
from rftconf.lint import registry
from rftconf.lint.rule import Example, Rule
from rftconf.lint.subject import Cluster, Subject, subjects
from rftconf.mappers.native import Native
from rftconf.plan.index import fields
from rftconf.schemas.registry import FRAMEWORKS
from tests.lint.bases import documents

_CLUSTER = Cluster(nodes=8, gpus_per_node=8)


@dataclass
class _Asked(Subject):
    """A subject that writes down what it is asked for."""

    names: set[str] = field(default_factory=set)

    def plan_path(self, name: str) -> str:
        self.names.add(name)
        return super().plan_path(name)


class _AskedNative(Native):
    """A native config that writes down the keys whose values are asked for."""

    names: set[str]

    def value(self, key: str, otherwise: Any = None) -> Any:
        """As its base, noted."""
        self.names.add(key)
        return super().value(key, otherwise)


def _recording(subject: Subject, names: set[str]) -> Subject:
    """`subject` anew, its answers as before and its questions in `names`; rows were run already, so they ask nothing."""
    native = _AskedNative(**{name: getattr(subject.native, name) for name in Native.__dataclass_fields__})
    native.names = names
    reading = replace(subject.reading, source=native)
    values = {name: getattr(subject, name) for name in Subject.__dataclass_fields__ if not name.startswith("_")}
    return _Asked(**{**values, "reading": reading}, names=names)


def _examples(rule: Rule) -> Iterator[Example]:
    yield from (rule.bad, rule.good)
    for framework in rule.frameworks or FRAMEWORKS:
        yield Example(framework, ())


def names_of(rule: Rule) -> tuple[str, ...]:
    """What the rule asks for, as plan fields without `stage.` and native keys, in alphabetical order."""
    names: set[str] = set()
    for example in _examples(rule):
        document = documents(example)[0]
        best = config_of.recognised(document, example.framework, example.release)
        if best is None:
            continue
        for subject in subjects(document, best, replace(_CLUSTER, gpu=example.gpu)):
            for finding in rule.find(_recording(subject, names)):
                names.update(finding.keys)
    return tuple(sorted({_known(name) for name in names} - {""}))


def _known(name: str) -> str:
    """A plan field without `stage.`, else the native key; items of lists as `[]`."""
    from rftconf.mappers.paths import without_indices

    plain = without_indices(name)
    short = plain.removeprefix("stage.")
    return short if f"stage.{short}" in fields() or short in fields() else plain


def text() -> str:
    """The file's text."""
    rows = [
        f"{json.dumps(rule.code)}: {json.dumps([rule.title, rule.frameworks, names_of(rule)], ensure_ascii=False)}"
        for rule in registry.rules()
    ]
    return "{\n" + ",\n".join(rows) + "\n}\n"


def main() -> int:
    """Write the file, or compare it (`--check`)."""
    generated = text()
    if "--check" not in sys.argv:
        FILE.write_text(generated, encoding="utf-8")
        return 0
    stale = not FILE.exists() or FILE.read_text(encoding="utf-8") != generated
    if stale:
        print("stale, run python -m scripts.generate_looks:", FILE.name)
    return int(stale)


if __name__ == "__main__":
    raise SystemExit(main())
