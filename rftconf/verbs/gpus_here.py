"""This module finds the GPUs to place a run on: those that are named, else this machine's, else the plan's own."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.base.errors import UsageError
from rftconf.budget.placing.back_end import Gpus, own_gpus

if TYPE_CHECKING:
    from rftconf.budget.facts.gpus import Gpu
    from rftconf.plan.model import Plan

DEVICES, DRIVER = Path("/dev"), Path("/proc/driver/nvidia/gpus")
"""The folder in which NVIDIA's driver shows its GPUs; reading it starts no process."""
MODEL = re.compile(r"^Model:\s*(.+?)\s*$", re.MULTILINE)
SIZE = re.compile(r"(?:(\d{1,5})x)?(\d{1,4})")


def gpus_for(plan: Plan, text: str | None, kind: str | None, *, cluster: bool) -> Gpus:
    """`text` is `8` or `2x8` (nodes and GPUs of each), `kind` a name of the account's; on a `cluster` this machine's do not count.

    Raises UsageError for a number that is none.
    """
    from rftconf.budget.facts.gpus import gpu_named

    model = gpu_named(kind) if kind else None
    if text is not None:
        match = SIZE.fullmatch(text)
        nodes, per_node = (int(match[1] or 1), int(match[2])) if match else (0, 0)
        if nodes < 1 or per_node < 1:
            raise UsageError(f"--gpus {text}: a number of GPUs such as 8, or nodes and GPUs of each such as 2x8")
        return Gpus(nodes, per_node, model)
    count, name = (0, None) if cluster else visible_gpus()
    if count:
        return Gpus(1, count, model or _known(name))
    own = own_gpus(plan)
    return Gpus(1, 1, model) if own is None else Gpus(own.nodes, own.per_node, model)


def visible_gpus() -> tuple[int, str | None]:
    """Return the number of NVIDIA's GPUs that this process may use, and their names."""
    count = sum(1 for file in _listed(DEVICES) if re.fullmatch(r"nvidia\d+", file.name))
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        count = min(count, len([device for device in visible.split(",") if device.strip() not in ("", "-1")]))
    names = [match[1] for folder in _listed(DRIVER) if (match := MODEL.search(_text(folder / "information")))]
    return count, names[0] if names else None


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _known(name: str | None) -> Gpu | None:
    from rftconf.budget.facts.gpus import gpu_named

    try:
        return gpu_named(name) if name else None
    except UsageError:
        return None
