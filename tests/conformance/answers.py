"""A conversion asks what its source does not tell; these are a person's answers on the command line.

A base file that is not beside its script leaves its keys unknown, and a script that its owner fills in leaves the cluster
unknown: the conversion asks for each by an option, which is answered here and asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rftconf.base.symbols import MISSING
from rftconf.schemas.versions import defaults

ASKED = re.compile(r"(--set|--assume) ([\w.\[\]]+)=")
"""An option that a question names as its answer."""
PLACED = re.compile(r"\(([\w.\[\]]+)")
"""The first key in which a variable stands, as its question names it."""
TOLD = {"trainer.nnodes": "1", "trainer.n_gpus_per_node": "8", "steps_per_episode": "1", "prompt_length": "512"}
"""Answers that no catalogue has: the cluster, the steps of an agent's episode, the first observation."""
ARGUMENTS = "8 /tmp/there"
"""Arguments for a script that wants some by their place: veRL's examples take processes, then a folder."""
SPLIT_ASKED, SPLIT = "pass --rollout-gpus N", ["--rollout-gpus", "4"]
"""A choice of a question, and the answer where the cluster is not known, and so no split of it between engines and trainer."""
VARIABLES = (
    (re.compile(r"node|(?:^|_)(?:tp|pp|cp|ep|etp|dp|sp)(?:$|_)", re.IGNORECASE), "1"),
    (re.compile(r"gpu|step|num|size|epoch|(?:^|_)n(?:$|_)", re.IGNORECASE), "8"),
    (re.compile(r"dir|path|root|file|home", re.IGNORECASE), "/tmp/there"),
)
"""Patterns of a variable's name, and the value that a script's owner would have set; a variable of another name is a word."""


def answers(ledger: Path) -> list[str]:
    """Options that answer what the conversion of this ledger asks for; a key without an own value has its default."""
    account = json.loads(ledger.read_text())
    usual, usual_there = (
        defaults(side["framework"], side["release"]) for side in (account["source"], account["target"])
    )
    choices = _choices(account["decisions"])
    options = ["--args", ARGUMENTS] if '--args "..."' in choices else []
    options += SPLIT if SPLIT_ASKED in choices else []
    for option, name, key in dict.fromkeys(_asked(account["decisions"])):
        known = usual.get(name) if "." in name or name in usual else of_variable(name, usual_there.get(key))
        value = TOLD.get(name, known)
        if value is not None and value != MISSING:
            options += [option, f"{name}={value}"]
    return options


def of_variable(name: str, default: object = None) -> str:
    """Return a value for a variable that a script's owner sets elsewhere; `default` is that of the key where it stands."""
    number = str(default) if _counts(default) else "run"
    return next((value for word, value in VARIABLES if word.search(name)), number)


def asks_for_numbers(ledger: Path) -> bool:
    """True where the run is left a variable that counts, whose name no judge reads as a number, or the split of its GPUs.

    GPUs are counted by the conversion alone: it refuses a split that the trainer's groups do not divide.
    """
    account = json.loads(ledger.read_text())
    if SPLIT_ASKED in _choices(account["decisions"]):
        return True
    usual_there = defaults(account["target"]["framework"], account["target"]["release"])
    names = ((name, key) for option, name, key in _asked(account["decisions"]) if option == "--set")
    return any(of_variable(name, usual_there.get(key)).isdigit() for name, key in names if "." not in name)


def _choices(decisions: Iterable[dict[str, Any]]) -> list[str]:
    return [choice for decision in decisions for choice in decision["choices"]]


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _asked(decisions: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Each option that a question names, what it sets, and the first key that hangs on it."""
    for decision in decisions:
        place = PLACED.search(decision["why"])
        for choice in decision["choices"]:
            for option, name in ASKED.findall(choice):
                yield option, name, place[1] if place else ""
