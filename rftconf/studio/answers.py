"""Answers the page's questions: which function knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rftconf.service.answer import Answer, answered
from rftconf.studio import budgeting, checking, comparing, converting, making
from rftconf.studio.request import StudioRequest

VERBS: dict[str, Callable[[StudioRequest], dict[str, Any] | Answer]] = {
    "convert": converting.convert,
    "ledger": converting.ledger,
    "bundle": converting.bundle,
    "check": checking.check,
    "fix": checking.fix,
    "budget": budgeting.budget,
    "front": budgeting.front,
    "apply": budgeting.apply,
    "diff": comparing.diff,
    "keys": making.keys,
    "explain": making.explain,
    "new": making.new,
    "start": making.start,
}


_OWN_TEXT = {"fix": ("text",), "apply": ("text",)}
"""Fields that hold the asker's own text, with what it says of secrets: the page puts it back where it came from."""
_FIRST = "python3 -m verl.trainer.main_ppo data.train_batch_size=8 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B trainer.nnodes=1"


def warm_up() -> None:
    """Load what the first questions need while nobody has asked yet."""
    fields = {"text": _FIRST, "name": "first.sh", "to": "trinity"}
    for verb in ("convert", "check", "budget"):
        answer(verb, fields)
    answer("explain", {"framework": "verl", "key": "trainer.nnodes"})


def answer(verb: str, fields: Mapping[str, Any]) -> Answer:
    """Answer every question; it never raises. It shows no secret; a text that was mended is the asker's own."""
    return answered(lambda: VERBS[verb](StudioRequest(fields)), _OWN_TEXT.get(verb, ()))
