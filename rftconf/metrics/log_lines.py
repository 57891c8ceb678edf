"""Reads files of metrics: one JSON object a line, with the steps and the metrics that a framework logs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from rftconf.base.errors import UnreadableError
from rftconf.mappers.logged import Counter
from rftconf.metrics.naming import counter_of, counters_of, step_keys, understood

RUN = "run"
"""The key that tells the lines of two runs apart, where a framework logs to two."""
MOST_BYTES = 512 * 1024 * 1024
"""The largest file of metrics that is read; it is read whole, so that what is made of it is written whole or not at all."""
LARGEST = 1e100
"""The largest number that is taken for a measurement; its square, and sums of such squares, are floats still."""
_SHOWN = 60
_HOLDERS = ("data", "metrics")
"""Keys below which veRL's file logger and ROLL's standard output put the metrics of a line."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line: its steps and metrics, the counter of its steps, and what else it holds.

    `counter` is None where the metrics are of two runs, or of none. `holder` is the key that the metrics stand below,
    None where they stand beside the steps; `around` is what stands beside it.
    """

    steps: Mapping[str, int | float]
    metrics: Mapping[str, Any]
    counter: Counter | None
    holder: str | None
    around: Mapping[str, Any]


def log_lines(text: str, file: str, framework: str) -> Iterator[LogLine]:
    """Yield the lines of a file that `framework` logged, empty ones left out.

    Raises UnreadableError, with file, line and column, for a line that is no JSON object or whose step is no number.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _log_line(_parsed(line, file, number), file, number, framework)


def _log_line(object_: dict[str, Any], file: str, number: int, framework: str) -> LogLine:
    holder = next((key for key in _HOLDERS if isinstance(object_.get(key), dict)), None)
    inside = object_ if holder is None else object_[holder]
    keys = step_keys(framework)
    steps = {key: _number(key, value, file, number) for key, value in object_.items() if key in keys}
    metrics = {key: value for key, value in inside.items() if key not in steps and key != RUN}
    around = {} if holder is None else {k: v for k, v in object_.items() if k not in (*steps, holder, RUN)}
    return LogLine(steps, metrics, _counter(object_.get(RUN), metrics, framework), holder, around)


def _counter(run: object, metrics: Iterable[str], framework: str) -> Counter | None:
    """Return the counter of a line's steps; None where its metrics are of two runs, or of none."""
    counters = counters_of(framework)
    if len(counters) == 1:
        return counters[0]
    if run in [counter.run for counter in counters]:
        return counter_of(framework, str(run))
    runs = {known.logged.run for name in metrics if (known := understood(framework, name)) is not None}
    return counter_of(framework, runs.pop()) if len(runs) == 1 else None


def is_number(value: Any) -> bool:
    """True for a number that can be a measurement: no truth value, not NaN, at most LARGEST."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


def _number(key: str, value: Any, file: str, line: int) -> int | float:
    if not is_number(value):
        text = json.dumps(value)
        excerpt = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        raise UnreadableError(f"{key} is {excerpt}, not a number of steps", file=file, line=line)
    return cast("int | float", value)


class _TwiceError(ValueError):
    """An object has a key two times; a reader that keeps one of the values would lose the other in silence."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return fields


def _parsed(line: str, file: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise UnreadableError(f"no JSON: {error.msg}", file=file, line=number, col=error.colno) from error
    except _TwiceError as error:
        raise UnreadableError(f"{json.dumps(str(error))} stands twice in one object", file=file, line=number) from error
    except (RecursionError, ValueError) as error:
        what = "nested too deep, or a number is too long"
        raise UnreadableError(f"JSON that cannot be read: {what}", file=file, line=number) from error
    if not isinstance(value, dict):
        raise UnreadableError("not a JSON object; one object a line is expected", file=file, line=number, col=1)
    return value
