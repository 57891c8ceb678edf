"""Names that veRL's main branch had for some weeks between two releases, and no release has.

Repositories that were cloned in those weeks still use them. They are veRL's own words, so nothing about them says that
a fork reads the config; each becomes the name that the releases have for the same thing. A release itself refuses them.
"""

from __future__ import annotations

from rftconf.schemas.edits import Edit, Move, Removed, removed_keys
from rftconf.schemas.value_edits import Inverted

_MULTI_TURN = "actor_rollout_ref.rollout.multi_turn"
_ASYNC = "async_training"
_TRANSPORT = "how weights reach the engines; releases name a back end in actor_rollout_ref.rollout.checkpoint_engine"

UNRELEASED: tuple[Edit, ...] = (
    # recipe/fully_async_policy from October 2025 to its move to verl.experimental
    Move("rollout.total_epochs", "trainer.total_epochs"),
    Move("rollout.test_freq", "trainer.test_freq"),
    Move(f"{_ASYNC}.use_rollout_log_probs", "actor_rollout_ref.actor.use_rollout_log_probs"),
    Inverted(f"{_ASYNC}.compute_prox_log_prob", "algorithm.rollout_correction.bypass_mode"),
    *(
        Removed(f"{node}.{name}", _TRANSPORT, harmless=True)
        for node in (f"{_ASYNC}.checkpoint_engine", "actor_rollout_ref.checkpoint_engine")
        for name in ("enable", "device_buffer_size_M", "overlap_broadcast_and_consume")
    ),
    Removed("actor_rollout_ref.checkpoint_engine", _TRANSPORT, harmless=True),
    # April to June 2025
    Move(f"{_MULTI_TURN}.max_turns", f"{_MULTI_TURN}.max_assistant_turns"),
    *removed_keys(
        "a comparison of two ways to tokenize", f"{_MULTI_TURN}.enable_tokenization_sanity_check", harmless=True
    ),
    # July 2025, December 2025 to February 2026
    Move("trainer.profile_continuous_steps", "global_profiler.profile_continuous_steps"),
    *removed_keys("the reward loop runs in any case", "reward_model.use_reward_loop", harmless=True),
)
