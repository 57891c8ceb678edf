"""Overrides of one command, in order: later ones win, what is given twice or only sometimes is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from rftconf.base.diagnostics import Diagnostic, Label, Severity
from rftconf.base.enumeration import enumerate_words
from rftconf.base.span import Place
from rftconf.base.symbols import Branch, Expr, Value, to_shell
from rftconf.text.document import Leaf, Mode, Unread
from rftconf.text.hydra.grammar import split_holes
from rftconf.text.hydra.nodes import SymbolicStructureError
from rftconf.text.hydra.override_parser import Argument, PlacedArgument, open_leaf, parse_override, shortened
from rftconf.text.hydra.tokens import HOLE, OverrideSyntaxError

_NAMED = 3
"""Keys under one condition that are named."""


@dataclass(slots=True)
class Overrides:
    """Leaves read so far, in order; what is for Hydra itself (`hydra.run.dir`); and what was wrong."""

    leaves: list[Leaf] = field(default_factory=list)
    hydra: dict[str, Value] = field(default_factory=dict)
    conditional: list[tuple[str, Leaf]] = field(default_factory=list)
    """Leaves that are set only under a condition that stayed open, and that condition."""
    unread: list[Unread] = field(default_factory=list)
    """Arguments whose keys are not known."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    parse: Callable[[Argument], Iterator[Leaf]] = parse_override
    """How one argument is read: Hydra's grammar, or another one."""
    _first: dict[str, Leaf] = field(default_factory=dict)
    _sometimes: dict[str, tuple[str, Leaf]] = field(default_factory=dict)

    def add(self, word: Argument) -> None:
        """Read one override; a broken one becomes a diagnostic, and its key stays open."""
        if isinstance(word.value, Branch):
            self._add_branch(word, word.value)
            return
        try:
            leaves = list(self.parse(word))
        except OverrideSyntaxError as error:
            self._report(error.code, Severity.ERROR, error.message, _place_at(word, error.offset), error.help)
            opened = open_leaf(word)
            if opened is None:
                self.unread.append(Unread(word.value, word.place, error.message))
                return
            leaves = [opened]
        except SymbolicStructureError:
            names = shortened(to_shell(word.value))
            message = f"which keys {names} sets is not known here, so nothing of it is read"
            self._leave(word, message, "which keys it sets is not known", "bind the variable with --set NAME=VALUE")
            return
        for leaf in leaves:
            if word.condition is None:
                self._keep(leaf)
            else:
                self._keep_if(word.condition, leaf)

    def finish(self) -> Overrides:
        """Tell of what is there only under a condition that stayed open."""
        self.conditional += self._sometimes.values()
        by_condition: dict[str, list[Leaf]] = {}
        for condition, leaf in self._sometimes.values():
            by_condition.setdefault(condition, []).append(leaf)
        for condition, leaves in by_condition.items():
            keys = enumerate_words([leaf.key for leaf in leaves], _NAMED)
            are, they_are = ("is", "it is") if len(leaves) == 1 else ("are", "they are")
            message = f"{keys} {are} set only if {shortened(condition)}, which is not known here; {they_are} not read"
            help_ = "bind what the condition reads with --set NAME=VALUE"
            self._report("SYN305", Severity.WARNING, message, leaves[0].key_place, help_)
        self._sometimes.clear()
        return self

    def _keep_if(self, condition: str, leaf: Leaf) -> None:
        """A leaf under a condition: with the value that holds otherwise it is one leaf with both."""
        earlier = self._first.get(leaf.key)
        earlier_entry = self._sometimes.get(leaf.key)
        if earlier is not None and Mode.DELETE not in (earlier.mode, leaf.mode):
            merged = replace(leaf, value=Branch(condition, leaf.value, earlier.value))
            self._first[leaf.key] = merged
            self.leaves.append(merged)
        elif earlier_entry is not None and is_opposite(earlier_entry[0], condition):
            del self._sometimes[leaf.key]
            self._keep(replace(leaf, value=Branch(condition, leaf.value, earlier_entry[1].value)))
        else:
            self._sometimes[leaf.key] = (condition, leaf)

    def _add_branch(self, word: Argument, branch: Branch) -> None:
        arms = []
        for arm in (branch.then, branch.otherwise):
            inner = Overrides(parse=self.parse)
            if isinstance(arm, (str, Expr)):
                inner.add(PlacedArgument(arm, word.place, word.via))
            arms.append(inner)
        then, otherwise = arms
        if [leaf.key for leaf in then.leaves] == [leaf.key for leaf in otherwise.leaves] and then.leaves:
            for leaf_then, leaf_else in zip(then.leaves, otherwise.leaves, strict=True):
                value = (
                    leaf_then.value
                    if leaf_then.value == leaf_else.value
                    else Branch(branch.condition, leaf_then.value, leaf_else.value)
                )
                self._keep(Leaf(leaf_then.key, value, word.place, word.place, leaf_then.raw, word.via, leaf_then.mode))
            return
        depends = f"depends on a condition that is not known here: {shortened(branch.condition)}"
        self._leave(word, f"this argument {depends}", depends, "bind what it reads with --set NAME=VALUE")

    def _leave(self, word: Argument, message: str, why: str, help_: str) -> None:
        """Report that an argument is not read, and keep it among the unread ones."""
        self._report("SYN305", Severity.WARNING, message, word.place, help_)
        self.unread.append(Unread(word.value, word.place, f"{why}; {help_}"))

    def _keep(self, leaf: Leaf) -> None:
        if leaf.key.startswith(("hydra.", "hydra/")):
            message = f"{leaf.key} configures Hydra, not the run"
            self._report("SYN306", Severity.INFO, message, leaf.key_place)
            self.hydra[leaf.key] = leaf.value
            return
        earlier = self._first.get(leaf.key)
        if earlier is not None and Mode.DELETE not in (earlier.mode, leaf.mode):
            same = "the same value" if earlier.value == leaf.value else "this one wins"
            message = f"{leaf.key} is given twice; {same}"
            label = Label(earlier.key_place, "given here first")
            self.diagnostics.append(
                Diagnostic("SYN301", Severity.WARNING, message, leaf.key_place, (label,), "delete the earlier one")
            )
        self._first[leaf.key] = leaf
        self.leaves.append(leaf)

    def _report(self, code: str, severity: Severity, message: str, place: Place, help_: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, severity, message, place, help=help_))


def read_overrides(words: Iterable[Argument]) -> Overrides:
    """The leaves of `words`, each one override. Never raises on bad input."""
    overrides = Overrides()
    for word in words:
        overrides.add(word)
    return overrides.finish()


def _place_at(word: Argument, offset: int) -> Place:
    source, _ = split_holes(word.value)
    return word.span_at(offset, min(offset + 1, len(source))) if HOLE not in source else word.place


def is_opposite(condition: str, condition_b: str) -> bool:
    """True where one of two conditions holds exactly when the other does not."""
    from rftconf.text.shell.parse.quoting import negated

    return negated(condition) == condition_b or negated(condition_b) == condition
