"""From a document to a plan: which framework and release, effective keys, rows, one stage at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rftconf.base_files import came_along, without_usual
from rftconf.diagnostics import Diagnostic, few
from rftconf.effective import deletions, live_leaves, stages_of, too_many_stages
from rftconf.extensions import beyond, kept_keys
from rftconf.fork import dialect_of, is_nobodys, reader_of, translation_of
from rftconf.mappers.native import nodes_above
from rftconf.mappers.rows import Table
from rftconf.mappers.tables import table_of
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.plan.origin import Origin
from rftconf.readable import missing_file_first, refuse_for, refuse_older_configs, refuse_unlike, refuse_unreadable
from rftconf.recognise import recognise
from rftconf.schemas import registry
from rftconf.schemas.foreign_configs import refuse_foreign
from rftconf.schemas.guess import Guess
from rftconf.stage import StageRead, facts_of, read_stage, value_diagnostics
from rftconf.text.document import Document, Leaf
from rftconf.typed import run_of
from rftconf.withholding import without_secrets

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
            self.known_plan = _assemble(
                self.guess, self.stages, self.extensions, list(beyond(self.guess, self.stages, self.extensions))
            )
        return self.known_plan

    @cached_property
    def dialect(self) -> Dialect | None:
        """The declaration of the fork whose config it is."""
        return dialect_of(self.guess)

    @cached_property
    def translation(self) -> Translation | None:
        """What the keys of a declared fork are in its framework, and what is known about those that have no name there."""
        return translation_of(self.guess, live_leaves(self.document, self.guess.framework))

    def name_of(self, leaf: Leaf) -> str:
        """What the source's release calls a written key: the key itself, unless it is a fork's."""
        own = self.translation
        return leaf.key if own is None else own.names.get(leaf.key, leaf.key)

    @cached_property
    def came_along(self) -> frozenset[str]:
        """Inherited keys with values that some release of the framework has: a fork's base files still have them."""
        return frozenset(leaf.key for leaf in self.document.leaves if came_along(leaf, self.guess.framework))

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
        found = (self._takers.get(node, ()) for node in (*nodes_above(key), key))
        return [name for _, name in sorted({taker for takers in found for taker in takers})]

    @cached_property
    def _takers(self) -> dict[str, list[tuple[int, str]]]:
        found: dict[str, list[tuple[int, str]]] = {}
        for at, leaf in enumerate(self.document.leaves):
            if isinstance(leaf.value, str) and "${" in leaf.value:
                for name in _INTERPOLATED.findall(leaf.value):
                    found.setdefault(name, []).append((at, leaf.key))
        return found

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
        """What the rows had to say, over all stages."""
        own = () if self.dialect is None else self.dialect.always
        return tuple(dict.fromkeys((*own, *(note for stage in self.stages for note in stage.reading.notes))))


def main_stage(loaded: Loaded) -> StageRead:
    """The stage that a single-run target gets: the last one that trains with reinforcement learning, else the last."""
    return next((s for s in reversed(loaded.stages) if s.values.get("stage.kind") in WITH_ROLLOUTS), loaded.stages[-1])


def load(
    document: Document,
    *,
    framework: str | None = None,
    release: str | None = None,
    rows: int | None = None,
    assume: Mapping[str, str] | None = None,
) -> Loaded:
    """Understand a document as a plan. `assume`: what a person says of a fork (`mini_batch=samples`).

    Raises UnreadableError when the document has errors or no leaf, UsageError for unknown names.
    """
    if not document.is_plan and framework is None:
        refuse_foreign(document)
    refuse_unreadable(document)
    if document.is_plan:
        from rftconf.plan_source import load_plan

        return load_plan(document, framework=framework, release=release, rows=rows)
    found = recognise(document, framework, release)
    if framework is None:
        refuse_unlike(document, found)
    document = without_usual(document, found)
    table = table_of(found.framework)
    leaves = live_leaves(document, found.framework)
    refuse_older_configs(found, leaves)
    if (many := too_many_stages(leaves)) is not None:
        refuse_for([many], document)
    leaves, secrets = without_secrets(leaves, document.secrets)
    facts = facts_of(document, found, assume=assume, rows=rows)
    stages = [read_stage(found, part, name, facts) for name, part in stages_of(leaves)]
    for refusal in (refusal for stage in stages for refusal in stage.reading.refusals):
        with missing_file_first(document):
            raise refusal
    findings = tuple(d for stage in stages for d in value_diagnostics(stage.reading, document))
    stages[-1].reading.notes += deletions(document, found)
    extensions = kept_keys(stages)
    return Loaded(document, found, table, stages, few((*document.diagnostics, *findings)), extensions, secrets)


def _assemble(found: Guess, stages: list[StageRead], extensions: dict[str, Any], unsaid: list[str]) -> Plan:
    from rftconf.plan.model import Plan

    runs = [run_of(stage.reading) for stage in stages]
    first = runs[0]
    asked = (stage.reading.table.dialect for stage in stages)
    unsettled = next((d.why for ask, s in zip(asked, stages, strict=True) if ask and (d := ask(s.reading))), None)
    source = {"framework": found.framework, "release": found.release, "trainer": found.trainer}
    fork = dialect_of(found)
    source |= {"fork": fork.title} if fork is not None else {}
    source |= {"unsettled": unsettled} if unsettled else {}
    return Plan.model_validate(
        {
            "source": source,
            "identity": first.identity,
            "cluster": first.cluster,
            "stages": [run.stage for run in runs],
            "extensions": {found.framework: extensions} if extensions else {},
            "beyond": sorted(set(unsaid)),
        }
    )


def with_origins(loaded: Loaded) -> dict[str, Origin]:
    """All origins, stage by stage, under the plan's own paths."""
    found: dict[str, Origin] = {}
    for index, stage in enumerate(loaded.stages):
        for path, origin in stage.origins.items():
            found[path.replace("stage.", f"stages[{index}].", 1) if path.startswith("stage.") else path] = replace(
                origin
            )
    return found
