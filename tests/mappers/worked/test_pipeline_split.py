"""Layers of a pipeline's stages where the source has Megatron count embedding and loss, which ChatLearn has no key for."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING
from tests.mappers.test_outputs_of_laws import MEGATRON, TRANSFORMER
from tests.mappers.test_outputs_of_mutations import codes, converted, line_of, set_to

SPLIT = set_to(
    MEGATRON,
    actor_rollout_ref__model__path="Qwen/Qwen3-235B-A22B",
)
BOTH = "".join(f" '{TRANSFORMER}.account_for_{end}_in_pipeline_split=True'" for end in ("embedding", "loss")) + "\n"
EACH = ("decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers")


def test_a_pipeline_that_counts_embedding_and_loss_as_layers_has_as_many_layers_in_each_stage() -> None:
    """megatron-core 0.16.1 get_num_layers_to_build: (94 + 2) / 8 in a stage, less one in the first and in the last; with both
    ends told it gives each other stage (94 - 11 - 11) / 6, which is the same 12."""
    done = converted(SPLIT.rstrip("\n") + BOTH, "chatlearn")
    for role in ("policy_trainer", "ref_policy"):
        assert [line_of(done, f"models.{role}.{key}") for key in EACH] == [11, 11]
    assert "MEM005" not in codes(done)
    states = {line.key.rpartition(".")[2]: line.state for line in done.ledger.sources if "account_for" in line.key}
    assert set(states.values()) == {State.DERIVED}


def test_stages_of_several_parts_have_a_layout() -> None:
    """48 parts of (94 + 2) / 48 layers: the first and the last have one, as get_num_layers_to_build takes one from the first part
    of the first stage and from the last part of the last."""
    size = "virtual_pipeline_model_parallel_size"
    text = SPLIT.rstrip("\n") + f" actor_rollout_ref.actor.megatron.{size}=6 actor_rollout_ref.ref.megatron.{size}=6"
    done = converted(text + BOTH, "chatlearn")
    for role in ("policy_trainer", "ref_policy"):
        assert line_of(done, f"models.{role}.pipeline_model_parallel_layout") == "Et|" + "tt|" * 46 + "tL"


def test_layers_of_a_model_that_nobody_knows_are_asked_for() -> None:
    done = converted(set_to(SPLIT, actor_rollout_ref__model__path="/m/q").rstrip("\n") + BOTH, "chatlearn")
    assert [line_of(done, f"models.policy_trainer.{key}") for key in EACH] == [MISSING, MISSING]
    assert {f"models.policy_trainer.{key}" for key in EACH} <= {decision.key for decision in done.ledger.decisions}


def test_switches_that_are_off_are_no_loss() -> None:
    """Megatron's TransformerConfig has both False."""
    done = converted(MEGATRON.rstrip("\n") + BOTH.replace("True", "False"), "chatlearn")
    assert {line.state for line in done.ledger.sources if "account_for" in line.key} == {State.DEFAULT}
