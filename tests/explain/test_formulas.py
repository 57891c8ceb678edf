"""Plan fields as arithmetic over native keys, by running rows and folds on names."""

from __future__ import annotations

import pytest

from rftconf.explain.fields import field_support
from rftconf.explain.formulas import formula_of, formula_with
from rftconf.mappers.rows import Fold, Row, plans_of
from rftconf.mappers.tables import all_tables, table_of

PERIOD = "prompts_per_rollout * responses_per_prompt"


@pytest.mark.parametrize(
    ("framework", "field", "formula"),
    [
        ("verl", "batch.prompts_per_rollout", "data.train_batch_size"),
        ("verl", "placement.actor.gpus", "trainer.nnodes * trainer.n_gpus_per_node"),
        (
            "verl",
            "optim.actor.warmup_updates",
            f"actor_rollout_ref.actor.optim.lr_warmup_steps * {PERIOD} * passes / sequences_per_update",
        ),
        ("verl", "batch.micro.tokens_per_rank", "actor_rollout_ref.actor.ppo_max_token_len_per_gpu * sp"),
        ("trinity", "batch.prompts_per_rollout", "buffer.batch_size * synchronizer.explorer_sync_interval"),
        ("trinity", "sync.run_ahead_rollouts", "synchronizer.sync_offset / synchronizer.explorer_sync_interval"),
        (
            "trinity",
            "cadence.save_rollouts",
            f"trainer.save_interval * sequences_per_update / ({PERIOD})",
        ),
        ("roll", "length.response_max_tokens", "sequence_length - prompt_length"),
        ("chatlearn", "batch.prompts_per_rollout", "runtime_args.sample_per_episode / responses_per_prompt"),
        ("chatlearn", "batch.sequences_per_update", ""),
        ("verl", "algorithm.advantage", ""),
    ],
)
def test_formulas(framework: str, field: str, formula: str) -> None:
    assert field_support(framework, f"stage.{field}").formula == formula


def test_one_key_alone_with_the_others_at_their_defaults() -> None:
    path = "stage.batch.sequences_per_update"
    fold = next(row for row in table_of("roll").rows if isinstance(row, Fold) and path in row.plans)
    key = "actor_train.training_args.gradient_accumulation_steps"
    assert formula_with("roll", path, fold, key) == f"{key} * trainer_gpus * 8 / sp"
    assert formula_with("roll", path, fold, "rollout_batch_size") == ""


@pytest.mark.parametrize(("framework", "kind"), all_tables(), ids="-".join)
def test_every_row_of_every_table_runs_on_names(framework: str, kind: str) -> None:
    for row in table_of(framework, kind).rows:
        if isinstance(row, (Row, Fold)):
            for path in plans_of(row):
                assert isinstance(formula_of(framework, path, row, kind), str)
