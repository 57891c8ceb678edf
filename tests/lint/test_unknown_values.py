"""A value that is not known is no error where a harmless one would be none: it may be that one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.lint import registry
from rftconf.lint.engine import Options
from rftconf.lint.engine import check as check_text
from rftconf.lint.rule import Example, Rule
from rftconf.text.read.read import read
from rftconf.text.source import Source
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


ROLL_RUN = """pretrain: /m
adv_estimator: grpo
use_kl_loss: {loss}
kl_loss_coef: 0.001
rollout_batch_size: 64
prompt_length: 512
response_length: 512
num_return_sequences_in_group: 8
reference:
  strategy_args: {{strategy_name: hf_infer, strategy_config: null}}
  device_mapping: list(range(0,8))
"""


@pytest.mark.parametrize(("loss", "is_dead"), [("false", True), ("true", False), ("1024", False), ("[]", False)])
def test_a_switch_that_cannot_be_used_puts_nothing_to_sleep(loss: str, is_dead: bool) -> None:
    diagnostics = check_text(read(Source("run.yaml", ROLL_RUN.format(loss=loss))), Options("roll", "0.3.0"))
    assert any(d.code == "KEY011" and d.key == "kl_loss_coef" for d in diagnostics) is is_dead
