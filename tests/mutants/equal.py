"""Breaks that change nothing, with the reason; by name, without the line."""

EQUAL = {
    "rftconf/mappers/trinity/folds_steps.py unit: Unit.ROLLOUTS -> Unit.UPDATES": (
        "a run without rollouts has one update a period, so that both are worth the same"
    ),
    "rftconf/mappers/verl/folds_sft.py unit: Unit.UPDATES -> Unit.TRAIN_STEPS": (
        "a supervised run counts updates in every counter, so that both are worth the same (rates.worth_supervised)"
    ),
    "rftconf/mappers/roll/folds_lengths.py default: w.put(ENGINE_LENGTH, whole, LENGTH + 'model_max_tokens', default=None)"
    " -> w.put(ENGINE_LENGTH, whole, LENGTH + 'model_max_tokens', default='a...": (
        "a length is a number, which is neither of the two defaults, so that the key is written beside both"
    ),
}
