"""Breaks that change nothing, with the reason; by name, without the line."""

EQUAL = {
    "rftconf/mappers/trinity/folds_steps.py unit: Unit.ROLLOUTS -> Unit.UPDATES": (
        "a run without rollouts has one update a period, so that both are worth the same"
    ),
}
