"""What ROLL is given for an update while its GPUs are a variable."""

from __future__ import annotations

from rftconf.ledger import State
from tests.mappers.roll_runs import ARGS, TRAIN, to_roll

ACTOR = "actor_rollout_ref.actor."
MICRO = TRAIN + ARGS + "per_device_train_batch_size"
STATIC = {ACTOR + "use_dynamic_bsz": "False", ACTOR + "ppo_micro_batch_size_per_gpu": "3"}


def test_h5_a_micro_batch_divides_the_update_also_while_the_gpus_are_not_known() -> None:
    cluster = {"trainer.n_gpus_per_node": "'\"$GPUS\"'"}
    out = to_roll(cluster | {ACTOR + "ppo_max_token_len_per_gpu": "16384"}).out
    assert out[MICRO] == 8  # 16384 // 1536 = 10, and no number of ranks shares 2048 sequences in parts of 10
    static = to_roll(STATIC | cluster)
    assert static.out[MICRO] == 2
    line = static.line(ACTOR + "ppo_micro_batch_size_per_gpu")
    assert (line.state, "2048 sequences of an update" in line.reason) == (State.NARROWED, True)
