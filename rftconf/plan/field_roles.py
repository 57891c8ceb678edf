"""A field's role tells the purpose of a plan field that is not part of the mathematics."""

from __future__ import annotations

PERFORMANCE = "performance"
"""Marks fields that change speed or memory only; they count for `plan_id`, not for `math_id`."""


MEASUREMENT = "measurement"
"""Marks what is evaluated and saved, and when; it counts for `plan_id`, and for `math_id` only of runs that do nothing else."""


BOOKKEEPING = "bookkeeping"
"""Marks names, paths of outputs and logging; they count for neither hash."""
