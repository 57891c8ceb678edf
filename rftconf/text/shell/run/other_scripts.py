"""Text and files that another shell would read: `bash -c "..."`, `sbatch <<EOF`, `bash train.sh`. They are read, never run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from rftconf.base.record import record
from rftconf.base.symbols import Expr, Text, names_in
from rftconf.text.shell.holes import punched
from rftconf.text.shell.parse.nodes import Simple, Tree
from rftconf.text.shell.parse.parser import Parser
from rftconf.text.shell.run.assignments import assigned_words
from rftconf.text.shell.source import Source
from rftconf.text.shell.state import written_files as files
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.state import Outcome, Shell
from rftconf.text.shell.state.step_budget import MAX_INSIDE
from rftconf.text.shell.values import Known, Word

_OWN_FOLDER = ("dirname", "BASH_SOURCE", "$0", "pwd", "PWD")


@record
class Sees:
    """A new shell's variables: those that it is given, and those that the script exports where it inherits them."""

    variables: Mapping[str, Word]
    inherits: bool


def run_text(
    machine: Machine,
    node: Simple,
    word: Word,
    arguments: list[Word],
    sees: Sees,
    *,
    session: str = "",
    zero: Word | None = None,
) -> Outcome:
    """Read a text as a shell of its own would; `session` names a terminal that keeps what was set in it, `zero` is its `$0`."""
    text = text_source(machine.shell, word)
    if text is None:
        machine.shell.lead(node, f"reads `{word.raw[:60]}`, whose text is not known", names_in(word.value))
        machine.shell.say("SYN121", f"the text of `{word.raw[:60]}` is not known", node.start, node.end)
        return ""
    return _read_in_own_shell(machine, node, text, arguments, sees, session, zero)


def run_script(machine: Machine, node: Simple, path: Word, arguments: list[Word], sees: Sees) -> Outcome:
    """Read a script that is run as a file: one that this script wrote, or one that is given or lies beside."""
    shell = machine.shell
    states = shell.files.get(files.normal(path.value), [])
    written = files.current(states, shell.conditions, files.working_directory(shell)) if states else None
    if isinstance(written, files.Written) and written.text is not None:
        return run_text(machine, node, written.text, arguments, sees, zero=path)
    source = find_given_script(shell, path.value)
    if source is None:
        if not _is_itself(shell, path.value):
            name = path.raw[:60]
            advice = f"read {name} itself, or give it with --source"
            shell.lead(node, f"runs `{name}`, which is not given", names_in(path.value), advice)
        return ""
    return _read_in_own_shell(machine, node, source, arguments, sees, "", path)


def from_input(machine: Machine, node: Simple, sees: Sees) -> Outcome:
    """Read what a shell is given on its standard input, where that is written in the script."""
    shell = machine.shell
    word = files.input_of(shell, machine.expander, node.redirects, shell.piped_in)
    if word is not None:
        return run_text(machine, node, word, [], sees)
    for redirect in node.redirects:
        if redirect.operator == "<" and len(named := machine.expander.words(redirect.target)) == 1:
            return run_script(machine, node, named[0], [], sees)
    return ""


def text_source(shell: Shell, word: Word) -> Source | None:
    """A word as text to read; None where nothing of it is known."""
    written, holes = punched(word.value)
    if word.condition is not None or (holes and len(written) == len(holes)):
        return None
    shell.spend(written)
    return Source(shell.source.name, written, word.origin_at, holes)


def parsed(shell: Shell, text: Source) -> Tree:
    """The commands of a text; what is wrong with it is said once."""
    tree = shell.trees.get(text.text)
    if tree is None:
        shell.spend(text.text)
        tree = shell.trees[text.text] = Parser(text.text).script()
    before, shell.source = shell.source, text
    shell.say_problems(tree)
    shell.source = before
    return tree


def deeper(shell: Shell, node: Simple) -> bool:
    """True where one more text may stand inside the present one; reports it where it may not."""
    if shell.inside >= MAX_INSIDE:
        shell.cut(f"texts stand inside each other more than {MAX_INSIDE} deep", node.start, node.end)
    return shell.inside < MAX_INSIDE


def _read_in_own_shell(
    machine: Machine, node: Simple, text: Source, arguments: list[Word], sees: Sees, session: str, zero: Word | None
) -> Outcome:
    """Read `text` in a shell that starts with what it is given, and leaves nothing behind."""
    shell = machine.shell
    own = {item.name: word for item, word in assigned_words(machine, node.assigns)}
    if not deeper(shell, node):
        return ""
    with shell.subshell():
        bound_names = shell.given | (shell.exported if sees.inherits else frozenset())
        shell.variables = {name: value for name, value in shell.variables.items() if name in bound_names}
        shell.variables |= {**shell.sessions.get(session, {}), **own, **sees.variables}
        shell.exported = bound_names | own.keys() | sees.variables.keys()
        shell.functions, shell.options, shell.piped_in = {}, frozenset(), None
        shell.inside += 1
        tree, before = parsed(shell, text), shell.zero
        shell.zero = zero or before
        outcome = machine.enter(lambda: machine.run(tree.body), arguments, text)
        shell.zero = before
        shell.inside -= 1
        if session:
            shell.sessions[session] = dict(shell.variables)
    return outcome if sees.inherits else ""


def find_given_script(shell: Shell, value: Known) -> Source | None:
    """A script among those given, by its path or by the end of it that is known, else one beside this script."""
    paths = shell.sources
    name = _relative(value)
    if isinstance(value, Text) and isinstance(tail := value.parts[-1], str):
        matches = [path for path in paths if ("/" + path).endswith(tail) or tail.endswith("/" + path)]
        if len(matches) == 1 and "/" in tail:
            return Source(matches[0], paths[matches[0]])
    elif isinstance(value, str):
        if value in paths:
            return Source(value, paths[value])
        plain = value.removeprefix("./")
        matches = [path for path in paths if path.removeprefix("./") == plain or path.endswith("/" + plain)]
        if len(matches) == 1:
            return Source(matches[0], paths[matches[0]])
    if not name or _is_itself(shell, value) or shell.find is None:
        return None
    name_and_text = shell.find(name)
    return None if name_and_text is None else Source(*name_and_text)


def _relative(value: Known) -> str:
    """A path as it stands from the script's own folder; nothing where that cannot be told."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Text) or len(value.parts) != 2 or not isinstance(tail := value.parts[1], str):
        return ""
    root = value.parts[0]
    source = getattr(root, "source", getattr(root, "name", "")) if isinstance(root, Expr) else ""
    return tail.lstrip("/") if tail[:1] == "/" and any(word in source for word in _OWN_FOLDER) else ""


def _is_itself(shell: Shell, value: Known) -> bool:
    last = value.parts[-1] if isinstance(value, Text) else value
    return isinstance(last, str) and PurePosixPath(last).name == PurePosixPath(shell.name).name
