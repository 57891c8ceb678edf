"""Config files of the launcher that TRL ships and a config names: their values, below what is written."""

from __future__ import annotations

from dataclasses import replace

from rftconf.text.document import Leaf
from rftconf.text.launch.accelerate import FILES, SHIPPED


def with_shipped_file(leaves: dict[str, Leaf]) -> dict[str, Leaf]:
    """The written leaves, with those of TRL's own config file where one is named and nothing else says them."""
    files = (leaf for key, leaf in leaves.items() if key in FILES)
    named = next((leaf for leaf in files if isinstance(leaf.value, str) and leaf.value in SHIPPED), None)
    if named is None:
        return leaves
    below = {name: replace(named, key=name, value=value) for name, value in SHIPPED[str(named.value)].items()}
    return {**below, **leaves}
