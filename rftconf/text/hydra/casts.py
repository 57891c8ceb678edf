"""The functions of Hydra's override grammar that give one value: casts, and `sort` of a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from rftconf.base.numbers import bounded
from rftconf.base.symbols import Expr
from rftconf.text.hydra.nodes import Call, Content, Element, SymbolicStructureError, sweep
from rftconf.text.hydra.tokens import OverrideSyntaxError

Known: TypeAlias = None | bool | int | float | str
_SWEEPS = frozenset({"choice", "range", "interval", "glob", "tag"})


def evaluate(call: Call) -> Element:
    """The value of a call. Raises OverrideSyntaxError; code SYN303 where the call makes a sweep."""
    name, start = call.name.text, call.name.start
    if name in _SWEEPS:
        raise sweep(start)
    if name not in _CASTS and name not in {"sort", "shuffle"}:
        raise OverrideSyntaxError(f"Hydra knows no function {name}()", start, "put the value in quotes if it is a text")
    argument = _only_argument(call)
    try:
        if name == "sort":
            return _sorted(call, argument)
        if name == "shuffle":
            return _shuffled(call, argument)
        return Element(_cast(_CASTS[name], argument.content), start, call.end)
    except (ValueError, TypeError, OverflowError) as error:
        raise OverrideSyntaxError(f"{name}(): {error}", start) from error


def _only_argument(call: Call) -> Element:
    start = call.name.start
    if len(call.args) > 1:
        raise sweep(start)
    accepted = {"sort": {"list", "sweep", "reverse"}, "shuffle": {"list", "sweep"}}.get(call.name.text, {"value"})
    values = [*call.args, *(v for k, v in call.kwargs.items() if k != "reverse")]
    if not set(call.kwargs) <= accepted or len(values) != 1:
        raise OverrideSyntaxError(f"{call.name.text}() takes one value", start)
    return values[0]


def _cast(convert: Callable[[Known], Known], content: Content) -> Content:
    if isinstance(content, Expr):
        return content
    if isinstance(content, list):
        return [Element(_cast(convert, e.content), e.start, e.end) for e in content]
    if isinstance(content, dict):
        return {k: Element(_cast(convert, e.content), e.start, e.end) for k, e in content.items()}
    return convert(content)


def _to_int(value: Known) -> int:
    return bounded(int(_present(value)))


def _to_float(value: Known) -> float:
    return float(_present(value))


def _to_str(value: Known) -> str:
    value = _present(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _to_bool(value: Known) -> bool:
    if not isinstance(value, str):
        return bool(value)
    if value.lower() not in {"true", "false"}:
        raise ValueError(f"{value!r} is not true or false")
    return value.lower() == "true"


def _present(value: Known) -> bool | int | float | str:
    if value is None:
        raise ValueError("null cannot be cast")
    return value


_CASTS: dict[str, Callable[[Known], Known]] = {"int": _to_int, "float": _to_float, "str": _to_str, "bool": _to_bool}


def _sorted(call: Call, argument: Element) -> Element:
    reverse = call.kwargs.get("reverse")
    if not isinstance(argument.content, list):
        return Element(argument.content, call.name.start, call.end, argument.quoted)
    keys: list[tuple[bool | int | float | str, Element]] = []
    for element in argument.content:
        if isinstance(element.content, Expr):
            raise SymbolicStructureError
        if element.content is None or isinstance(element.content, (list, dict)):
            raise TypeError("only numbers, or only texts, can be sorted")
        keys.append((element.content, element))
    keys.sort(key=lambda pair: pair[0], reverse=reverse is not None and reverse.content is True)
    return Element([element for _, element in keys], call.name.start, call.end)


def _shuffled(call: Call, argument: Element) -> Element:
    if not isinstance(argument.content, list):
        return Element([argument], call.name.start, call.end)
    raise ValueError("the order is random, so the value is not known before the run")
