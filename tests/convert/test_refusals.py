"""What is not converted, and what a person is told to do instead."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.convert.convert import convert
from rftconf.convert.refusals import refuse_other_kinds
from rftconf.plan.kinds import NAMES
from rftconf.schemas import registry
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

AGENTIC = """
pretrain: /m
rollout_batch_size: 64
sequence_length: 4096
max_steps: 10
actor_train: {device_mapping: "list(range(0,8))", strategy_args: {strategy_name: fsdp2_train}}
actor_infer: {device_mapping: "list(range(0,8))", strategy_args: {strategy_name: vllm}}
train_env_manager: {tags: [Lake, Web], num_groups_partition: [4, 4], num_env_groups: 8, group_size: 8}
custom_envs:
  Lake: {env_type: frozen_lake, max_steps: 9, env_config: {tools: [{id: a}, {id: b}]}}
  Web: {env_type: webshop}
"""


def agentic() -> Document:
    return read(Source("run.yaml", AGENTIC), ReadOptions())


def test_environments_are_refused_where_nothing_is_stepped() -> None:
    with pytest.raises(RefusedError, match=r"Lake, Web.*reset and stepped") as refused:
        convert(agentic(), "chatlearn")
    assert "Trinity-RFT" in refused.value.choices[0]


@pytest.mark.parametrize("to", ["trinity", "verl"])
def test_where_agents_act_in_turns_what_is_common_is_converted(to: str) -> None:
    done = convert(agentic(), to)
    assert any("Lake, Web" in decision.why for decision in done.ledger.decisions)
    assert {line.key for line in done.ledger.sources if line.key.startswith("custom_envs.")}


def test_a_run_without_environments_is_not_asked_about_them() -> None:
    plain = read(Source("run.yaml", "rollout_batch_size: 64\nactor_train: {}\n"), ReadOptions())
    with pytest.raises(RefusedError) as refused:
        convert(plain, "chatlearn", framework="roll")
    assert "reset and stepped" not in str(refused.value)


@pytest.mark.parametrize(
    ("to", "kind", "message"),
    [
        ("verl", "dpo", "this is a DPO run; veRL has no trainer"),
        ("chatlearn", "sft", "this is a supervised run; ChatLearn's entrypoint"),
        ("chatlearn", "eval", "this is an evaluation run"),
        ("chatlearn", "eval", "this is an evaluation run; ChatLearn's entrypoint starts grpo and nothing else"),
        ("chatlearn", "distill", "this is an on-policy distillation run; ChatLearn's entrypoint starts grpo and nothing else"),
        ("roll", "offline_distill", "this is a distillation run; rftconf writes"),
        ("verl", "offline_distill", "this is a distillation run; veRL distils a student on its own answers alone"),
        ("trinity", "offline_distill", "this is a distillation run; Trinity-RFT distils a student on its own answers alone"),
        ("chatlearn", "offline_distill", "this is a distillation run; ChatLearn's entrypoint starts grpo and nothing else"),
    ],
)  # fmt: skip
def test_a_kind_that_a_framework_lacks_is_refused_in_a_sentence(to: str, kind: str, message: str) -> None:
    with pytest.raises(RefusedError) as refused:
        refuse_other_kinds(registry.framework(to), kind)
    assert str(refused.value).startswith(message)
    assert refused.value.choices


def is_refused(to: str, kind: str) -> bool:
    try:
        refuse_other_kinds(registry.framework(to), kind)
    except RefusedError:
        return True
    return False


@pytest.mark.parametrize(
    ("to", "written"),
    [
        ("verl", {"rl", "distill", "eval"}),
        ("verl_sft", {"sft"}),
        ("trinity", {"rl", "distill", "eval", "sft", "dpo"}),
        ("roll", {"rl", "distill", "eval", "sft", "dpo"}),
        ("chatlearn", {"rl"}),
    ],
)
def test_each_framework_takes_the_kinds_that_it_starts(to: str, written: set[str]) -> None:
    assert {kind for kind in NAMES if not is_refused(to, kind)} == written
