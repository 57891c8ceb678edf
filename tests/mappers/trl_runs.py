"""Runs of TRL's GRPO as its config says them, and what they are in the plan."""

from __future__ import annotations

from typing import Any

from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.text.read.read import read
from rftconf.text.source import Source

BASE = {"model_name_or_path": "m", "num_generations": 8, "num_processes": 4}
B, A, P, OPTIM = "stage.batch.", "stage.algorithm.", "stage.placement.", "stage.optim.actor."


def loaded(release: str | None = None, rows: int | None = None, **keys: Any) -> Loaded:
    text = "".join(f"{key}: {value}\n" for key, value in (BASE | keys).items() if value != "-")
    return load(read(Source("a.yaml", text)), framework="trl", release=release, rows=rows)


def plan(release: str | None = None, rows: int | None = None, **keys: Any) -> dict[str, Any]:
    return loaded(release, rows, **keys).stages[0].values
