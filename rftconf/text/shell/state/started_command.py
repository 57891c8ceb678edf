"""A command of a script that starts a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rftconf.base.span import Place
from rftconf.base.symbols import Value, to_shell
from rftconf.text.launch.programs import Main, launch_of
from rftconf.text.shell.source import Source
from rftconf.text.shell.state.written_file import Written
from rftconf.text.shell.values import Known, Word, known_start


@dataclass(slots=True, eq=False)
class Command:
    """One command that starts a program.

    `argv` are all its words, wrappers included; `program` is the module (`-m x.y`) or file that runs, and `arguments`
    what it is given. `env` is what the script exports to it or sets in front of it. `condition` is shell source when
    the command stands in an arm that nobody can decide.
    """

    argv: tuple[Word, ...]
    program: Known
    program_at: int
    """Index of the program's word in `argv`."""
    wrapper: tuple[str, ...]
    source: Source
    start: int
    end: int
    module: bool = False
    env: dict[str, Value] = field(default_factory=dict)
    condition: str | None = None
    files: Mapping[Known, Written | str] = field(default_factory=dict)
    """What the script wrote to files before, by path; a condition where that decides whether it did."""

    @property
    def place(self) -> Place:
        """The command as written."""
        return self.source.place(self.start, self.end)

    @property
    def arguments(self) -> tuple[Word, ...]:
        """The words behind the program."""
        return self.argv[self.program_at + 1 :]

    @property
    def name(self) -> str:
        """The module or file that runs, as text."""
        return self.program if isinstance(self.program, str) else to_shell(self.program)

    @property
    def launch(self) -> Main | None:
        """Return the framework's program that this command starts, if any."""
        return launch_of(self.name, [known_start(word.value) for word in self.arguments])
