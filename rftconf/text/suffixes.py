"""The suffix of a file's name tells the form of the text in it."""

from __future__ import annotations

from pathlib import PurePath

SHELL = frozenset({".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch"})
YAML = frozenset({".yaml", ".yml"})
PYTHON = ".py"
JSON = ".json"
TOML = ".toml"
TEXT = ".txt"
"""Overrides are written under it; the content of such a file says what it is."""
OF_NO_CONFIG = frozenset({JSON, TOML, ".jsonl", ".ini", PYTHON, ".csv", ".parquet"})
"""Suffixes of texts that no framework's config is written as."""


def suffix_of(name: str) -> str:
    """Return the suffix of a file's name in small letters."""
    return PurePath(name).suffix.lower()
