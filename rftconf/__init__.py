"""rftconf reads the config of an RL post-training run, checks it, prices it, and writes it for another framework.

>>> import rftconf
>>> run = rftconf.read("golden/convert/readme/input.sh", rows=7473)
>>> run.framework, run.plan.stages[0].batch.responses_per_prompt
('verl', 8)
"""

from rftconf._version import __version__

# Not typing's: `python -m rftconf` imports this module before the working directory is out of the path.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from rftconf.api import Config, ConfigDiff, ConvertedConfig, Findings, MemoryBudget, read
    from rftconf.base.errors import RefusedError, RftconfError, UnreadableError, UsageError

_ERRORS = ("RefusedError", "RftconfError", "UnreadableError", "UsageError")
_INTERFACE = ("Config", "ConfigDiff", "ConvertedConfig", "Findings", "MemoryBudget", "read")

__all__ = [
    "Config",
    "ConfigDiff",
    "ConvertedConfig",
    "Findings",
    "MemoryBudget",
    "RefusedError",
    "RftconfError",
    "UnreadableError",
    "UsageError",
    "__version__",
    "read",
]


def __getattr__(name: str) -> object:
    """Import a part of the interface when it is first asked for: the command line starts without it."""
    if name in _INTERFACE:
        from rftconf import api as module
    elif name in _ERRORS:
        from rftconf.base import errors as module  # type: ignore[no-redef]
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(module, name)


def __dir__() -> list[str]:
    """List the stable names."""
    return sorted(__all__)
