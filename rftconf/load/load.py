"""Loading turns a document into a plan: it finds framework and release, the keys that act, and reads rows stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rftconf.base.diagnostics import few
from rftconf.base.errors import UsageError
from rftconf.base.numbers import BEYOND
from rftconf.load.base_files import without_usual
from rftconf.load.effective import deletions, live_leaves, stages_of, too_many_stages
from rftconf.load.extensions import kept_keys
from rftconf.load.loaded import Loaded
from rftconf.load.recognise import recognise
from rftconf.load.refuse_unreadable import (
    missing_file_first,
    refuse_for,
    refuse_older_configs,
    refuse_part,
    refuse_unlike,
    refuse_unreadable,
)
from rftconf.load.stage import StageRead, facts_of, read_stage, value_diagnostics
from rftconf.load.withhold_secrets import without_secrets
from rftconf.mappers.tables import table_of
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.plan.origin import Origin
from rftconf.schemas.foreign_configs import refuse_foreign
from rftconf.text.document import Document


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
    if rows is not None and abs(rows) >= BEYOND:
        raise UsageError("--rows: no training set has as many rows")
    if not document.is_plan and framework is None:
        refuse_foreign(document)
    refuse_unreadable(document)
    if document.is_plan:
        from rftconf.load.plan_document import load_plan

        return load_plan(document, framework=framework, release=release, rows=rows)
    guess = recognise(document, framework, release)
    if framework is None:
        refuse_part(document, guess)
        refuse_unlike(document, guess)
    document = without_usual(document, guess)
    table = table_of(guess.framework)
    leaves = live_leaves(document, guess.framework)
    refuse_older_configs(guess, leaves)
    if (many := too_many_stages(leaves)) is not None:
        refuse_for([many], document)
    leaves, secrets = without_secrets(leaves, document.secrets)
    facts = facts_of(document, guess, assume=assume, rows=rows)
    stages = [read_stage(guess, part, name, facts) for name, part in stages_of(leaves)]
    for refusal in (refusal for stage in stages for refusal in stage.reading.refusals):
        with missing_file_first(document):
            raise refusal
    findings = tuple(d for stage in stages for d in value_diagnostics(stage.reading, document))
    stages[-1].reading.notes += deletions(document, guess)
    extensions = kept_keys(stages)
    return Loaded(document, guess, table, stages, few((*document.diagnostics, *findings)), extensions, secrets)


def with_origins(loaded: Loaded) -> dict[str, Origin]:
    """All origins, stage by stage, under the plan's own paths."""
    origins: dict[str, Origin] = {}
    for index, stage in enumerate(loaded.stages):
        for path, origin in stage.origins.items():
            origins[path.replace("stage.", f"stages[{index}].", 1) if path.startswith("stage.") else path] = replace(
                origin
            )
    return origins
