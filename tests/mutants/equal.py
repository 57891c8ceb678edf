"""Breaks that change nothing, with the reason; by name, without the line."""

NULLS = "it tells a null from a value that is written, and a null is only written where the file has it"
EQUAL = {
    "rftconf/mappers/roll/rows_workers.py default: config(lambda m: m.expert_tensor_parallel_size, lambda w: w.megatro..."
    " -> config(lambda m: m.expert_tensor_parallel_size, lambda w: w.megatro...": NULLS,
    "rftconf/mappers/trinity/rows_run.py default: row(lambda c: c.explorer.rollout_model.extra_engine_args.max_num_se..."
    " -> row(lambda c: c.explorer.rollout_model.extra_engine_args.max_num_se...": NULLS,
    "rftconf/mappers/trinity/folds_steps.py unit: Unit.ROLLOUTS -> Unit.UPDATES": (
        "a run without rollouts has one update a period, so that both are worth the same"
    ),
}
