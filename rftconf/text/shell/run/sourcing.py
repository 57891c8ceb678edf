"""Text that becomes part of the script itself: `source file`, `eval "..."`. Only what is given and known is read."""

from __future__ import annotations

from rftconf.base.symbols import names_in
from rftconf.text.shell.parse.nodes import Simple
from rftconf.text.shell.run import other_scripts as scripts
from rftconf.text.shell.run.starting import sentence
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.state import Outcome
from rftconf.text.shell.values import Word


def source(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`source file arguments`."""
    shell = machine.shell
    if len(words) < 2:
        return False
    source = scripts.find_given_script(shell, words[1].value)
    if source is None:
        name = words[1].raw[:60]
        shell.lead(
            node, f"sources `{name}`, which is not given", names_in(words[1].value), f"give {name} with --source"
        )
        shell.say("SYN120", f"`{words[1].raw}` is not given, what it sets is unknown", node.start, node.end)
        return ""
    if not scripts.deeper(shell, node):
        return ""
    shell.inside += 1
    tree = scripts.parsed(shell, source)
    outcome = machine.enter(lambda: machine.run(tree.body), words[2:] or None, source)
    shell.inside -= 1
    return outcome


def eval_(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`eval text`. Not entered like a function: `return` and `local` in it belong to whoever evaluates it."""
    shell = machine.shell
    if len(words) < 2:
        return True
    whole = sentence(machine, words[1:])
    text = None if any(w.condition is not None for w in words[1:]) else scripts.text_source(shell, whole)
    if text is None:
        shell.lead(node, "reads a text that is not known with `eval`", names_in(whole.value))
        shell.say("SYN121", "the text that `eval` reads is not known", node.start, node.end)
        return ""
    if not scripts.deeper(shell, node):
        return ""
    shell.step()
    shell.inside += 1
    tree = scripts.parsed(shell, text)
    before, shell.source = shell.source, text
    outcome = machine.run(tree.body)
    shell.source = before
    shell.inside -= 1
    return outcome
