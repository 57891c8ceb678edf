"""A command starts a program that matters where its name or one of its arguments names one."""

from __future__ import annotations

import re

from rftconf.base.symbols import Expr, Text, Value
from rftconf.text.shell.parse.nodes import Simple
from rftconf.text.shell.parse.quoting import conjunction
from rftconf.text.shell.run.assignments import assigned_words
from rftconf.text.shell.state import written_files as files
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.started_command import Command
from rftconf.text.shell.values import Known, Word
from rftconf.text.shell.wrapper_programs import rows_of

_PYTHON = re.compile(r"(?:.*/)?(?:python[\d.]*|pypy[\d.]*|\w+_python)").fullmatch
_STARTERS = frozenset({"torchrun", "deepspeed", "accelerate", "mpirun", "mpiexec"})
_SCRIPTS = {"trinity": ("run",), "trl": ("grpo", "vllm-serve")}
"""Console scripts that start a framework by themselves, or its engines, and the words behind them that do."""
_VALUED = frozenset({"-X", "-W", "--check-hash-based-pycs"})
_STARTER_MODULES = frozenset({"torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch"})
_VERBS = frozenset({"job", "submit", "run", "launch", "exec"})
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=").match
MAX_LAUNCHES = 2000


def consider(machine: Machine, node: Simple, words: list[Word]) -> None:
    """Record the command when it starts a program."""
    shell = machine.shell
    first = words[0]
    name = first.value if isinstance(first.value, str) else ""
    known = name.rpartition("/")[2]
    symbolic = isinstance(first.value, Expr) and (
        any(w.value == "-m" for w in words[1:4]) or (len(words) > 1 and _is_file(words[1].value))
    )
    if not symbolic and not rows_of(known) and not is_program(known):
        return
    start = program(words)
    if start is None or len(shell.commands) >= MAX_LAUNCHES:
        return
    index, module, wrapper, inline = start
    env: dict[str, Value] = {}
    for variable in sorted(shell.exported - shell.given):
        value = shell.variables.get(variable)
        if isinstance(value, Word):
            env[variable] = value.value
    for item, word in assigned_words(machine, node.assigns):
        env[item.name] = word.value
    env.update(inline)
    condition = conjunction(shell.conditions) or None
    if words[index].condition is not None:
        condition = conjunction([*shell.conditions, str(words[index].condition)])
    written = files.at_launch(shell) if shell.files else {}
    command = Command(
        argv=tuple(words),
        program=words[index].value,
        program_at=index,
        wrapper=wrapper,
        source=shell.source,
        start=node.start,
        end=node.end,
        module=module,
        env=env,
        condition=condition,
        files=written,
    )
    shell.commands.append(command)
    shell.launched |= command.launch is not None


def is_program(name: str) -> bool:
    """True for the name of a Python, of a starter of Python programs, and of a framework's own program."""
    return name in _STARTERS or name in _SCRIPTS or _PYTHON(name) is not None


def program(words: list[Word]) -> tuple[int, bool, tuple[str, ...], dict[str, Value]] | None:
    """Index of the program's word, whether it is a module, the wrappers before it, and `env`'s assignments."""
    guard = words[0].condition
    index, size = 0, len(words)
    wrapper: list[str] = []
    env: dict[str, Value] = {}
    starter = False
    while index < size:
        value = words[index].value
        if words[index].condition not in (None, guard):
            index += 1
            continue
        text = value if isinstance(value, str) else ""
        base = text.rpartition("/")[2]
        if base in _SCRIPTS and index + 1 < size and words[index + 1].value in _SCRIPTS[base]:
            return index, False, tuple(wrapper), env
        if _PYTHON(base) or (index == 0 and not text):
            start = _python(words, index + 1, guard)
            if start is None:
                return None
            if start[1] and words[start[0]].value in _STARTER_MODULES:
                wrapper += [base, str(words[start[0]].value)]
                index, starter = start[0] + 1, True
                continue
            return start[0], start[1], tuple(wrapper), env
        if base in _STARTERS and not starter:
            starter = True
        elif (starter or "uv" in wrapper) and (text in ("-m", "--module") and index + 1 < size):
            return index + 1, True, tuple(wrapper), env
        elif (starter or "uv" in wrapper) and _is_file(value):
            return index, False, tuple(wrapper), env
        elif wrapper[-1:] == ["env"] and (named := _ASSIGNMENT(text)) is not None:
            env[named[1]] = text[named.end() :]
            index += 1
            continue
        if text and text[0] != "-" and (rows_of(base) or base in _STARTERS or text in _VERBS):
            wrapper.append(base)
        index += 1
    return None


def _is_file(value: Known) -> bool:
    if isinstance(value, str):
        return value.endswith(".py")
    return isinstance(value, Text) and isinstance(tail := value.parts[-1], str) and tail.endswith(".py")


def _python(words: list[Word], index: int, guard: str | None) -> tuple[int, bool] | None:
    """The program among python's own arguments."""
    while index < len(words):
        word = words[index]
        value = word.value
        if word.condition is not None and word.condition != guard:
            index += 1
        elif value == "-m":
            return (index + 1, True) if index + 1 < len(words) else None
        elif isinstance(value, str) and value.startswith("-m") and not value.startswith("--"):
            return index, True
        elif value in ("-", "-c") or (isinstance(value, str) and value.startswith("-c")):
            return None
        elif value in _VALUED:
            index += 2
        elif isinstance(value, str) and value.startswith("-"):
            index += 1
        else:
            return index, False
    return None
