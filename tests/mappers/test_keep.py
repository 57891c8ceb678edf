"""Within one framework a file keeps its keys, and what a key no longer says in the release that is written is said by another."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import Options, convert_loaded
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

CRITIC = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=gae data.train_batch_size=1024 data.max_prompt_length=512"
    " data.max_response_length=512 data.train_files=/a data.val_files=/b actor_rollout_ref.model.path=/m critic.model.path=/m"
    " critic.ulysses_sequence_parallel_size=2 trainer.n_gpus_per_node=8 trainer.nnodes=1 actor_rollout_ref.rollout.name=vllm\n"
)


def test_a_key_that_sleeps_in_the_release_that_is_written_gets_the_live_one_beside_it() -> None:
    loaded = load(read(Source("run.sh", CRITIC)), release="0.7.1")
    assert loaded.plan.stages[0].placement.critic.sp == 2
    done = convert_loaded(loaded, "verl", Options("0.9.1"))
    back = load(read(Source("run.sh", done.text)), release="0.9.1")
    assert back.plan.stages[0].placement.critic.sp == 2
    same = convert_loaded(loaded, "verl", Options("0.7.1"))
    assert "critic.fsdp." not in same.text


@pytest.mark.parametrize("style", ["yaml", "overrides", "sh"])
@pytest.mark.parametrize("release", ["0.4.1", "0.8.0", "0.9.1"])
def test_an_output_without_a_launch_line_names_the_trainer_that_the_line_named(style: str, release: str) -> None:
    launched = CRITIC.replace("main_ppo", "main_ppo --config-name=ppo_megatron_trainer").replace(
        "critic.ulysses_sequence_parallel_size=2", "actor_rollout_ref.actor.ppo_mini_batch_size=256"
    )
    loaded = load(read(Source("run.sh", launched)), release="0.8.0")
    done = convert_loaded(loaded, "verl", Options(release, style=style))
    back = load(read(Source(f"run{done.file_suffix}", done.text)), release=release)
    assert back.guess.trainer == loaded.guess.trainer == "megatron"
    assert ("strategy" in done.text) is (style != "sh")
