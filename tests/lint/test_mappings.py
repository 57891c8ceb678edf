"""A mapping where a framework's class declares a plain value or a list."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.lint import engine
from rftconf.lint.rule import Example, roll, trinity, verl
from tests.lint.bases import documents

CASES = [
    (roll("actor_train.device_mapping={a: 1}"), "actor_train.device_mapping.a", "list[int] or str"),
    (roll("rollout_batch_size={a: {b: 1}}"), "rollout_batch_size.a.b", "int"),
    (trinity("buffer.batch_size={a: 1}"), "buffer.batch_size.a", "int"),
    (verl("trainer.n_gpus_per_node.a=1"), "trainer.n_gpus_per_node.a", "int"),
]


@pytest.mark.parametrize(("example", "key", "kind"), CASES, ids=[key for _, key, _ in CASES])
def test_a_mapping_for_a_value_is_an_error(example: Example, key: str, kind: str) -> None:
    """The loaders refuse it, also ROLL's (dacite: WrongTypeError), which drops keys that it does not know."""
    config, *_ = documents(example)
    (finding,) = (
        diagnostic for diagnostic in engine.check(config) if diagnostic.key == key and diagnostic.code == "KEY004"
    )
    assert finding.severity is Severity.ERROR
    assert f"expects {kind}" in finding.message
    assert "no mapping" in finding.message


def test_free_mappings_are_taken() -> None:
    (config,) = documents(roll("actor_train.strategy_args.strategy_config.own={a: 1}"))
    assert [diagnostic for diagnostic in engine.check(config) if diagnostic.code == "KEY004"] == []
