"""A run that never validates gets no validation set elsewhere: some frameworks validate as soon as there is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rftconf.base.ledger import Decision, State
from rftconf.base.symbols import formula, is_symbolic
from rftconf.load.loaded import Loaded
from rftconf.mappers.outcomes import Outcome
from rftconf.mappers.profiles import profile_of
from rftconf.mappers.writing import Writing
from rftconf.plan.acting import VALIDATED, Validation, validation_of
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.plan.origin import Origin
from rftconf.schemas import registry
from rftconf.schemas.framework import Framework

SET, AT_START = "stage.data.eval[0].uri", "stage.cadence.eval_at_start"
LEFT_OUT = ("stage.data.eval", "stage.sampling.eval.", *VALIDATED)


def leave_out_validation(
    loaded: Loaded, target: Framework, values: dict[str, Any], origins: Mapping[str, Origin]
) -> dict[str, Outcome]:
    """Take what says how a run would validate out of a plan that never does, and return what became of each field.

    A target that opens a validation file in any case gets it.
    """
    if SET not in values or not _never_validates(loaded, values) or _opens_evaluation(target):
        return {}
    keys = dict.fromkeys(key for path in VALIDATED if path in origins for key in origins[path].keys)
    why = f"nothing is validated ({', '.join(keys)})" if keys else "nothing is validated"
    never = Outcome(State.DEFAULT, (), "nothing is validated, and no validation set is written")
    unused = Outcome(State.DEAD_IN_SOURCE, (), f"{why}, so no validation set is written")
    idle = [path for path in values if path.startswith(LEFT_OUT)]
    return {path: never if path in VALIDATED else unused for path in idle if values.pop(path) is not None}


def _never_validates(loaded: Loaded, values: Mapping[str, Any]) -> bool:
    """Return True for a run that validates neither at an interval nor at the start, nor at any other time."""
    last_before = profile_of(registry.framework(loaded.framework).family).validates_last_before
    last = bool(last_before) and not registry.at_least(loaded.framework, loaded.release, last_before)
    rolls_out = values.get("stage.kind") in WITH_ROLLOUTS
    return rolls_out and not last and validation_of(values) is Validation.NEVER


def _opens_evaluation(target: Framework) -> bool:
    program = profile_of(target.family).program
    return program is not None and program.opens_evaluation


def open_validation(writing: Writing) -> Iterator[Decision]:
    """Ask about a validation set that is written although nobody knows whether the source validates.

    No interval of one framework is another's word for never; a switch that the target has as it is needs no question.
    """
    target = registry.framework(writing.framework)
    if SET not in writing.outcomes or not writing.outcomes[SET].targets or _opens_evaluation(target):
        return
    if validation_of(writing.values) is not Validation.UNKNOWN:
        return
    times = [path for path in VALIDATED if is_symbolic(writing.plan(path))]
    if times == [AT_START] and writing.outcomes[AT_START].state is State.EXACT:
        return
    hangs = " and ".join(f"{writing.names(path)}={formula(writing.plan(path))}" for path in times)
    why = f"whether the source validates at all hangs on {hangs}; the set is written, and {target.title} validates as its own keys say"
    yield Decision(SET, why, ("keep it: the source validates", "leave the set out: the source never validates"))
