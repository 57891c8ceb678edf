"""Answers the page's questions: which function knows, and what an error looks like on the page."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from rftconf.base.errors import RefusedError, RftconfError, UnreadableError
from rftconf.base.secrets import forget, masked
from rftconf.studio import budgeting, checking, comparing, converting, making
from rftconf.studio.answer import Answer
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
    forget()  # what another question had read
    try:
        reply = VERBS[verb](StudioRequest(fields))
    except RftconfError as error:
        return Answer(422, _json({"error": _error_json(error)}))
    except MemoryError:
        return Answer(500, _json({"error": {"message": "this text needs too much memory", "exit": 70}}))
    except Exception as error:  # noqa: BLE001 -- the last place before a silent page
        words = masked(" ".join(str(error).split()))[:200]
        message = f"sorry, this is a defect in rftconf ({type(error).__name__}: {words})"
        return Answer(500, _json({"error": {"message": message, "exit": 70}}))
    if isinstance(reply, Answer):
        return reply
    own = {name: reply.pop(name) for name in _OWN_TEXT.get(verb, ())}
    content = json.loads(masked(_json(reply).decode()))
    return Answer(200, _json({**own, **content}))


def _error_json(error: RftconfError) -> dict[str, Any]:
    content: dict[str, Any] = {"message": masked(str(error)), "exit": error.exit_code}
    if isinstance(error, RefusedError):
        content["choices"] = list(error.choices)
    if isinstance(error, UnreadableError) and error.line:
        content |= {"message": masked(error.message), "line": error.line, "col": error.col}
    return content


def _json(data: Any) -> bytes:
    try:
        return json.dumps(data, allow_nan=False).encode()
    except ValueError:
        return json.dumps(_finite(data)).encode()


def _finite(data: Any) -> Any:
    """JSON has no infinity."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    return str(data) if isinstance(data, float) and not math.isfinite(data) else data
