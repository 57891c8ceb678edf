"""Names in formulas of plan values that a person tells by an option of their own, and not as a variable."""

from __future__ import annotations

OPTIONS = {"ROWS": "--rows N", "ROLLOUT_GPUS": "--rollout-gpus N", "steps_per_episode": "--assume steps_per_episode=N"}
"""A name to the option that tells it; other names are variables, which --set binds."""
