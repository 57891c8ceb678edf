"""Leaves for a run's processes that `accelerate launch` is given: options before the program, and a config file."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.base.symbols import Expr, Text, Value, text
from rftconf.text.document import Leaf
from rftconf.text.files_beside import text_beside
from rftconf.text.launch.accelerate import FILES, OPTIONS, SECTIONS
from rftconf.text.layering import on_top
from rftconf.text.read.argparse_options import read_options
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.shell import Command
from rftconf.text.shell.expand.integers import count_in
from rftconf.text.shell.state.missing_arguments import argument


def with_launcher(leaves: tuple[Leaf, ...], command: Command, options: ReadOptions) -> tuple[Leaf, ...]:
    """The leaves on top of what the launcher's options and its config file say.

    The program's own command line wins: TRL's command passes what it does not know on to the launcher.
    """
    start_options: tuple[Leaf, ...] = ()
    if "accelerate" in command.wrapper or any(
        word.value == "accelerate" for word in command.argv[: command.program_at]
    ):
        words = [word for word in command.argv[: command.program_at] if word.value not in ("-m", "--module")]
        start_options = tuple(leaf for leaf in read_options(words).leaves if leaf.key in OPTIONS)
    whole = on_top(start_options, leaves)
    named = [leaf.value for leaf in whole if leaf.key in FILES]
    name = named[-1] if named else None
    file = None if not isinstance(name, str) else text_beside(command.place.file, name, options.sources)
    if file is None:
        return whole
    from rftconf.text.read.read_yaml import read_yaml_document

    return on_top(tuple(_known(read_yaml_document(file).leaves)), whole)


def _known(leaves: tuple[Leaf, ...]) -> Iterator[Leaf]:
    """The entries that decide where processes are, without the section they stand in."""
    for leaf in leaves:
        section, _, name = leaf.key.rpartition(".")
        if name in OPTIONS and section in ("", *SECTIONS) and not isinstance(leaf.value, Expr):
            yield Leaf(name, leaf.value, leaf.place, leaf.key_place, leaf.raw, leaf.via)


def starter_options(command: Command) -> dict[str, Value]:
    """Options with a value that stand before the program; one that is an argument nobody gave waits for it."""
    before = command.argv[: command.program_at]
    words = [word.value for word in before]
    options: dict[str, Value] = {}
    for index, word in enumerate(words):
        name, value = _option(word)
        if name and value is None and index + 1 < len(words) and not _option(words[index + 1])[0]:
            value = words[index + 1]
        lacking = before[index].lacking() if value == "" else []
        if lacking:
            value = argument(lacking[0].lacks)
        if name and value is not None:
            number = count_in(value)
            options[name] = value if number is None else number
    return options


def _option(word: Value) -> tuple[str, Value]:
    """`--a-b=c` as (`a_b`, c); the value is None where it stands in the next word."""
    if isinstance(word, str) and word.startswith("--"):
        name, equal, value = word[2:].partition("=")
        return name.replace("-", "_"), value if equal else None
    first = word.parts[0] if isinstance(word, Text) else None
    if isinstance(first, str) and first.startswith("--") and "=" in first and isinstance(word, Text):
        name, _, value = first[2:].partition("=")
        return name.replace("-", "_"), text(*((value,) if value else ()), *word.parts[1:])
    return "", None
