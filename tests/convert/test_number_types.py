"""Short names of number types (`bf16`, `fp16`) are the types they name, in every target."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source

SCRIPT = """python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=/d/a.parquet \\
    data.train_batch_size=64 actor_rollout_ref.model.path=m actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 \\
    actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4 trainer.n_gpus_per_node=8 trainer.total_training_steps=10 \\
    actor_rollout_ref.actor.fsdp_config.dtype={0} actor_rollout_ref.ref.fsdp_config.dtype={0}
"""


def written(word: str, to: str) -> dict[str, Any]:
    done = convert(read(Source("run.sh", SCRIPT.format(word))), to, rows=6400)
    return {line.key: line.value for line in done.lines}


@pytest.mark.parametrize("to", ["trl", "openrlhf", "trinity"])
@pytest.mark.parametrize(("short", "whole"), [("bf16", "bfloat16"), ("fp16", "float16")])
def test_both_names_are_written_alike(short: str, whole: str, to: str) -> None:
    switches = ("bf16", "fp16", "ds.param_dtype")
    pairs = [{key: value for key, value in written(word, to).items() if key in switches} for word in (short, whole)]
    assert pairs[0] == pairs[1]
    assert "???" not in pairs[0].values()


def test_trl_computes_in_the_type_that_is_named() -> None:
    values = written("fp16", "trl")
    assert (values["bf16"], values["fp16"]) == (False, True)


def test_openrlhf_has_short_names_alone() -> None:
    assert written("float16", "openrlhf")["ds.param_dtype"] == "fp16"
