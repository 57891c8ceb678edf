"""Asks about losses and estimators that only the code of a fork has, and puts such questions before all others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rftconf.base.ledger import Decision, SourceLine, State, TargetLine
from rftconf.base.symbols import OpenKey, Value, formula
from rftconf.convert.ledger.provenance import shown_in
from rftconf.convert.questions.decisions import of_another_main
from rftconf.convert.questions.questions import KEEP
from rftconf.convert.questions.release_questions import keys_that_may_act
from rftconf.mappers.families import described
from rftconf.mappers.native import nodes_above
from rftconf.mappers.rows import Table, natives_of, plans_of
from rftconf.plan.origin import Kind
from rftconf.schemas import catalogue, registry

if TYPE_CHECKING:
    from rftconf.dialects.declaration import Dialect
    from rftconf.load.loaded import Loaded
    from rftconf.load.stage import StageRead
    from rftconf.mappers.writing import Writing

ESTIMATOR, LOSS = "stage.algorithm.advantage", "stage.algorithm.policy_loss."
FAMILY = f"{LOSS}family"
MODEL = "stage.model.path"
KEPT = {ESTIMATOR: "it learns so", MODEL: "it trains that model"}
"""Field to what a person says who keeps a default."""
_NAMED = re.compile(
    r"(?:^|(?<!grad)[._])(?:adv|advantages?|estimator|loss(?:es)?|clip(?:_?range)?|epsilon_(?:low|high)|surrogate|objective|policy_gradient|grpo|ppo|reinforce"
    r"|dynamic_(?:sampling|filter(?:ing)?)|filter_groups|reweight(?:ing|ed)?)(?:[._]|$)"
)
"""Words in a key's name by which its author says that it belongs to the loss, to the estimator, or to a choice of the answers that
they see, wherever it stands."""
_MOST = 4
"""Keys that one question names."""
_OFF: tuple[object, ...] = (None, False, "", "false", "False", "none", "None", "null", [], {})


def about_the_loss(
    loaded: Loaded, stage: StageRead, sources: Iterable[SourceLine], lines: Iterable[TargetLine], writing: Writing
) -> list[Decision]:
    """Return the questions about the loss and the estimator that only code which is not here could answer."""
    own = [*unknown_program(loaded, stage), *unknown_losses(loaded, stage, sources, lines, writing)]
    return [*own, *keys_that_may_act(loaded, stage, sources)]


def unknown_losses(
    loaded: Loaded, stage: StageRead, sources: Iterable[SourceLine], lines: Iterable[TargetLine], writing: Writing
) -> list[Decision]:
    """Return a question where the source may learn with another loss or estimator than any release has.

    A key beside those of the loss that the release does not have, or that a fork's code alone acts upon, is left out of what
    is written: what is left is a plain loss, and a person must say whether that will do.
    """
    written = {line.key.lstrip("+") for line in lines}
    other_release = writing.same_framework and loaded.release != writing.release
    sections = _sections(stage.reading.table, loaded.dialect)
    own = [
        line
        for line in sources
        if (line.key not in written or (other_release and line.of_fork))
        and _is_of_a_fork(loaded, stage, line)
        and (_NAMED.search(line.key) is not None or _section(loaded, stage, line.key) in sections)
    ]
    if not own:
        return []
    it, they, are = ("it", "it", "changes") if len(own) == 1 else ("them", "they", "change")
    facts = "; ".join(dict.fromkeys(line.reason for line in own if line.of_fork))
    release = f"{registry.framework(loaded.framework).title} {loaded.release}"
    unknown = f"{release} does not have {it}, so only the code of a fork can use {it}"
    plain = ((text, stage.values.get(path)) for text, path in (("the loss", FAMILY), ("the advantages of", ESTIMATOR)))
    named = " and ".join(f"{text} {described(formula(value))}" for text, value in plain if value is not None)
    why = f"{facts or unknown}; without {it} the run learns with {named or 'the loss that the release has'}"
    settings = [f"{line.key}={shown_in(stage.reading.source, line.key)}" for line in own[:_MOST]]
    more = f" and {len(own) - _MOST} more" if len(own) > _MOST else ""
    choices = (f"keep: {they} {are} nothing in the loss, or the plain one will do", "or keep the source's framework")
    return [Decision(own[0].key, why, choices, has=", ".join(settings) + more, leads=True)]


def unknown_program(loaded: Loaded, stage: StageRead) -> list[Decision]:
    """Return questions where a program of its own is started and its config, which is not here, names estimator or model.

    The framework's default stands in the plan then, and nobody knows whether that program learns so.
    """
    launch = loaded.document.launch
    if loaded.dialect is not None or launch is None or not of_another_main(loaded):
        return []
    title = f"{registry.framework(loaded.framework).title} {loaded.release}"
    own = f"{launch.program} is a program of its own, and neither its code nor its config is here"
    decisions = []
    for path, learns in ((ESTIMATOR, _learns(stage)), (MODEL, f"the model is {formula(stage.values.get(MODEL))}")):
        origin = stage.origins.get(path)
        if (
            origin is None
            or origin.kind is not Kind.DEFAULT
            or not origin.keys
            or not _has_value(stage.values.get(path))
        ):
            continue
        key = origin.keys[0]
        why = f"{own}: {key} is not written, so the run is read with the default of {title}, and {learns}"
        choices = (f"--set {key}=...", "give the program's config with --base FILE", f"{KEEP}: {KEPT[path]}")
        decisions.append(Decision(key, why, choices, leads=True))
    return decisions


def _has_value(value: Value) -> bool:
    return value is not None and not isinstance(value, OpenKey)


def _learns(stage: StageRead) -> str:
    named = f"the advantages of {described(formula(stage.values.get(ESTIMATOR)))}"
    loss = stage.values.get(FAMILY)
    return f"learns with {named if loss is None else f'the loss {described(formula(loss))} and {named}'}"


def _is_of_a_fork(loaded: Loaded, stage: StageRead, line: SourceLine) -> bool:
    """True for a key that is switched on and that the release does not have, or that the fork's code alone acts upon."""
    if line.word or line.of_another_run or line.harmless or line.value in _OFF:
        return False
    states = (State.UNKNOWN, State.EXTENSION)
    known = catalogue.load(loaded.framework, loaded.release, stage.reading.source.trainer)
    return line.key not in known and (line.of_fork or line.state in states)


def _section(loaded: Loaded, stage: StageRead, key: str) -> str:
    """Return the nearest section above a key that its framework has, or its fork."""
    known = catalogue.load(loaded.framework, None, stage.reading.source.trainer)
    own = () if loaded.dialect is None else {_parent(name.key) for name in loaded.dialect.names}
    return next((node for node in reversed(nodes_above(key)) if known.is_node(node) or node in own), "")


def _sections(table: Table, dialect: Dialect | None) -> frozenset[str]:
    """Return the sections that hold the keys of loss and estimator; a framework without sections has none of them."""
    rows = (row for row in table.rows if any(path == ESTIMATOR or path.startswith(LOSS) for path in plans_of(row)))
    sections = frozenset(filter(None, (_parent(key) for row in rows for key in natives_of(row))))
    if dialect is None:
        return sections
    return sections.union(_parent(name.key) for name in dialect.names if _parent(name.to) in sections)


def _parent(key: str) -> str:
    return key.rpartition(".")[0]


def algorithm_first(decisions: Iterable[Decision], writing: Writing) -> Iterator[Decision]:
    """Sort questions: those that say with which loss or estimator is learned lead; the order of the others stays."""
    listed = list(decisions)
    outcomes = (writing.outcomes.get(path) for path in (ESTIMATOR, FAMILY))
    keys = {key.lstrip("+") for outcome in outcomes if outcome is not None for key in outcome.targets}
    first = [decision for decision in listed if decision.leads or decision.key in keys]
    yield from (*first, *(decision for decision in listed if decision not in first))
