"""What a base is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Base:
    """A config to flip keys in; `trainer` is veRL's variant, `since` the first release it is legal in."""

    name: str
    flat: dict[str, Any] = field(hash=False, compare=False)
    trainer: str = ""
    since: str = "0.0.0"


def fixed_by_engine(engine: str) -> dict[str, Any]:
    """The sizes by which veRL's critic is cut since 0.8: those in its engine's own block."""
    block = f"critic.{engine}."
    sizes = {f"{block}{name}micro_batch_size_per_gpu": 4 for name in ("", "infer_")}
    return {f"{block}use_dynamic_bsz": False, **sizes}
