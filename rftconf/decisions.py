"""What a person must decide or should know after a conversion."""

from __future__ import annotations

from dataclasses import replace

from rftconf.ledger import LOSSES, Decision, TargetLine
from rftconf.load import Loaded, StageRead
from rftconf.mappers.paths import without_indices
from rftconf.mappers.writing import Writing
from rftconf.plan.index import role_of
from rftconf.plan.origin import Kind
from rftconf.plan.symbols import is_symbolic, names_in, to_interpolation


def unresolved(lines: list[TargetLine]) -> list[Decision]:
    """Values that nobody told first, then the variables that the target reads when it starts."""
    found, readers = [], dict[str, list[str]]()
    for line in lines:
        passed = is_symbolic(line.value) and to_interpolation(line.value) is not None
        if line.value == "???" or (is_symbolic(line.value) and not passed):
            names = sorted(names_in(line.value))
            hint = tuple("--rows N" if name == "ROWS" else f"--set {name}=..." for name in names)
            found.append(Decision(line.key, line.comment or "the source does not tell", hint))
        for name in names_in(line.value) if passed else ():
            readers.setdefault(name, []).append(line.key)
    for name, users in readers.items():
        more = f" and {len(users) - 1} more" if len(users) > 1 else ""
        why = f"${name} is read when the run starts ({users[0]}{more})"
        found.append(Decision(users[0], why, (f"--set {name}=... writes its value",)))
    return found


def under_target_names(decisions: list[Decision], writing: Writing) -> list[Decision]:
    """Decisions about the plan, under the target's own keys."""
    named = []
    for decision in decisions:
        outcome = writing.outcomes.get(decision.key)
        named.append(replace(decision, key=outcome.targets[0]) if outcome and outcome.targets else decision)
    return named


def silent_losses(stage: StageRead, writing: Writing) -> tuple[str, ...]:
    """What differs although no leaf says so: defaults and fixed behaviours of the source that the target lacks."""
    found = []
    for path, outcome in writing.outcomes.items():
        origin = stage.origins.get(path)
        keys = origin.keys if origin is not None else ()
        if origin is not None and origin.kind is Kind.DEFAULT and path.startswith("stage.data."):
            continue
        unsaid = outcome.state in LOSSES and outcome.note and not any(stage.reading.written(key) for key in keys)
        if unsaid and role_of(without_indices(path)) == "" and stage.values.get(path) is not None:
            found.append(f"{path.removeprefix('stage.')}: {outcome.note}")
    return tuple(dict.fromkeys(found))


def other_stages(loaded: Loaded, stage: StageRead) -> tuple[str, ...]:
    """Stages that a single-run target does not get, as notes."""
    others = [s for s in loaded.stages if s is not stage]
    return tuple(
        f"stage {s.name} ({s.values.get('stage.kind')}) is a run of its own: "
        "run it first and start from its checkpoint (rows 11.1, 11.2)"
        for s in others
    )
