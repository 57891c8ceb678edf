"""The Python interface: `rftconf.read` and what it gives."""

from rftconf.api.config import Config, read
from rftconf.api.results import ConfigDiff, ConvertedConfig, Findings, MemoryBudget

__all__ = ["Config", "ConfigDiff", "ConvertedConfig", "Findings", "MemoryBudget", "read"]
