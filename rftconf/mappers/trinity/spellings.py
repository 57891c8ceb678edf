"""One spelling where Trinity-RFT takes two."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rftconf.text.document import Leaf


def usual(live: dict[str, Leaf]) -> dict[str, Leaf]:
    """A single `taskset` as the first of `tasksets`, where it is a section, and trainer_config with its outer section."""
    return {_usual(key): leaf for key, leaf in live.items()}


def _usual(key: str) -> str:
    if "explorer_input.taskset" not in key and "trainer_config." not in key:
        return key
    key = re.sub(r"\bexplorer_input\.taskset\.", "explorer_input.tasksets[0].", key)
    return re.sub(r"\btrainer_config\.(?=(?:actor|ref|rollout|model)\.)", "trainer_config.actor_rollout_ref.", key)
