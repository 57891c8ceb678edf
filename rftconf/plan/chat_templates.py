"""Models whose chat template is known by their name: whether it has a switch for thinking, and what it does untold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

PATH, TEMPLATE, THINKING = "stage.model.path", "stage.model.chat_template", "stage.model.thinking"
UNTOLD = "template"
"""The plan's word for a template that is told nothing."""
SWITCH = "enable_thinking"
"""The variable that a template looks at."""
WITHOUT_SWITCH = re.compile(
    r"(?:^|[/_-])(?:qwen-?(?:1\.5|2(?:\.5)?)|qwq|llama-?[23]|mistral-7b|mixtral|gemma-?[123]|moonlight"
    r"|deepseek-(?:math|llm|coder|r1)|phi-?[1234]|qwen3-(?:coder|vl))(?=$|[-_./\d])|qwen3-[-.\w]*(?:instruct|thinking)-2507",
    re.IGNORECASE,
)
"""Names of models whose published templates do not look at the switch: generations by their number, since a later one may
(Gemma 4's does)."""
THINKS = re.compile(r"(?:^|[/_-])qwen3(?:-base)?-\d+(?:\.\d+)?b", re.IGNORECASE)
"""Names of Qwen3's models that think or not: untold, their templates let them."""


def without_switch(values: Mapping[str, Any]) -> bool:
    """True where the run's chat template is known to have no switch for thinking."""
    own = values.get(TEMPLATE)
    if isinstance(own, str) and own:
        return SWITCH not in own
    path = values.get(PATH)
    return isinstance(path, str) and WITHOUT_SWITCH.search(path) is not None


def thinks_by_default(values: Mapping[str, Any]) -> bool:
    """True where the run's model is known to think where nobody tells its template."""
    path = values.get(PATH)
    known = isinstance(path, str) and THINKS.search(path) is not None
    return known and not values.get(TEMPLATE) and not without_switch(values)
