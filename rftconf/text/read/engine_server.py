"""The server of a run's engines that the same script starts beside the trainer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from rftconf.base.symbols import Value
from rftconf.text.document import Leaf
from rftconf.text.launch.programs import is_engine_server
from rftconf.text.read.argparse_options import read_options
from rftconf.text.shell import Command
from rftconf.text.shell.expand.integers import count_in
from rftconf.text.shell.values import known_start


def server_options(commands: Iterable[Command]) -> dict[str, Value] | None:
    """Return the options of the script's server of engines, with underscores; numbers are numbers.

    None where the script starts no server, starts several that differ, or starts one on a condition that nobody decides.
    """
    servers = [(command, _typed(read_options(command.arguments).leaves)) for command in commands if _serves(command)]
    first = servers[0][1] if servers else None
    decided = all(command.condition is None and options == first for command, options in servers)
    return first if decided else None


def _serves(command: Command) -> bool:
    return is_engine_server(command.name, [known_start(word.value) for word in command.arguments])


def _typed(leaves: Iterable[Leaf]) -> dict[str, Value]:
    """Each option with its value, a text that is a number as one."""
    options: dict[str, Value] = {}
    for leaf in leaves:
        number: int | float | None = count_in(leaf.value)
        if number is None and isinstance(leaf.value, str):
            with contextlib.suppress(ValueError):
                number = float(leaf.value)
        options[leaf.key] = leaf.value if number is None else number
    return options
