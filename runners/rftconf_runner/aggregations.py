"""The plan's words for how the losses of an update's tokens become one number."""

from __future__ import annotations

SUMS = {"token-sum", "sum-over-len"}
"""Divided by no number of tokens or sequences."""
OVER_LENGTH = {"sum-over-len", "seq-mean-sum-over-len"}
"""Divided by a length that is the same for every sequence: one name in the frameworks, and two meanings (H61)."""
FAMILIES = {"ppo", "gspo", "cispo", "geo_mean", "gpg"}
"""Policy losses that the runner has; `losses.POLICY` has the function of each."""
OF_SEQUENCES = {"geo_mean": "seq-mean-token-mean"}
"""Families whose policy term is a mean over sequences, whatever the plan says of the other terms."""
AGGREGATIONS = {"token-mean", "seq-mean-token-mean", "seq-mean-token-sum"} | SUMS | OVER_LENGTH
