"""ROLL's environments: the worlds of an agentic run, by tag (row 1.14, H15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.ledger import State

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing

D = "stage.data.environments"
ENVS, MANAGER = "custom_envs", "train_env_manager."
FIELDS = {
    "env_type": "kind",
    "env_manager_cls": "manager",
    "max_steps": "turns_max",
    "max_tokens_per_step": "turn_max_tokens",
    "agent_system_template": "system_prompt",
}


def read_environments(r: Reading) -> None:
    """Every tag that training plays, with its groups; further tags of `custom_envs` are for validation."""
    if r.trainer != "agentic":
        return
    worlds, tags = r.source.branch(ENVS), r.native(MANAGER + "tags") or []
    parts = r.native(MANAGER + "num_groups_partition") or []
    tags = tags if isinstance(tags, list) else [tags]
    for index, tag in enumerate(tags):
        at, native = f"{D}[{index}].", f"{ENVS}.{tag}"
        world = worlds.get(str(tag)) or r.native(native)
        own: dict[str, Any] = world if isinstance(world, dict) else {}
        r.set(at + "name", tag, MANAGER + "tags")
        r.set(at + "groups", parts[index] if isinstance(parts, list) and index < len(parts) else None, MANAGER + "num_groups_partition",
              MANAGER + "num_env_groups")  # fmt: skip
        for name, field in FIELDS.items():
            r.set(at + field, _fits(own.get(name), field), f"{native}.{name}", native)
        rest = {k: v for k, v in own.items() if k not in FIELDS}
        r.set(at + "config", rest or None, *(f"{native}.{k}" for k in rest), native)
        if not own:
            r.note(f"train_env_manager.tags names {tag}, which custom_envs does not have: ROLL stops when it starts")


def _fits(value: Any, field: str) -> Any:
    """Only a number counts turns or tokens; anything else stays with the extension."""
    counts = field in ("turns_max", "turn_max_tokens")
    return None if counts and not isinstance(value, int) else value


def write_environments(w: Writing) -> None:
    """Only ROLL's own environments can be written, and those are kept as they stand."""
    for index in range(w.items(D)):
        for path in [p for p in w.values if p.startswith(f"{D}[{index}].") and w.values[p] is not None]:
            w.lose(
                path,
                State.NO_COUNTERPART,
                "environments are code of a framework's own: name one of ROLL's in custom_envs",
            )
