"""A person's answers change a conversion: keys get values, and decisions are dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rftconf.base.ledger import Basis, Ledger, State, TargetLine
from rftconf.convert.questions.questions import Answer, places_among, written_by
from rftconf.mappers.outcomes import Outcome
from rftconf.mappers.writing import Writing
from rftconf.report.values import render_value

YOURS = "your answer"
"""The comment beside a value that a person gave."""


def with_answers(lines: list[TargetLine], writing: Writing, answers: Mapping[str, Answer]) -> list[TargetLine]:
    """The target's lines with the values that answers give to keys; a key that was not there is added."""
    target_lines = list(lines)
    positions: dict[str, int] = {}
    for position, line in enumerate(target_lines):
        positions.setdefault(line.key.lstrip("+"), position)
    paths: dict[str, list[str]] = {}
    for path, outcome in writing.outcomes.items():
        for target in outcome.targets:
            paths.setdefault(target, []).append(path)
    for key, value in written_by(answers).items():
        for place in places_among(key, positions) or (key,):
            index = positions.setdefault(place.lstrip("+"), len(target_lines))
            old = target_lines[index] if index < len(target_lines) else TargetLine(place, value, Basis.CHOSEN)
            line = replace(old, value=value, basis=Basis.CHOSEN, comment=YOURS)
            target_lines[index : index + 1] = [line]
            # what a person said stands instead of what the source has
            for path in paths.get(line.key, ()):
                reason = f"{line.key} is {YOURS}"
                writing.outcomes[path] = Outcome(State.NARROWED, writing.outcomes[path].targets, reason)
    return target_lines


def drop_answered_decisions(ledger: Ledger, answers: Mapping[str, Answer]) -> Ledger:
    """The ledger without the decisions that were answered, which it keeps apart."""
    done = tuple(
        replace(decision, chosen=render_value(answers[decision.key].value))
        for decision in ledger.decisions
        if decision.key in answers
    )
    named = {decision.key for decision in done}
    decisions = tuple(decision for decision in ledger.decisions if decision.key not in named)
    return replace(ledger, decisions=decisions, answered=(*ledger.answered, *done))
