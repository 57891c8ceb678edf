"""This module holds an answer as its process sends it, and makes errors look alike there."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rftconf.base.errors import RefusedError, RftconfError, UnreadableError
from rftconf.base.secrets import forget, masked


class Answer(NamedTuple):
    """An answer as the one who asked gets it."""

    status: int
    body: bytes
    kind: str = "application/json"


def answered(reply: Callable[[], dict[str, Any] | Answer], own: Iterable[str] = ()) -> Answer:
    """Answer whatever happens: it never raises. It shows no secret, but in the fields `own`, the asker's own text."""
    forget()  # what another question had read
    try:
        content = reply()
    except RftconfError as error:
        return Answer(422, _json({"error": _error_json(error)}))
    except MemoryError:
        return Answer(500, _json({"error": {"message": "this text needs too much memory", "exit": 70}}))
    except Exception as error:  # noqa: BLE001 -- the last place before a silent page
        words = masked(" ".join(str(error).split()))[:200]
        message = f"sorry, this is a defect in rftconf ({type(error).__name__}: {words})"
        return Answer(500, _json({"error": {"message": message, "exit": 70}}))
    if isinstance(content, Answer):
        return content
    own_text = {name: content.pop(name) for name in own}
    return Answer(200, _json({**own_text, **_without_secrets(content)}))


def _without_secrets(content: dict[str, Any]) -> dict[str, Any]:
    """The content with its secrets masked: text by text, where escapes hide none, then as a whole, where a key names one."""
    plain: dict[str, Any] = _masked(content)
    try:
        whole: dict[str, Any] = json.loads(masked(_json(plain).decode()))
    except ValueError:  # what looks like a secret ended within an escape or behind a quote
        return plain
    return whole


def _masked(content: Any) -> Any:
    if isinstance(content, str):
        return masked(content)
    if isinstance(content, dict):
        return {_masked(key): _masked(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_masked(item) for item in content]
    return content


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
