"""ROLL's environments: the worlds of an agentic run, by tag (H15)."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import formula
from rftconf.mappers import episodes
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import known_below, lose_known

D = "stage.data.environments"
ENVS, MANAGER = "custom_envs", "train_env_manager."
CAP = "max_tokens_per_step"
ENGINE, WORLDS = "actor_infer.generating_args.", "train_env_manager.generating_args."
DRAWN = "max_new_tokens"
FIELDS = {
    "env_type": "kind",
    "env_manager_cls": "manager",
    "max_steps": "turns_max",
    "max_tokens_per_step": "turn_max_tokens",
    "agent_system_template": "system_prompt",
}

OF_STEPS = frozenset(("StepEnvManager", "StepConcatEnvManager", "AgentNativeStepEnvManager"))
"""Managers that make a sample of each step of an episode (formulate_rollouts)."""


def counts_steps(r: ReadContext) -> bool:
    """True where an update counts steps of episodes; a period of them is filled or cut to whole updates (adjust_batch)."""
    if r.trainer != "agentic" or episodes.assumed(r, "mini_batch") is not None:
        return episodes.counts_steps(r)
    names = [r.plan(f"{D}[{index}].manager") for index in range(r.items(D))]
    return any(isinstance(name, str) and name.rpartition(".")[2] in OF_STEPS for name in names)


def read_environments(r: ReadContext) -> None:
    """Every tag that training plays, with its groups; further tags of `custom_envs` are for validation."""
    if r.trainer != "agentic":
        r.inactive[ENGINE + DRAWN] = "sequence_length - prompt_length is written over it"
        return
    worlds, tags = r.source.branch(ENVS), r.native(MANAGER + "tags") or []
    drawn = section(r) + DRAWN
    if drawn.startswith(ENGINE):
        r.inactive[WORLDS + DRAWN] = "actor_infer.generating_args is put in its place"
    parts = r.native(MANAGER + "num_groups_partition") or []
    tags = tags if isinstance(tags, list) else [tags]
    for index, tag in enumerate(tags):
        prefix, native = f"{D}[{index}].", f"{ENVS}.{tag}"
        world = worlds.get(str(tag)) or r.native(native)
        own: dict[str, Any] = world if isinstance(world, dict) else {}
        r.set(prefix + "name", tag, MANAGER + "tags")
        r.set(prefix + "groups", parts[index] if isinstance(parts, list) and index < len(parts) else None, MANAGER + "num_groups_partition",
              MANAGER + "num_env_groups")  # fmt: skip
        for name, field in FIELDS.items():
            if name != CAP:
                r.set(prefix + field, _fits(own.get(name), field), f"{native}.{name}", native)
        cut = _read_cap(r, prefix + FIELDS[CAP], own.get(CAP), native, drawn)
        rest = {k: v for k, v in own.items() if k not in FIELDS or (cut and k == CAP)}
        r.set(prefix + "config", rest or None, *(f"{native}.{k}" for k in rest), native)
        if not own:
            r.note(
                f"train_env_manager.tags names {formula(tag)}, which custom_envs does not have: ROLL stops when it starts"
            )


def section(r: ReadContext) -> str:
    """The engine's section is put in the place of the environments' own; without it, theirs counts."""
    return ENGINE if _written_below(r, ENGINE) or not _written_below(r, WORLDS) else WORLDS


def _written_below(r: ReadContext, above: str) -> bool:
    return any(key.startswith(above) and cell.leaf is not None for key, cell in r.source.cells.items())


def _read_cap(r: ReadContext, path: str, own: Any, native: str, drawn: str) -> bool:
    """The smaller of the environment's limit of a turn and the engine's (traj_env_manager: make_decision).

    True where the environment's own, which it also tells the agent, is not the one that counts.
    """
    mine, most = _fits(own, FIELDS[CAP]), r.native(drawn)
    stated = r.written(drawn)
    cut = isinstance(most, int) and most > 0 and (stated if mine is None else most < mine)
    more, how = ((drawn,), f"the smaller of {CAP} and {DRAWN}") if stated or cut else ((), "")
    r.set(path, most if cut else mine, f"{native}.{CAP}", native, *more, how=how)
    return cut and own is not None


def _fits(value: Any, field: str) -> Any:
    """Only a number counts turns or tokens; anything else stays with the extension."""
    counts = field in ("turns_max", "turn_max_tokens")
    return None if counts and not isinstance(value, int) else value


def write_environments(w: WriteContext) -> None:
    """Only ROLL's own environments can be written, and those are kept as they stand."""
    for index in range(w.items(D)):
        why = "environments are code of a framework's own: name one of ROLL's in custom_envs"
        lose_known(w, State.NO_COUNTERPART, why, *known_below(w, f"{D}[{index}]."))
