"""This module tells the options of one mapping apart: one that the target lacks says nothing about its neighbours."""

from __future__ import annotations

from rftconf.mappers.outcomes import Outcome
from rftconf.mappers.writing import Writing


def outcome_for(key: str, path: str, writing: Writing) -> Outcome:
    """Return what became of the plan value at `path`; of one entry of it, where `key` stands for that entry."""
    entries = writing.entries.get(path, {})
    return entries.get(_entry_of(key, path, writing), writing.outcomes[path])


def _entry_of(key: str, path: str, writing: Writing) -> str:
    """Return the entry that a key stands for: by its place where every entry has a key, else by its last name."""
    origin, value = writing.origins.get(path), writing.values.get(path)
    keys = () if origin is None else origin.keys
    if isinstance(value, dict) and key in keys and len(keys) == len(value):
        return str(list(value)[keys.index(key)])
    return key.rpartition(".")[2]
