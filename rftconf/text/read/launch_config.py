"""The config file that a launch names: given, beside the script, or written by the script itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.record import record
from rftconf.base.symbols import Expr, Text, Value, formula, names_in, text
from rftconf.text.document import Leaf
from rftconf.text.files_beside import find_source, text_beside
from rftconf.text.hydra.defaults_list import SHIPPED as OWN_FILE
from rftconf.text.launch.programs import SHIPPED, STOCK_CONFIGS, Style
from rftconf.text.layering import on_top
from rftconf.text.read.command_line import CommandLine
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.shell import Command
from rftconf.text.shell.state.written_file import Written
from rftconf.text.shell.state.written_files import normal, roots
from rftconf.text.shell.values import Known
from rftconf.text.source import Source

_PACKAGE = "verl/trainer/config/"
"""Where veRL's own programs look for a config without a folder."""


@record
class Candidate:
    """A command that starts a framework, or may."""

    command: Command
    program: str
    style: Style
    rl: bool
    framework: str

    @property
    def title(self) -> str:
        """Return the name of this launch in a listing: its line, its program and the condition on which it runs."""
        condition = f" (only if {self.command.condition})" if self.command.condition else ""
        return f"line {self.command.place.span.line}: {self.program}{condition}"


def with_config(
    line: CommandLine, chosen: Candidate, options: ReadOptions
) -> tuple[tuple[Leaf, ...], tuple[Diagnostic, ...]]:
    """The overrides on top of the config file that the command names, where its text is given."""
    name = config_file(line.options, chosen.style)
    written = None if options.base is not None else _written_by_script(line.options, chosen)
    if isinstance(written, Written) and written.text is not None:
        from rftconf.text.read.heredoc_config import read_written

        leaves, diagnostics = read_written(written, options)
        return on_top(leaves, line.leaves), diagnostics
    unknown = unknown_config(line.options, chosen.style) if options.base is None else None
    if unknown is not None:
        return line.leaves, (_names_unknown(line, unknown, chosen),)
    if not name and chosen.style is Style.DOTLIST and options.base is None and line.leaves:
        what = "without --config-file the program takes none of these overrides, and every key has its default"
        return line.leaves, (Diagnostic("SYN507", Severity.WARNING, what, chosen.command.place, help="name the file"),)
    if not name or options.base is not None:
        return line.leaves, ()
    file = text_beside(chosen.command.place.file, name, options.sources) or _sibling(chosen, name, options)
    if isinstance(written, Written) and find_source(name, options.sources) is None:
        message = f"what the script makes of {name} by `{written.why}` is not followed"
        help_ = "give the file with --base FILE"
        return line.leaves, (Diagnostic("SYN507", Severity.ERROR, message, written.place, help=help_),)
    if file is not None:
        from rftconf.text.read.read_yaml import read_yaml_document

        base = read_yaml_document(file, options.rules, options.sources, options.shipped)
        return on_top(base.leaves, line.leaves), base.diagnostics
    if chosen.style is Style.HYDRA and PurePosixPath(name).stem in STOCK_CONFIGS:
        return line.leaves, ()
    own = options.shipped.find(name, chosen.command.place.file) if options.shipped is not None else None
    if own is not None:
        return _on_own_file(line, own, chosen, options)
    message = f"the command also reads {name}, which is not given"
    if isinstance(written, str):
        message = f"the script writes {name}, which the command reads, only if {written[:200]}"
    if shipped(line.options, chosen):
        what = f"{name} is not beside the script: the framework's own file of that name counts"
        return line.leaves, (
            Diagnostic(OWN_FILE, Severity.INFO, what, chosen.command.place, help="--base FILE gives another"),
        )
    return line.leaves, (_not_given(line, message, chosen, "give it with --base FILE"),)


def _not_given(line: CommandLine, message: str, chosen: Candidate, help_: str) -> Diagnostic:
    """The finding for a config that nobody gave; without overrides beside it nothing of the run is known."""
    severity = Severity.WARNING if line.leaves or chosen.style is Style.HYDRA else Severity.ERROR
    return Diagnostic("SYN507", severity, f"{message}: what it sets is not known", chosen.command.place, help=help_)


def _names_unknown(line: CommandLine, unknown: Expr, chosen: Candidate) -> Diagnostic:
    """The finding for a config whose name waits for a variable or an argument of the script."""
    message = f"the command also reads a config that {formula(unknown)[:_MOST_SHOWN]} names"
    numbers = sorted(name for name in names_in(unknown) if name.isdigit())
    names = sorted(names_in(unknown) - set(numbers))[:_MOST_NAMES]
    bound = " ".join(f"--set {name}=..." for name in names)
    ways = (bound, 'give the script its arguments: --args "..."' if numbers else "", "give the config with --base FILE")
    return _not_given(line, message, chosen, ", or ".join(filter(None, ways)))


_MOST_SHOWN, _MOST_NAMES = 200, 3


def _on_own_file(
    line: CommandLine, own: Source, chosen: Candidate, options: ReadOptions
) -> tuple[tuple[Leaf, ...], tuple[Diagnostic, ...]]:
    """The overrides on top of the framework's own file of that name, which is said."""
    from rftconf.text.read.read_yaml import read_yaml_document

    base = read_yaml_document(own, options.rules, options.sources, options.shipped)
    name, whose = PurePosixPath(own.name).name, options.shipped.whose([own.name]) if options.shipped else ""
    message = f"{name} is not beside the script: rftconf uses {whose}"
    notes = tuple(note for note in base.diagnostics if note.severity is not Severity.INFO)
    own_note = Diagnostic(OWN_FILE, Severity.INFO, message, chosen.command.place, help="--base FILE gives another")
    nobodys = tuple(replace(leaf, inherited=True) for leaf in base.leaves)
    return on_top(nobodys, line.leaves), (*notes, own_note)


def shipped(options: Mapping[str, Value], chosen: Candidate) -> str:
    """The file of the framework's own that the command starts from, by the name it has there."""
    name = config_file(options, chosen.style)
    return name if chosen.style is Style.DOTLIST and SHIPPED.fullmatch(name) else ""


def _sibling(chosen: Candidate, name: str, options: ReadOptions) -> Source | None:
    """A script in the folder of its own config: what the folder is called from where it is started does not matter."""
    if chosen.style is Style.HYDRA:
        return None
    return text_beside(chosen.command.place.file, PurePosixPath(name).name, options.sources)


def config_file(options: Mapping[str, Value], style: Style) -> str:
    """The path of the config that the options name, as far as it is known."""
    folder, name = _folder_and_name(options, style)
    if not isinstance(name, str) or not name:
        return ""
    file = name if PurePosixPath(name).suffix in (".yaml", ".yml") else f"{name}.yaml"
    return str(PurePosixPath(folder if isinstance(folder, str) else _tail(folder).strip("/")) / file)


def config_named(options: Mapping[str, Value], style: Style) -> str:
    """The config that the options name, in the way a person reads it: its path, or what its name depends on."""
    unknown = unknown_config(options, style)
    return config_file(options, style) if unknown is None else formula(unknown)


def unknown_config(options: Mapping[str, Value], style: Style) -> Expr | None:
    """The name of a config that depends on what nobody knows here."""
    name = _folder_and_name(options, style)[1]
    return name if isinstance(name, Expr) else None


def _folder_and_name(options: Mapping[str, Value], style: Style) -> tuple[Value, Value]:
    if style is Style.HYDRA:
        folder, name = options.get("config-path", ""), options.get("config-name", "")
        return (folder, name) if name else ("", options.get("config-file", ""))
    name = options.get("config_name") or options.get("config") or options.get("config-file") or options.get("c", "")
    return options.get("config_path", ""), name


def _written_by_script(options: Mapping[str, Value], chosen: Candidate) -> Written | str | None:
    """Return the file named in the options as the script wrote it; a text is the condition on which that depends."""
    files = chosen.command.files
    for path in _paths(options, chosen) if files else ():
        text_of_file = files.get(normal(path))
        if text_of_file is None and isinstance(path, str) and path.startswith(_PACKAGE):
            text_of_file = next((state for name, state in files.items() if _tail(name).endswith(f"/{path}")), None)
        if isinstance(text_of_file, str) or (text_of_file is not None and _same_unknowns(text_of_file, chosen.command)):
            return text_of_file
    return None


def _tail(path: Value) -> str:
    """The known end of a path that begins with something unknown."""
    last = path.parts[-1] if isinstance(path, Text) else path
    return last if isinstance(last, str) else ""


def _same_unknowns(written: Written, command: Command) -> bool:
    """True where path and command take their unknowns from the same assignments: `$(mktemp)` twice is two files."""
    passed = {id(word) for argument in command.argv for word in roots(argument)}
    return all(id(word) in passed for word in roots(written.path))


def _paths(options: Mapping[str, Value], chosen: Candidate) -> list[Known]:
    """The paths under which the program looks for its config, as far as they are known."""
    if chosen.style is not Style.HYDRA and "config_name" not in options:
        name = options.get("config") or options.get("config-file") or options.get("c")
        return [name] if isinstance(name, (str, Expr)) else []
    hydra = chosen.style is Style.HYDRA
    name = options.get("config-name" if hydra else "config_name")
    if not isinstance(name, (str, Expr)) or not name:
        return []
    file = name if _tail(name).endswith((".yaml", ".yml")) else text(name, ".yaml")
    folders: list[Value] = [options.get(key) for key in ("config-path", "config-dir", "config_path")]
    named = [text(folder, "/", file) for folder in folders if isinstance(folder, (str, Expr)) and folder]
    if hydra:
        return named or ([f"{_PACKAGE}{file}"] if isinstance(file, str) else [])
    # ROLL's folder counts from the program's own
    above = chosen.program.rpartition("/")[0]
    return [*(text(above, "/", path) for path in named if above), *named]
