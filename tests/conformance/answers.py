"""A conversion asks what its source does not tell; these are a person's answers on the command line.

A base file that is not beside its script leaves its keys unknown, and a script that its owner fills in leaves the cluster
unknown: the conversion asks for each by an option, which is answered here and asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rftconf.base.symbols import MISSING
from rftconf.schemas.versions import defaults

ASKED = re.compile(r"(--set|--assume) ([\w.\[\]]+)=")
"""An option that a question names as its answer."""
TOLD = {"trainer.nnodes": "1", "trainer.n_gpus_per_node": "8", "steps_per_episode": "1", "prompt_length": "512"}
"""Answers that no catalogue has: the cluster, the steps of an agent's episode, the first observation."""
ARGUMENTS = "8 /tmp/there"
"""Arguments for a script that wants some by their place: veRL's examples take processes, then a folder."""
VARIABLES = (
    (re.compile(r"node", re.IGNORECASE), "1"),
    (re.compile(r"gpu|step|num|size|epoch|(?:^|_)n(?:$|_)", re.IGNORECASE), "8"),
    (re.compile(r"dir|path|root|file|home", re.IGNORECASE), "/tmp/there"),
)
"""Patterns of a variable's name, and the value that a script's owner would have set; a variable of another name is a word."""


def answers(ledger: Path) -> list[str]:
    """Options that answer what the conversion of this ledger asks for; a key without an own value has its default."""
    account = json.loads(ledger.read_text())
    source = account["source"]
    usual = defaults(source["framework"], source["release"])
    wants_some = any(choice == '--args "..."' for decision in account["decisions"] for choice in decision["choices"])
    options = ["--args", ARGUMENTS] if wants_some else []
    for option, name in dict.fromkeys(_asked(account["decisions"])):
        value = TOLD.get(name, usual.get(name) if "." in name or name in usual else of_variable(name))
        if value is not None and value != MISSING:
            options += [option, f"{name}={value}"]
    return options


def of_variable(name: str) -> str:
    """An answer for a variable of a script that its owner sets elsewhere."""
    return next((value for word, value in VARIABLES if word.search(name)), "run")


def asks_for_numbers(ledger: Path) -> bool:
    """True where a variable that counts is left to the run: a judge that has its name in its place reads no number."""
    names = (name for option, name in _asked(json.loads(ledger.read_text())["decisions"]) if option == "--set")
    return any(word.search(name) for name in names if "." not in name for word, value in VARIABLES if value.isdigit())


def _asked(decisions: Iterable[dict[str, list[str]]]) -> Iterator[tuple[str, str]]:
    for decision in decisions:
        for choice in decision["choices"]:
            yield from ASKED.findall(choice)
