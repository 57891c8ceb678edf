"""NeMo-RL's advantages, losses, penalty, filter and correction, as cases and shapes."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.cases import Case, Cases
from rftconf.mappers.context import Context, ReadContext, When
from rftconf.mappers.corrections import EngineCorrection
from rftconf.mappers.nemo_rl import conditions as on
from rftconf.mappers.penalties import Penalty
from rftconf.mappers.shapes import Behaves, Where, together
from rftconf.mappers.statements import Means

A, L = "stage.algorithm.", "loss_fn."
NAME, NORM, OTHERS, BASELINE = (
    "grpo.adv_estimator.name", "grpo.normalize_rewards", "grpo.use_leave_one_out_baseline", "grpo.adv_estimator.minus_baseline",
)  # fmt: skip
ADVANTAGE, DEVIATION, DDOF, WHITE = (A + name for name in ("advantage", "std_scope", "std_ddof", "whiten_advantage"))


def _fields(advantage: str, scope: str | None, ddof: int | None, white: bool) -> dict[str, object]:
    return {ADVANTAGE: advantage, DEVIATION: scope, DDOF: ddof, WHITE: white}


APART = "an answer is compared with the mean of the others, and divided by their deviation; elsewhere its own reward is in both (H88)"
ESTIMATORS = Cases(
    "NeMo-RL",
    "estimator",
    (
        Case({NAME: "grpo", NORM: True, OTHERS: False}, _fields("grpo", "group", 1, False)),
        Case({NAME: "grpo", NORM: True, OTHERS: True}, _fields("grpo", "group", 1, False), {OTHERS: APART}),
        Case({NAME: "grpo", NORM: False, OTHERS: False}, _fields("grpo_mean_only", "none", None, False)),
        Case({NAME: "grpo", NORM: False, OTHERS: True}, _fields("rloo", "none", None, False)),
        Case({NAME: "reinforce_plus_plus", BASELINE: True}, _fields("reinforce_pp_baseline", None, None, True)),
        Case({NAME: "reinforce_plus_plus", BASELINE: False}, _fields("reinforce_pp", None, None, True)),
        Case({NAME: "gdpo"}, _fields("gdpo", "batch", 1, False)),
    ),
    overrules={NORM: "grpo.adv_estimator.normalize_rewards", OTHERS: "grpo.adv_estimator.use_leave_one_out_baseline"},
    always=True,
)
"""nemo_rl/algorithms/grpo.py: _create_advantage_estimator; advantage_estimator.py."""

NO_RATIO, CISPO, SEQUENCES = L + "disable_ppo_ratio", L + "use_cispo", L + "sequence_level_importance_ratios"
FAMILY = A + "policy_loss.family"
LOSSES = Cases(
    "NeMo-RL",
    "loss",
    (
        Case({SEQUENCES: False, NO_RATIO: False, CISPO: False}, {FAMILY: "ppo"}),
        Case({SEQUENCES: True, NO_RATIO: False, CISPO: False}, {FAMILY: "gspo"}),
        Case({SEQUENCES: False, NO_RATIO: False, CISPO: True}, {FAMILY: "cispo"}),
        Case({SEQUENCES: False, NO_RATIO: True, CISPO: False}, {FAMILY: "gpg"}),
    ),
    refuses=("the ppo loss in the source, with clip ranges for it",),
)
"""nemo_rl/algorithms/loss/loss_functions.py: ClippedPGLossFn."""
AVERAGES = Cases(
    "NeMo-RL",
    "average",
    (
        Case({L + "token_level_loss": True}, {A + "loss_agg": "token-mean"}),
        Case({L + "token_level_loss": False}, {A + "loss_agg": "seq-mean-token-mean"}),
    ),
)
"""ClippedPGLossFn: LossType; global_valid_toks and global_valid_seqs are those of the whole update."""
TORN_AVERAGE = When(
    lambda c: c.writes and c.plan(FAMILY) == "gspo" and c.plan(A + "loss_agg") not in ("seq-mean-token-mean", None),
    "a ratio of sequences goes with any average",
)
BY_SEQUENCE = Means(
    A + "loss_agg", "seq-mean-token-mean", {L + "token_level_loss": False},
    how={L + "token_level_loss": "a ratio of sequences belongs to a mean over sequences here"}, state=State.NARROWED,
)  # fmt: skip
CORRECTION = EngineCorrection(
    "NeMo-RL",
    L + "use_importance_sampling_correction",
    L + "truncated_importance_sampling_type",
    L + "truncated_importance_sampling_ratio",
    L + "truncated_importance_sampling_ratio_min",
    SEQUENCES,
)


def _order(c: Context) -> str:
    """Return whether the baseline is off before the penalty is (ReinforcePlusPlusAdvantageEstimator.compute_advantage)."""
    return "after_norm" if c.plan(ADVANTAGE) == "reinforce_pp_baseline" else "before_norm"


ENGINES = L + "use_on_policy_kl_approximation"
SCORED = "its gradient also follows the probability of the token that was drawn, which elsewhere it does not (H91)"


def _gradient(r: ReadContext) -> str:
    """Describe how the gradient of the KL term differs from that of its estimator alone."""
    if r.native(ENGINES) is True:
        return "each token's penalty is weighed by the trainer's probability over the engine's"
    return SCORED if r.since(on.WEIGHTED) else ""


PENALTY = Penalty(
    "NeMo-RL",
    L + "reference_policy_kl_penalty",
    L + "reference_policy_kl_type",
    L + "use_kl_in_reward",
    on.WHITENS,
    on.kinds_of_penalty,
    _order,
    more=(ENGINES, on.INPUT, on.OUTPUT),
    narrows=_gradient,
)
"""ClippedPGLossFn.__call__; calculate_kl; ReinforcePlusPlusAdvantageEstimator."""

SAMPLES, MOST, MORE = "grpo.use_dynamic_sampling", "grpo.dynamic_sampling_max_gen_batches", "grpo.batch_multiplier"
FORCED = L + "force_on_policy_ratio"
OLD = "stage.sync.old_logprob"
NEAR_OLD = {
    "rollout_engine": ("recompute_at_rollout", "the trainer computes them anew; it never takes the engine's own"),
    "recompute_at_update": ("current", "the ratio is taken against the start of each update"),
}
FOLDS = (
    together(ESTIMATORS, why="nemo_rl/algorithms/advantage_estimator.py (H88)"),
    together(LOSSES, why="nemo_rl/algorithms/loss/loss_functions.py: ClippedPGLossFn"),
    together(
        Where(TORN_AVERAGE, BY_SEQUENCE, AVERAGES),
        Behaves(A + "loss_norm_scope", "update", "global_valid_toks counts the whole update", "NeMo-RL takes one mean over the whole update"),
        why="ClippedPGLossFn: LossType",
    ),
    together(PENALTY, why="ClippedPGLossFn.__call__: kl"),
    together(CORRECTION, why="ClippedPGLossFn.__call__: actor_importance_weights (H92)"),
    together(
        Cases("NeMo-RL", "old policy", (
            Case({FORCED: False}, {OLD: "recompute_at_rollout"}),
            Case({FORCED: True}, {OLD: "current"}),
        ), nearest=NEAR_OLD),
        why="grpo_train: prev_logprobs",
    ),
)  # fmt: skip
