"""Switches of ROLL's config beside the plan."""

from __future__ import annotations

from rftconf.mappers.gates import NO_CRITIC, Gate, Gates, Section, critic_trains, has

GATES = Gates(
    sections=(Section("train_infer_correction.is_weight", "enabled", "utils/train_infer_corrections.py"),),
    gates=(
        Gate(("critic.*",), critic_trains, NO_CRITIC, "pipeline/rlvr/rlvr_pipeline.py: adv_estimator gae"),
        *(Gate((f"{role}.sequence_packing_args.*",), has(f"{role}.use_sequence_packing", True),
               f"no effect while {role}.use_sequence_packing is false", "distributed/strategy/megatron_strategy.py")
          for role in ("actor_train", "actor_infer", "reference", "critic")),
    ),
)  # fmt: skip
