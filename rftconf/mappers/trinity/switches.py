"""Blocks of Trinity that one key switches on: while it is off, nothing below acts."""

from __future__ import annotations

from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext
from rftconf.mappers.shapes import only_read

SWITCHES = {
    "explorer.over_rollout": "ratio",
    "explorer.dynamic_timeout": "enable",
    "buffer.trainer_input.experience_buffer.replay_buffer": "enable",
    "model.tinker": "enable",
    "model.external_model": "enable",
    "service.data_juicer": "auto_start",
}
"""Block to the key that switches it on; `auto_start` switches only the port, a running service needs the address."""
ONLY = {"service.data_juicer": ("port",)}


def _read(r: ReadContext) -> None:
    """Say of each key below a block that is off that it does nothing."""
    for block, switch in SWITCHES.items():
        value = r.native(f"{block}.{switch}")
        if isinstance(value, Expr) or value:
            continue
        for key, _ in r.source.leaves():
            name = key.removeprefix(f"{block}.")
            if name not in (key, switch) and (block not in ONLY or name in ONLY[block]):
                r.inactive[key] = f"no effect while {block}.{switch} is {'0' if switch == 'ratio' else 'false'}"


SWITCHED_OFF = only_read(_read, why="explorer, buffer, ModelConfigValidator: each block is read behind its switch")
