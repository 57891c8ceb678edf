"""The plan's words for how the losses of an update's tokens become one number."""

from __future__ import annotations

from typing import Any

SUMS = {"token-sum", "sum-over-len"}
"""Divided by no number of tokens or sequences."""
OVER_LENGTH = {"sum-over-len", "seq-mean-sum-over-len"}
"""Divided by a length that is the same for every sequence: one name in the frameworks, and two meanings (H61)."""
FAMILIES = {
    "ppo",
    "gspo",
    "cispo",
    "geo_mean",
    "gpg",
    "sapo",
    "dppo_tv",
    "dppo_kl",
    "dro",
    "opmd",
    "topr",
    "sppo",
    "rec",
    "topr_by_reward",
    "tis",
    "kimi15",
}
"""Policy losses that the runner has; `losses.POLICY` has the function of each."""
CLIPPED_TWICE = {"ppo", "dppo_tv", "dppo_kl"}
"""Families that read a second bound."""
OF_SEQUENCES = {"geo_mean": "seq-mean-token-mean"}
"""Families whose policy term is a mean over sequences, whatever the plan says of the other terms."""
TAUS = {"tau_pos": 1.0, "tau_neg": 1.05}
"""SAPO's temperatures where the plan does not say: those of veRL's ActorConfig."""
REC_WORDS = {
    "clip_mode": ("none", "one-side", "two-side"),
    "weight": ("none", "importance_sampling", "advantage"),
    "regularizer": ("none", "k2", "forward-kl"),
}
"""The words of each choice of REC that are computed; Trinity has further ones, which are refused."""
REC_NUMBERS = ("epsilon_low", "epsilon_high", "regularizer_coef", "temp")
AGGREGATIONS = {"token-mean", "seq-mean-token-mean", "seq-mean-token-sum"} | SUMS | OVER_LENGTH


def norm_scope(family: Any, stated: Any) -> Any:
    """Return what a family's mean is taken over. veRL takes geo_mean's over each micro-batch and adds these up, where other
    losses have one mean over the update (core_algos.compute_policy_loss_geo_mean knows no `global_batch_info`)."""
    return "micro_batch_sum" if family in OF_SEQUENCES and stated == "update" else stated
