"""Bare overrides say which config they are for, or are not written."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.convert.convert import Options, convert_loaded
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = (
    "python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer data.train_batch_size=64 data.train_files=a.parquet"
    " actor_rollout_ref.rollout.n=4 actor_rollout_ref.model.path=org/small actor_rollout_ref.actor.strategy="
)


def test_megatrons_own_words_name_its_config() -> None:
    done = convert_loaded(load(read(Source("run.sh", f"{RUN}megatron\n"))), "verl", Options(style="overrides"))
    assert load(read(Source("run.overrides", done.text)), framework="verl").guess.trainer == "megatron"


def test_words_that_lie_on_another_config_are_refused() -> None:
    """The critic's defaults are Megatron's there, and nothing in the words would say so."""
    loaded = load(read(Source("run.sh", f"{RUN}fsdp2\n")))
    with pytest.raises(RefusedError, match="ppo_megatron_trainer"):
        convert_loaded(loaded, "verl", Options(style="overrides"))
