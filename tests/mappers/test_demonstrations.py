"""Trinity's `mix`: a train batch counts demonstrations too, which are no answers of the policy's (mix_sample_strategy.py)."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import Options, convert_loaded
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.test_trinity_notes import CONFIG

OWN, DEMOS = "stage.batch.sequences_per_update", "stage.batch.demonstrations_per_update"
MIX = (
    CONFIG.replace("megatron", "fsdp")
    .replace("batch_size: 96", "batch_size: 32\n  train_batch_size: 320")
    .replace(
        "algorithm_type: grpo",
        "algorithm_type: mix\n  sample_strategy_args: {expert_data_ratio: 0.2, sft_dataset_name: s}",
    )
)


def loaded(text: str) -> Loaded:
    return load(read(Source("c.yaml", text)), framework="trinity")


@pytest.mark.parametrize(
    ("change", "own", "demos"),
    [
        (("", ""), 256, 64),
        (("expert_data_ratio: 0.2, ", ""), 160, 160),
        (("expert_data_ratio: 0.2", "expert_data_ratio: 0.3334"), 213, 107),
        (("algorithm_type: mix", "algorithm_type: mix_chord"), 256, 64),
        (("algorithm_type: mix", "algorithm_type: grpo\n  sample_strategy: mix"), 256, 64),
        (("algorithm_type: mix", "algorithm_type: mix\n  sample_strategy: default"), 320, None),
        (("algorithm_type: mix", "algorithm_type: grpo"), 320, None),
    ],
)
def test_what_of_a_train_batch_the_policy_said_itself(change: tuple[str, str], own: int, demos: int | None) -> None:
    values = loaded(MIX.replace(*change)).stages[0].values
    assert (values[OWN], values.get(DEMOS)) == (own, demos)


def test_other_frameworks_get_its_own_answers_and_trinity_the_whole_batch() -> None:
    run = loaded(MIX)
    to_roll = convert_loaded(run, "roll", Options())
    assert "256 sequences an update" in to_roll.text
    share = next(line for line in to_roll.ledger.sources if line.key.endswith("expert_data_ratio"))
    assert share.state is State.NO_COUNTERPART
    assert "no demonstrations are mixed in" in share.reason
    assert "train_batch_size: 320" in convert_loaded(run, "trinity", Options(to_release="0.5.2")).text
