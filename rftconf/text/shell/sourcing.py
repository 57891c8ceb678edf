"""Text that becomes script: `source file`, `eval "..."`, `bash -c "..."`. Only what is given and known is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.plan.symbols import Text
from rftconf.text.shell.nodes import Simple
from rftconf.text.shell.parser import Parser
from rftconf.text.shell.source import Source
from rftconf.text.shell.state import Outcome, Shell
from rftconf.text.shell.values import Known, Word

if TYPE_CHECKING:
    from rftconf.text.shell.evaluate import Evaluator


def source(machine: Evaluator, node: Simple, words: list[Word]) -> Outcome:
    """`source file arguments`."""
    shell = machine.shell
    if len(words) < 2:
        return False
    found = _given(shell, words[1].value)
    if found is None:
        shell.say("SYN120", f"`{words[1].raw}` is not given, what it sets is unknown", node.start, node.end)
        return ""
    return _read(machine, found, words[2:] or None)


def _given(shell: Shell, value: Known) -> Source | None:
    """The sourced file among those given: by its path, or by the end of it that is known."""
    paths = shell.sources
    if isinstance(value, Text) and isinstance(tail := value.parts[-1], str):
        matches = [path for path in paths if ("/" + path).endswith(tail) or tail.endswith("/" + path)]
        return Source(matches[0], paths[matches[0]]) if len(matches) == 1 and "/" in tail else None
    if not isinstance(value, str):
        return None
    if value in paths:
        return Source(value, paths[value])
    plain = value.removeprefix("./")
    matches = [path for path in paths if path.removeprefix("./") == plain or path.endswith("/" + plain)]
    return Source(matches[0], paths[matches[0]]) if len(matches) == 1 else None


def _read(machine: Evaluator, text: Source, arguments: list[Word] | None) -> Outcome:
    shell = machine.shell
    tree = Parser(text.text).script()
    before, shell.source = shell.source, text
    for problem in tree.problems:
        shell.say(problem.code, problem.message, problem.start, problem.end, problem.help)
    shell.source = before
    return machine.enter(lambda: machine.run(tree.body), arguments, text)


def _inline(machine: Evaluator, value: str, word: Word, arguments: list[Word] | None) -> Outcome:
    machine.shell.spend(value)
    return _read(machine, Source(machine.shell.source.name, value, word.place), arguments)


def eval_(machine: Evaluator, node: Simple, words: list[Word]) -> Outcome:
    """`eval text`."""
    shell = machine.shell
    values = [w.value for w in words[1:] if isinstance(w.value, str) and w.condition is None and not w.splits]
    if len(values) != len(words) - 1:
        shell.say("SYN121", "the text that `eval` reads is not known", node.start, node.end)
        return ""
    if not values:
        return True
    # Not entered like a function: `return` and `local` in it belong to whoever evaluates it.
    text = Source(shell.source.name, " ".join(values), words[1].place)
    shell.spend(text.text)
    shell.step()
    shell.calls += 1
    if shell.calls > 20:
        shell.calls -= 1
        return ""
    tree = Parser(text.text).script()
    before, shell.source = shell.source, text
    for problem in tree.problems:
        shell.say(problem.code, problem.message, problem.start, problem.end, problem.help)
    outcome = machine.run(tree.body)
    shell.source = before
    shell.calls -= 1
    return outcome


def bash(machine: Evaluator, node: Simple, words: list[Word]) -> Outcome:
    """`bash -c text name arguments`; a script run by `bash file` is not followed."""
    shell = machine.shell
    at = 1
    while at < len(words) and isinstance(flag := words[at].value, str) and flag[:1] == "-":
        at += 1
        if "c" in flag and not flag.startswith("--"):
            break
    else:
        return ""
    if at >= len(words):
        return ""
    text = words[at].value
    if not isinstance(text, str):
        shell.say("SYN121", "the text that `bash -c` reads is not known", node.start, node.end)
        return ""
    with shell.subshell():
        # A new shell sees only what is exported.
        keep = shell.exported | shell.given
        shell.variables = {k: v for k, v in shell.variables.items() if k in keep}
        shell.functions, shell.options = {}, frozenset()
        return _inline(machine, text, words[at], words[at + 2 :])
