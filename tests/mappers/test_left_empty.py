"""What a source leaves out, and Trinity-RFT does not start without, is left open there and asked for."""

from __future__ import annotations

from tests.mappers.hazard_runs import ACTOR, from_verl

SIZE = "trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"


def test_an_empty_path_names_no_model() -> None:
    done = from_verl({"actor_rollout_ref.model.path": ""})
    assert done.out["model.model_path"] == "???"
    assert "model.model_path" in {decision.key for decision in done.conversion.ledger.decisions}


def test_a_fixed_micro_batch_that_nobody_gives_is_asked_for_where_the_trainer_wants_it() -> None:
    changes: dict[str, str | None] = {ACTOR + "use_dynamic_bsz": "False", ACTOR + "ppo_micro_batch_size_per_gpu": None}
    assert from_verl(changes).out[SIZE] == "???"
    assert SIZE not in from_verl(changes, to="0.5.2").out
    assert from_verl({**changes, ACTOR + "ppo_micro_batch_size_per_gpu": "4"}).out[SIZE] == 4
    assert SIZE not in from_verl({ACTOR + "use_dynamic_bsz": "True", ACTOR + "ppo_micro_batch_size_per_gpu": None}).out
