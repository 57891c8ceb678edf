"""A section that is a list by one key and a mapping by another: the first key says what it is, the other is left out and named."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.convert.convert import convert
from rftconf.lint import engine
from rftconf.schemas import registry
from rftconf.text.keys import conflicting_keys
from tests.laws.flip_bases import FLIPPED
from tests.laws.leaf_flip import OTHER
from tests.laws.round_trips import document

PAIRS = [
    ("verl", "reward.reward_kwargs.a[0]", "reward.reward_kwargs.a.b"),
    ("trinity", "monitor.monitor_args.a[0]", "monitor.monitor_args.a.b"),
    ("trinity", "explorer.auxiliary_models[0].model_path", "explorer.auxiliary_models.x.model_path"),
    ("roll", "actor_train.system_envs.a[0]", "actor_train.system_envs.a.b"),
    ("chatlearn", "runtime_args.log_args_dict[0]", "runtime_args.log_args_dict.enable_wandb"),
]
BOTH_WAYS = [pytest.param(framework, *pair, id=pair[1]) for framework, *keys in PAIRS for pair in (keys, keys[::-1])]


@pytest.mark.parametrize(("framework", "first", "second"), BOTH_WAYS)
def test_the_second_shape_costs_its_own_leaf_only(framework: str, first: str, second: str) -> None:
    base, newest = FLIPPED[framework][0], registry.framework(framework).newest
    both = document(framework, {**base.flat, first: "v", second: "v"}, base.trainer)
    findings = engine.check(both, engine.Options(framework, newest))
    assert any(second in (finding.key or finding.message) for finding in findings)
    for to in OTHER:
        try:
            done = convert(
                document(framework, {**base.flat, second: "v", first: "v"}, base.trainer), to, framework=framework
            )
        except RefusedError:  # a further model leaves the policy other GPUs
            continue
        names = [line.key.lstrip("+") for line in done.ledger.targets]
        assert conflicting_keys(names) == {}


def test_a_key_below_another_shape_is_named_with_the_section() -> None:
    keys = ["a.b[0].c", "a.b.d", "a.b[1]", "e.f"]
    assert conflicting_keys(keys) == {"a.b.d": ("a.b", "list")}
    assert conflicting_keys(["x.y", "x[0]"]) == {"x[0]": ("x", "mapping")}
