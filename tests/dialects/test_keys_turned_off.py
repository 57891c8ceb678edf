"""Which keys do nothing in a config that changed code reads: those that the config itself turns off."""

from __future__ import annotations

from pathlib import Path

from rftconf.base.ledger import State
from tests.dialects.test_forks import launch, ledger_of, read, states


def test_what_the_config_itself_turns_off_is_off_in_changed_code_too(tmp_path: Path) -> None:
    """A switch is taken at its word, and so is what hangs on it; what veRL never reads, changed code may read."""
    keys = (
        "actor_rollout_ref.actor.use_kl_loss=False",
        "actor_rollout_ref.actor.kl_loss_coef=0.1",
        "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=4096",
        "data.truncation=left",
        "trainer.balance_batch=True",
        "trainer.use_v1=True",
        "algorithm.of_nobody=1",
    )
    own = {line.key: line for line in ledger_of(read(tmp_path, launch("verl.trainer.main_ppo", *keys))).sources}
    assert own["actor_rollout_ref.actor.kl_loss_coef"].state is State.DEAD_IN_SOURCE
    assert (
        "actor_rollout_ref.actor.use_kl_loss=False says so here" in own["actor_rollout_ref.actor.kl_loss_coef"].reason
    )
    # nobody wrote use_dynamic_bsz, and the code may have another default; veRL stores truncation and never reads it
    for key in ("actor_rollout_ref.actor.ppo_max_token_len_per_gpu", "data.truncation"):
        assert own[key].state is State.UNKNOWN
    assert own["algorithm.of_nobody"].state is State.UNKNOWN
    other_states = states(ledger_of(read(tmp_path, launch("mine.main_ppo", *keys))))
    assert other_states["actor_rollout_ref.actor.kl_loss_coef"] is State.UNKNOWN
