"""Statements of a Python text are followed in their order; nothing of the text is run. What nothing decides stays open."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rftconf.base.symbols import Expr, Var
from rftconf.text.launch.trainers import WORDS
from rftconf.text.python.assign import assign, augment
from rftconf.text.python.conditions import truth
from rftconf.text.python.evaluate import evaluate
from rftconf.text.python.forms import FORMS
from rftconf.text.python.positions import Positions
from rftconf.text.python.state import State
from rftconf.text.python.values import Class, Datum, Function, Imported, Instance, Known, Opaque, Ref, literal, same

MAX_CALLS = 12
"""Functions of the text that have called each other."""
_ATTEMPTS = (ast.Try, getattr(ast, "TryStar", ast.Try))
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(slots=True)
class Return:
    """The ways in which a function of the text ends."""

    values: list[Datum]


class Follower:
    """One text being followed: its state, the trainers and configs that it makes, and what is given by hand."""

    def __init__(self, positions: Positions, bindings: Mapping[str, str], environment: Mapping[str, str]) -> None:
        self.positions, self.bindings = positions, bindings
        self.state = State()
        self.forms = FORMS
        self.variables = {**environment, **bindings}
        self.asked: set[str] = set()
        """Variables of the environment that the text asks for and nobody gave."""
        self.arguments: tuple[str | Expr, ...] = ()
        self.made: list[Ref] = []
        """Trainers and configs in the order in which they are made."""
        self.rows: list[tuple[str, ast.Call]] = []
        """Calls that change the rows of a data set."""
        self.returns: list[Return] = []
        self.followed: set[ast.AST] = set()

    def follow(self, tree: ast.Module) -> None:
        """Follow a module, then its functions that nothing in it calls, with parameters that nobody knows."""
        start = self.positions.point(1, 1)
        self.state.bind("__name__", Datum("__main__", start))
        self.block(tree.body)
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                self._methods(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and self._is_awaited(node):
                self.body_of(Function(node, 1), self._parameters(node))

    def _is_awaited(self, node: ast.AST) -> bool:
        """True for a function that nothing calls and that makes a trainer, or a config while no trainer is made."""
        if node in self.followed or any(self.state.objects[ref.number].kind == "trainer" for ref in self.made):
            return False
        return any(isinstance(part, (ast.Name, ast.Attribute)) and _named(part) in WORDS for part in ast.walk(node))

    def _methods(self, node: ast.ClassDef) -> None:
        """Follow the methods of a class that makes a trainer, all on one object of it."""
        if not self._is_awaited(node):
            return
        own = Datum(self.state.make("object", self.positions.place(node)), self.positions.place(node))
        methods = [part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
        for method in methods:
            parameters = self._parameters(method)
            if method.args.args and method.args.args[0].arg == "self":
                parameters["self"] = own
            self.body_of(Function(method, 1), parameters)

    def _parameters(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, Datum]:
        every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        return {part.arg: Datum(self.symbol(part.arg), self.positions.place(part)) for part in every}

    def symbol(self, name: str) -> Known:
        """Return what a person gives under a name, else the name."""
        return literal(self.bindings[name]) if name in self.bindings else Var(name)

    def given_value(self, name: str) -> Known:
        """Return a value that is given by hand, as the text would have it: a number where it is one."""
        return literal(self.bindings[name])

    def environment(self, key: Known, default: Datum | None = None) -> Datum | Known:
        """Return a variable of the environment: as it is given, else its default, else its name."""
        if not isinstance(key, str) or not key.isidentifier():
            return Opaque("which variable of the environment this is, is not known here")
        if key in self.variables:
            return self.variables[key]
        if default is not None and default.value is not None:
            return default
        self.asked.add(key)
        return Var(key)

    def fields_of(self, value: Known) -> dict[str, Datum] | None:
        """Return what an object, or a class, has by name."""
        if isinstance(value, Class):
            return value.fields
        instance = self.state.instance(value)
        return None if instance is None or instance.kind in ("dict", "list", "data") else instance.fields

    def spread(self, instance: Instance, datum: Datum, fields: dict[str, Datum]) -> None:
        """Add what `**` brings to the fields of an object; what it may bring besides is noted."""
        inner = self.state.instance(datum.value)
        if inner is None or inner.kind not in ("dict", "arguments", "object"):
            instance.unread = (*instance.unread, datum.place)
            return
        fields |= inner.fields
        instance.unread = (*instance.unread, *inner.unread)

    def body_of(self, function: Function, parameters: dict[str, Datum]) -> Datum:
        """Follow a function of the text and return what it returns."""
        place = self.positions.place(function.node)
        if len(self.returns) >= MAX_CALLS or (function.node in self.followed and _calls_itself(function.node)):
            return Datum(Opaque("functions call each other deeper than is followed"), place)
        self.followed.add(function.node)
        before = self.state.frames
        self.state.frames = [*before[: function.depth], parameters]
        self.returns.append(Return([]))
        self.block(function.node.body)
        values = self.returns.pop().values
        self.state.frames = [*self.state.frames[: function.depth], *before[function.depth :]]
        if not values:
            return Datum(None, place)
        alike = all(same(value, values[0]) for value in values)
        return values[0] if alike else Datum(Opaque("a function returns one of several values"), place)

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Follow statements; True where they end the block around them: a return, a raise, an exit."""
        return any(self.statement(node) for node in body)

    def statement(self, node: ast.stmt) -> bool:
        """Follow one statement; True where nothing behind it in its block is reached."""
        self.state.spend()
        match node:
            case ast.Expr(value):
                datum = evaluate(self, value)
                return isinstance(datum.value, Opaque) and datum.value.why == "exit"
            case ast.Assign(targets, value):
                datum = evaluate(self, value)
                for target in targets:
                    assign(self, target, datum)
            case ast.AnnAssign(target, _, value) if value is not None:
                assign(self, target, evaluate(self, value))
            case ast.AugAssign(target, operator, value):
                augment(self, target, operator, evaluate(self, value))
            case ast.Return(value):
                datum = evaluate(self, value) if value is not None else Datum(None, self.positions.place(node))
                if self.returns:
                    self.returns[-1].values.append(datum)
                return True
            case ast.Raise() | ast.Break() | ast.Continue():
                return True
            case ast.Delete(targets):
                for target in targets:
                    assign(self, target, Datum(Opaque("it is deleted"), self.positions.place(node)))
            case _:
                return self._compound(node)
        return False

    def _compound(self, node: ast.stmt) -> bool:
        match node:
            case ast.If(test, body, orelse):
                return self._branch(truth(self, evaluate(self, test).value), body, orelse, node)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._loop(node)
            case ast.With(items, body) | ast.AsyncWith(items, body):
                for item in items:
                    datum = evaluate(self, item.context_expr)
                    if item.optional_vars is not None:
                        assign(self, item.optional_vars, Datum(Opaque(), datum.place))
                return self.block(body)
            case ast.Match(subject, cases):
                evaluate(self, subject)
                for case in cases:
                    self._branch(None, case.body, [], node)
            case _ if isinstance(node, _ATTEMPTS):
                return self._attempt(node)
            case _:
                self._definition(node)
        return False

    def _definition(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                self.state.bind(name, Datum(Function(node, len(self.state.frames)), self.positions.place(node)))
            case ast.ClassDef():
                self._define(node)
            case ast.Import(names):
                for alias in names:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    self.state.bind(alias.asname or whole, Datum(Imported(whole), self.positions.place(node)))
            case ast.ImportFrom(module, names):
                for alias in names:
                    path = f"{module or ''}.{alias.name}"
                    self.state.bind(alias.asname or alias.name, Datum(Imported(path), self.positions.place(node)))

    def _branch(self, known: bool | None, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], node: ast.stmt) -> bool:
        """Follow the way that is taken, or both: what they do not agree on is open behind them."""
        if known is not None:
            return self.block(body if known else orelse)
        before = self.state.kept()
        ends = self.block(body)
        after = self.state.kept()
        self.state.go_back(before)
        if self.block(orelse):
            if not ends:
                self.state.go_back(after)
            return ends
        if not ends:
            self.state.merge(after, self.positions.place(node))
        return False

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        """Follow a loop's body once: what it assigns is open in it, for nobody knows in which turn it is read."""
        place = self.positions.place(node)
        if not isinstance(node, ast.While):
            evaluate(self, node.iter)
            assign(
                self, node.target, Datum(Opaque(f"it is another in each turn of a loop (line {node.lineno})"), place)
            )
        for name in _assigned(node.body):
            if self.state.look_up(name) is not None:
                opened = f"a loop assigns it (line {node.lineno})"
                self.state.bind(name, Datum(Opaque(opened), place))
        self._branch(None, node.body, [], node)
        self.block(node.orelse)

    def _attempt(self, node: ast.Try) -> bool:
        """Follow a try: a handler may begin anywhere in the body, and what it assigns holds as well."""
        ends = self.block(node.body) or self.block(node.orelse)
        for handler in node.handlers:
            before = self.state.kept()
            if self.block(handler.body):
                self.state.go_back(before)
            else:
                self.state.merge(before, self.positions.place(node))
                ends = False
        return self.block(node.finalbody) or ends

    def _define(self, node: ast.ClassDef) -> None:
        """Bind a class with the plain fields of its body."""
        bases = tuple(evaluate(self, base) for base in node.bases)
        fields: dict[str, Datum] = {}
        for part in node.body:
            if isinstance(part, (ast.AnnAssign, ast.Assign)) and part.value is not None:
                targets = [part.target] if isinstance(part, ast.AnnAssign) else part.targets
                for target in targets:
                    if isinstance(target, ast.Name):
                        fields[target.id] = self._default(part.value)
        self.state.bind(node.name, Datum(Class(node, bases, fields), self.positions.place(node)))

    def _default(self, node: ast.expr) -> Datum:
        """Return a field's default; `field(default=…)` of a dataclass says it inside."""
        words = node.keywords if isinstance(node, ast.Call) and _named(node.func) == "field" else []
        inner = next((word.value for word in words if word.arg == "default"), None)
        return evaluate(self, node if inner is None else inner)


def _assigned(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements assign, inside functions of their own excepted."""
    names: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)
    return names


def _calls_itself(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(part, ast.Call) and _named(part.func) == node.name for part in ast.walk(node))


def _named(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
