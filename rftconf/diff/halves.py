"""One side of a stage of a comparison: what is said there, what of it acts, and what its framework does where nothing is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from rftconf.diff.sides import Does, Statement
from rftconf.plan.acting import Asleep, awake_and_asleep, why_lacking
from rftconf.plan.origin import Kind
from rftconf.plan.spelling import plain

NEVER = ("stage.cadence.save_rollouts", "stage.cadence.eval_rollouts")
"""Fields that mean never where nobody says when."""
NONE = tuple(
    f"stage.algorithm.{name}"
    for name in ("policy_loss.dual_clip_c", "policy_loss.value_cap", "std_scope", "std_ddof", "std_guard")
)
"""Fields whose absence is a value: no second clip, no cap, no division by a deviation. Every reader fills them."""
LACKED = ("stage.optim.actor.warmup_updates", "stage.optim.critic.warmup_updates")
"""The same where a framework has no key for them; with a key, absence is a share of a length that nobody told."""
OF_OWN_KIND = ("stage.algorithm.rollout_correction",)
"""The same unless the framework's table says that something of its own kind is written in its place."""
NULLS = (
    "stage.reward.function_path", "stage.reward.function_name", "stage.reward.function_args", "stage.reward.manager_args",
    "stage.turns.tools", "stage.turns.assistant_max", "stage.turns.user_max", "stage.data.dataset_class*",
    "stage.data.*_max_samples", "stage.checkpoint.keep", "identity.logger_args",
    "stage.placement.*.megatron.transformer_overrides",
)  # fmt: skip
"""Fields that a framework with a key for them does without where the key is null: no function, no limit, nothing overridden."""
NAMELESS = ("stage.data.*.name",)
"""Fields that a framework without a key for them does without."""
_SILENCE_SAYS = frozenset((*NEVER, *NONE))
SWITCHES = (".enabled", ".rank", ".kind")
"""Ends of paths of fields that put others to sleep, and are not asleep themselves."""
SaidOfStage: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Statement]]
_ITEM = re.compile(r"stage\.[\w.]+\[\d+\]\.")
_ITEM_WITHIN = re.compile(r"\[\d+\]\.")


@dataclass(frozen=True, slots=True)
class SideValue:
    """A field on one side. `idle`: why it does nothing there; `value` is None where nobody says it.

    `lacking`: `idle` is that no run of this kind has the field.
    """

    value: Any
    said: Statement | None = None
    idle: str | None = None
    lacking: bool = False
    none: bool = False
    """True where the run is known to do without, so that None is the value."""


@dataclass(frozen=True, slots=True)
class Half:
    """One side of a stage: what is said, what of it acts, and why the rest does not."""

    raw: Mapping[str, Any]
    said: Mapping[str, Statement]
    acts: Mapping[str, Any]
    asleep: Asleep
    does: Does
    items: frozenset[str]
    """The prefixes of the paths in `raw`, up to each list item in them."""

    def seen(self, path: str) -> SideValue:
        """Return the value that acts, else the one that was given and does nothing, with the reason."""
        default = self.does.value_of(path) if self.silent(path) else None
        if default is not None:
            return SideValue(*default)
        lacking = self._lacking(path)
        if lacking is not None:
            return SideValue(None, None, lacking, lacking=True, none=True)
        never = path in NEVER and self.raw.get(path) is None
        switch = self._is_off(path) or never or path.endswith(SWITCHES)
        idle = None if path in self.acts or switch else self.asleep.why(path)
        value = self.acts.get(path, self.raw.get(path))
        return SideValue(value, self.said.get(path), idle, none=value is None and self._does_without(path))

    def has(self, path: str) -> bool:
        """True where the list item that the field belongs to is there, or it belongs to none."""
        item = _ITEM.match(path)
        return item is None or item[0] in self.items

    def _does_without(self, path: str) -> bool:
        """True for a field without a value that says by this that there is none of the kind."""
        if path in NONE or any(fnmatchcase(path, glob) for glob in NAMELESS):
            return True
        return path in self.said and any(fnmatchcase(path, glob) for glob in NULLS)

    def _lacking(self, path: str) -> str | None:
        """Tell why no run of this kind has a field that nobody says; None where it may have one."""
        if self.raw.get(path) is not None or self.acts.get(path) is not None:
            return None
        return why_lacking(path, self.raw.get("stage.kind"))

    def _is_off(self, path: str) -> bool:
        """True for a value that switches itself off; a 0 that would sleep as any other number says nothing of the kind."""
        value = self.raw.get(path)
        if value is False or value != 0 or value is None:
            return value is False
        return awake_and_asleep({**self.raw, path: 1})[1].why(path) is None

    def silent(self, path: str) -> bool:
        """True where the field is left to code that the plan does not speak of.

        It is not where the field does nothing, where silence means never or none, and where the whole list item is missing.
        """
        value = self.raw.get(path) is not None or self.acts.get(path) is not None
        if value or path in _SILENCE_SAYS or self.asleep.why(path) is not None or self._lacking(path) is not None:
            return False
        if (path in LACKED and path not in self.said) or self._does_without(path):
            return False
        if path in OF_OWN_KIND:
            return self.does.value_of(path) is not None
        if not self.has(path):
            return False
        return path not in self.said or self.said[path].kind is not Kind.WRITTEN

    def acting(self, path: str) -> tuple[Any, bool]:
        """Return the value that acts, the framework's own where no key gives it, and whether it is known."""
        if not self.silent(path):
            return self.acts.get(path), True
        default = self.does.value_of(path)
        return (self.acts.get(path), False) if default is None else (plain(default[0]), True)


def half_of(raw: Mapping[str, Any], statements: Mapping[str, Statement], does: Does) -> Half:
    """One side of a stage, from its flat values, why they are there, and what its framework does without keys."""
    items = frozenset(path[: match.end()] for path in raw if "[" in path for match in _ITEM_WITHIN.finditer(path))
    return Half(raw, statements, *awake_and_asleep(raw), does, items)
