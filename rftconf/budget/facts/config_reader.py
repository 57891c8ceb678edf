"""Numbers out of a public config.json, with errors that name the field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rftconf.base.errors import UsageError

Config = Mapping[str, Any]
MOST = 1 << 40
"""No field that counts something is larger; beyond it numbers stop fitting into a float."""
DECODER_OF = {"qwen2_vl": "qwen2", "qwen2_5_vl": "qwen2", "qwen3_vl": "qwen3", "qwen3_vl_moe": "qwen3_moe"}
"""Vision models whose decoder is that of a text model, also where their config.json is flat."""


class Reader:
    """Numbers out of a config, with errors that name the field."""

    def __init__(self, config: Config, name: str) -> None:
        self.config, self.name = config, name
        family = str(config.get("model_type") or "")
        self.family = DECODER_OF.get(family.removesuffix("_text"), family)

    def size(self, key: str, default: int | None = None, *aliases: str) -> int:
        """A whole number above 0 (or the default)."""
        value = next((self.config[k] for k in (key, *aliases) if self.config.get(k) is not None), default)
        if value is None:
            raise UsageError(f"{self.name}: no {key}, without which a model has no size")
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and value > MOST:
            raise UsageError(f"{self.name}: {key} is larger than {MOST}, which no model's is")
        if isinstance(value, bool) or not isinstance(value, int) or (value <= 0 and value != default):
            raise UsageError(f"{self.name}: {key} is {value!r}, and not a whole number above 0")
        return value

    def flag(self, key: str) -> bool:
        """True when the field is there and set."""
        return bool(self.config.get(key))
