"""The functions that a framework's loader has for interpolations beside OmegaConf's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from rftconf.schemas import registry
from rftconf.text.omegaconf.functions import Function, functions_of


@cache
def functions_for(framework: str) -> Mapping[str, Function]:
    """Return the functions of a framework by their names."""
    return functions_of(registry.framework(framework).resolvers)
