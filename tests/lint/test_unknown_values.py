"""A value that is not known is no error where a harmless one would be none: it may be that one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.lint import registry
from rftconf.lint.rule import Example, Rule
from tests.lint.bases import documents
from tests.lint.test_rules import check

UNKNOWN = {"verl": '"$NOT_GIVEN"'}
"""How a framework's file says a value that is not known; elsewhere it is an environment variable's."""


def half_mended(rule: Rule) -> Iterator[tuple[Example, Example]]:
    """The bad example with one line as the good one has it, and with that line's value not known."""
    good = {line.partition("=")[0]: line for line in rule.good.lines}
    for place, line in enumerate(rule.bad.lines):
        key = line.partition("=")[0]
        if line[0] == "~" or key not in good or good[key] == line:
            continue
        unknown = f"{key}={UNKNOWN.get(rule.bad.framework, '${oc.env:NOT_GIVEN}')}"
        before, after = rule.bad.lines[:place], rule.bad.lines[place + 1 :]
        yield tuple(replace(rule.bad, lines=(*before, middle, *after)) for middle in (good[key], unknown))  # type: ignore[misc]


def errors(example: Example, code: str) -> list[str]:
    document = documents(example)[0]
    return [f.message for f in check(document, example) if f.code == code and f.severity is Severity.ERROR]


@pytest.mark.parametrize("rule", registry.rules(), ids=[rule.code for rule in registry.rules()])
def test_an_unknown_value_is_no_error(rule: Rule) -> None:
    for mended, unknown in half_mended(rule):
        if not errors(mended, rule.code):
            assert errors(unknown, rule.code) == []
