"""A document understood: what every verb works on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rftconf.base.diagnostics import Diagnostic
from rftconf.load.base_files import came_along, copied_from
from rftconf.load.effective import live_leaves
from rftconf.load.extensions import extensions_that_change_mathematics, idle, removed_keys
from rftconf.load.fork import dialect_of, is_nobodys, reader_of, translation_of
from rftconf.load.stage import StageRead
from rftconf.load.typed_plan import run_of
from rftconf.mappers.native import nodes_above
from rftconf.mappers.rows import Table
from rftconf.plan.origin import Origin
from rftconf.schemas import registry
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document, Leaf

if TYPE_CHECKING:
    from rftconf.dialects.declaration import Dialect
    from rftconf.dialects.translation import Translation
    from rftconf.plan.model import Plan


_INTERPOLATED = re.compile(r"\$\{([\w.\[\]-]+)\}")


@dataclass
class Loaded:
    """A document understood: the plan, and everything a conversion needs to account for each leaf."""

    document: Document
    guess: Guess
    table: Table
    stages: list[StageRead]
    diagnostics: tuple[Diagnostic, ...] = ()
    extensions: dict[str, Any] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()

    known_plan: Plan | None = None
    """The typed plan, once somebody asked for it."""

    @property
    def plan(self) -> Plan:
        """The typed plan, made when first asked for: a conversion works on the flat values alone."""
        if self.known_plan is None:
            extensions = {**removed_keys(self.stages), **self.extensions}
            self.known_plan = _assemble(
                self.guess,
                self.stages,
                extensions,
                extra_keys=extensions_that_change_mathematics(self.guess, self.stages, extensions),
                idle=idle(self.guess, self.stages, extensions),
            )
        return self.known_plan

    @cached_property
    def dialect(self) -> Dialect | None:
        """The declaration of the fork whose config it is."""
        return dialect_of(self.guess)

    @cached_property
    def translation(self) -> Translation | None:
        """Return a declared fork's keys as its framework names them, and the facts about those without a name there."""
        return translation_of(self.guess, live_leaves(self.document, self.guess.framework))

    def name_of(self, leaf: Leaf) -> str:
        """Return the name that the source's release has for a written key: the key itself, unless it is a fork's."""
        own = self.translation
        return leaf.key if own is None else own.names.get(leaf.key, leaf.key)

    @cached_property
    def came_along(self) -> frozenset[str]:
        """Keys that came with the framework's own config, with values that some release has: a fork's files still have them."""
        inherited = (leaf.key for leaf in self.document.leaves if came_along(leaf, self.guess.framework))
        return copied_from(self.document, self.guess).union(inherited)

    @cached_property
    def of_the_fork(self) -> Mapping[str, str]:
        """Keys that no release has and a config of the fork's own declares, each with the name of the file that does."""
        declared = {
            leaf.key: leaf.place.file for leaf in (*self.document.leaves, *self.document.stock) if leaf.inherited
        }
        return {key: PurePath(file).name for key, file in declared.items() if is_nobodys(self.guess.framework, key)}

    @cached_property
    def fork(self) -> str:
        """The fork whose code reads it, in words; empty where that is the framework's own."""
        return reader_of(self.document, self.guess)

    @property
    def program_is_own(self) -> bool:
        """True where a program of the framework's own name is started, whoever's code it may be."""
        program = self.document.launch.program if self.document.launch else ""
        return registry.starts_itself(registry.framework(self.framework), program)

    def takers_of(self, key: str) -> list[str]:
        """The keys whose values interpolate `key`, or a section that holds it, in the order written."""
        takers_by_node = (self._takers.get(node, ()) for node in (*nodes_above(key), key))
        return [name for _, name in sorted({taker for takers in takers_by_node for taker in takers})]

    @cached_property
    def _takers(self) -> dict[str, list[tuple[int, str]]]:
        takers: dict[str, list[tuple[int, str]]] = {}
        for index, leaf in enumerate(self.document.leaves):
            if isinstance(leaf.value, str) and "${" in leaf.value:
                for name in _INTERPOLATED.findall(leaf.value):
                    takers.setdefault(name, []).append((index, leaf.key))
        return takers

    @property
    def framework(self) -> str:
        """The source framework's name."""
        return self.guess.framework

    @property
    def release(self) -> str:
        """The source release."""
        return self.guess.release

    @property
    def origins(self) -> dict[str, Origin]:
        """Origins of the last stage (the one that a single-run target gets)."""
        return self.stages[-1].origins

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes of the rows over all stages, each once, behind those that a fork always has."""
        own = () if self.dialect is None else self.dialect.always
        return tuple(dict.fromkeys((*own, *(note for stage in self.stages for note in stage.reading.notes))))


def _assemble(
    guess: Guess, stages: list[StageRead], extensions: dict[str, Any], *, extra_keys: Iterable[str], idle: Iterable[str]
) -> Plan:
    from rftconf.plan.model import Plan

    runs = [run_of(stage.reading) for stage in stages]
    first = runs[0]
    readers = (stage.reading.table.dialect for stage in stages)
    unsettled = next((d.why for ask, s in zip(readers, stages, strict=True) if ask and (d := ask(s.reading))), None)
    source = {"framework": guess.framework, "release": guess.release, "trainer": guess.trainer}
    fork = dialect_of(guess)
    source |= {"fork": fork.title} if fork is not None else {}
    source |= {"unsettled": unsettled} if unsettled else {}
    return Plan.model_validate(
        {
            "source": source,
            "identity": first.identity,
            "cluster": first.cluster,
            "stages": [run.stage for run in runs],
            "extensions": {guess.framework: extensions} if extensions else {},
            "beyond": sorted(set(extra_keys)),
            "idle": sorted(set(idle)),
        }
    )
