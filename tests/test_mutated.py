"""What mutated configs brought to light, each in its smallest form."""

from __future__ import annotations

from rftconf.base.symbols import OpenKey, formula
from rftconf.convert.convert import Conversion, convert
from rftconf.convert.ledger.target_ledger import _prefixed
from rftconf.lint import engine
from rftconf.lint.rule import Example
from rftconf.schemas import catalogue
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import as_shell, as_yaml


def converted(example: Example, to: str) -> Conversion:
    shell = example.framework == "verl"
    text = as_shell(example) if shell else as_yaml(example)
    return convert(read(Source("run.sh" if shell else "run.yaml", text)), to)


def test_a_parallel_size_that_is_no_size_is_left_open() -> None:
    prefix = "actor_rollout_ref.actor.megatron."
    example = Example("verl", ("--config-name=ppo_megatron_trainer", f"{prefix}expert_tensor_parallel_size=False"))
    words = (f"{prefix}tensor_model_parallel_size=2", f"{prefix}expert_model_parallel_size=0")
    for changes in (example.lines, words):
        done = converted(Example("verl", changes), "trinity")
        assert [d.code for d in done.diagnostics if "parallel size" in d.message or "whole" in d.message]


def test_a_mapping_may_be_added_to_what_is_there() -> None:
    """Hydra merges `+x={a: 1}` into `x`, and refuses `+x.a=1` where there is one."""
    section = "actor_rollout_ref.actor.megatron.override_transformer_config"
    start = "python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer"

    def codes(word: str) -> set[str]:
        diagnostics = engine.check(read(Source("run.sh", f"{start} {word}\n")), engine.Options("verl", "0.9.1"))
        return {diagnostic.code for diagnostic in diagnostics}

    assert "KEY006" not in codes(f'"+{section}={{recompute_granularity: selective, recompute_modules: moe}}"')
    assert "KEY006" in codes(f"+{section}.recompute_modules=moe")


def test_a_key_that_the_release_has_is_not_added() -> None:
    known = catalogue.load("verl", "0.9.1", "fsdp")
    assert _prefixed(known, "trainer.nnodes", 1, "+") == "trainer.nnodes"
    assert _prefixed(known, "trainer.nnodes", 1, "++") == "++trainer.nnodes"
    assert _prefixed(known, "trainer.of_my_own", 1, "") == "+trainer.of_my_own"


def test_a_list_with_a_value_that_nobody_told_is_written_for_people() -> None:
    assert formula([0.9, OpenKey("optimizer.adam_beta2")]) == "[0.9, optimizer.adam_beta2]"
