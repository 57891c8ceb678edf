"""Settings that change neither learning nor speed and can still cost a run: a person is asked where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rftconf.base.ledger import Decision
from rftconf.base.symbols import formula
from rftconf.diff.compare import Difference

Values = Mapping[str, Any]
SLOWEST = 5
"""Tokens per second that one answer gets of a busy engine; below that a limit in seconds can cut long answers off."""
RESUMES = {
    "auto": "goes on from its newest checkpoint",
    "never": "starts anew",
    "path": "goes on from the checkpoint that is named",
}


class SettingQuestion(NamedTuple):
    """A plan field, when a difference is worth a question (by its two values and the source's plan), and the question."""

    path: str
    when: Callable[[Any, Any, Values], bool]
    why: Callable[[Any, Any], str]


def _resumes(mine: Any, theirs: Any) -> str:
    mine_word, theirs_word = (RESUMES.get(str(value), str(value)) for value in (theirs, mine))
    return f"a run that was stopped and is started again {mine_word}; in the source it {theirs_word}"


def _cuts(mine: Any, theirs: Any, values: Values) -> bool:
    longest = values.get("stage.length.response_max_tokens")
    known = isinstance(theirs, (int, float)) and isinstance(longest, int) and longest > SLOWEST * theirs
    return known and (mine is None or (isinstance(mine, (int, float)) and mine > theirs))


def _times_out(mine: Any, theirs: Any) -> str:
    limit = "without a limit" if mine is None else f"up to {formula(mine)} s"
    return f"an answer that takes longer than {formula(theirs)} s is dropped here; the source waits {limit}"


def _stops_waiting(mine: Any, theirs: Any) -> str:
    limit = "without a limit" if mine is None else f"up to {formula(mine)} s"
    return f"engines and trainer wait for each other up to {formula(theirs)} s here, {limit} in the source"


ASKED = (
    SettingQuestion(
        "identity.resume", lambda mine, theirs, _: all(isinstance(value, str) for value in (mine, theirs)), _resumes
    ),
    SettingQuestion("stage.placement.rollout.max_timeout_seconds", _cuts, _times_out),
    SettingQuestion("stage.sync.timeout_seconds", _cuts, _stops_waiting),
)
"""The settings, in the order in which a report asks for them."""


def asked_of(differences: Sequence[Difference], values: Values) -> Iterator[tuple[str, Decision]]:
    """The plan field and the question of each difference that is worth one; `values` are the source's."""
    by_path = {difference.path: difference for difference in differences}
    for path, when, why in ASKED:
        difference = by_path.get(path)
        if (
            difference is None
            or difference.b.said is None
            or not difference.b.said.keys
            or not when(difference.a.value, difference.b.value, values)
        ):
            continue
        by = "" if difference.a.said is None else f" ({', '.join(key for key, _ in difference.a.said.keys)})"
        key = difference.b.said.keys[0][0]
        choices = ("keep: it stays so", f"a value for {key}")
        yield path, Decision(key, why(difference.a.value, difference.b.value) + by, choices)
