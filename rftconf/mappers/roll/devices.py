"""`device_mapping` expressions: Python text that ROLL evaluates, and rftconf only reads.

What is understood is a list of integers made of `list(...)`, `range(...)`, list displays, `+` and integer arithmetic;
anything else is refused, and so are lists that no cluster has.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from functools import lru_cache

MOST_DEVICES = 100_000
"""No mapping is longer, and no device id higher."""
MOST_CHARACTERS = 10_000


class NotDevicesError(ValueError):
    """The text is no list of device ids; its words follow the key's name."""


class NotReadError(NotDevicesError):
    """Python may make a list of it, and rftconf does not run it."""


def devices(text: str) -> list[int]:
    """The device ids that an expression stands for. Raises NotDevicesError for anything else."""
    return list(_devices(text))


@lru_cache(maxsize=1000)
def _devices(text: str) -> tuple[int, ...]:
    if len(text) > MOST_CHARACTERS:
        raise NotDevicesError(f"is longer than {MOST_CHARACTERS} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's own, about `1is 2`: said to nobody who asked
            tree = ast.parse(text.strip(), mode="eval")
        ids = _list(tree.body)
    except NotDevicesError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotDevicesError("is no expression for a list of device ids") from None
    if any(device < 0 for device in ids):
        raise NotDevicesError("names a negative device id")
    return tuple(ids)


def _list(node: ast.expr) -> list[int]:
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return _bounded([_int(item) for item in items])
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _bounded([*_list(left), *_list(right)])
        case ast.Call(func=ast.Name(id="list" | "sorted" as name), args=[inner], keywords=[]):
            return sorted(_list(inner)) if name == "sorted" else _list(inner)
        case ast.Call(func=ast.Name(id="range"), args=bounds, keywords=[]) if 1 <= len(bounds) <= 3:
            return _range([_int(bound) for bound in bounds])
        case ast.Constant():
            raise NotDevicesError("is no list of device ids")
    raise NotReadError("is more than list(), range(), lists of numbers and +")


def _range(bounds: Sequence[int]) -> list[int]:
    if len(bounds) == 3 and bounds[2] == 0:
        raise NotDevicesError("counts in steps of 0")
    ids = range(*bounds)
    if len(ids) > MOST_DEVICES:
        raise NotDevicesError(f"names more than {MOST_DEVICES} devices")
    return _bounded(list(ids))


def _int(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return _small(number)
        case ast.Constant():
            raise NotDevicesError("names a device that is no number")
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_int(inner)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _small(_int(left) + _int(right))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _small(_int(left) - _int(right))
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _small(_int(left) * _int(right))
    raise NotReadError("counts with more than numbers, +, - and *")


def _small(number: int) -> int:
    if abs(number) > MOST_DEVICES:
        raise NotDevicesError(f"names a device id above {MOST_DEVICES}")
    return number


def _bounded(ids: list[int]) -> list[int]:
    if len(ids) > MOST_DEVICES or any(abs(device) > MOST_DEVICES for device in ids):
        raise NotDevicesError(f"names more than {MOST_DEVICES} devices")
    return ids


def mapping(first: int, count: int) -> str:
    """The expression for `count` devices from `first` on, as ROLL's own examples write it."""
    return f"list(range({first},{first + count}))"


def contiguous(ids: Sequence[int]) -> bool:
    """True when the ids follow each other."""
    return list(ids) == list(range(ids[0], ids[0] + len(ids))) if ids else True
