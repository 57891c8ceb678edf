"""Defaults that follow other keys."""

from __future__ import annotations

from rftconf.base.symbols import OpenKey
from rftconf.load.release_defaults import of
from rftconf.text.omegaconf.interpolation import Resolver

ACTOR, REFERENCE = (f"actor_rollout_ref.{role}.ulysses_sequence_parallel_size" for role in ("actor", "ref"))


def test_a_default_that_follows_a_key_without_a_value_is_open() -> None:
    # veRL 0.3.0, ppo_trainer.yaml: ref.ulysses_sequence_parallel_size: ${actor_rollout_ref.actor.ulysses_sequence_parallel_size}
    written = {ACTOR: "???"}
    defaults = of("verl", "0.3.0", "fsdp")
    cells = defaults.following(written, Resolver(written, defaults=defaults.tree))
    assert cells[REFERENCE].value == OpenKey(REFERENCE)
