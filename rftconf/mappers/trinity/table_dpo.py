"""Trinity's table for runs on pairs of answers: the supervised one, its loss, and the reference that this is taken against."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Each, Fixed, Fold, Reason, Row, Table, cannot, fixed
from rftconf.mappers.trinity import folds_dpo, folds_model, folds_run, folds_sft, folds_steps, questions, table_sft
from rftconf.mappers.trinity.folds_roles import ROLES_FOLD
from rftconf.mappers.trinity.rows_run import RUN_ROWS
from rftconf.mappers.trinity.rows_training import TRAINING_ROWS, WORKER_ROWS
from rftconf.mappers.trinity.switches import SWITCHED_OFF
from rftconf.mappers.trinity.table import ARGS, TRINITY
from rftconf.plan.kinds import counts_for_preference

A, B = "stage.algorithm.", "stage.batch."
OWNED = (
    "trainer.save_interval", "explorer.eval_interval", "algorithm.repeat_times", "trainer.use_dynamic_bsz", "trainer.max_token_len_per_gpu",
    *folds_dpo.MICRO, folds_dpo.CHECKED,
)  # fmt: skip
"""Keys that a fold of this table speaks for, or that do nothing here."""
RUNS = tuple(
    row
    for row in (*RUN_ROWS, *TRAINING_ROWS, *WORKER_ROWS)
    if isinstance(row, Row) and counts_for_preference(row.plan) and row.native not in OWNED
)

FOLDS = (
    folds_steps.trainer_alone("dpo", why="cli/launcher: mode; DPOAlgorithm"),
    Fold(("buffer.train_batch_size", "cluster.node_num", "model.max_prompt_tokens", "model.max_response_tokens"),
         (folds_sft.SAMPLES, "stage.placement.actor.gpus"), folds_dpo.read_update, folds_dpo.write_update,
         "split_dpo_experience_to_single_turn; ppo_mini_batch_size = train_batch_size"),
    Fold(("trainer.use_dynamic_bsz", *folds_dpo.MICRO, folds_dpo.CHECKED),
         (B + "micro.dynamic", B + "micro.tokens_per_rank", *folds_dpo.MICRO.values(), folds_dpo.SCORED),
         folds_dpo.read_micro, folds_dpo.write_micro, "policy_loss_fn/dpo_loss: masked_sum over a micro-batch"),
    folds_dpo.DATA_SET,
    folds_steps.LENGTH,
    folds_steps.INTERVAL,
    Fold(("algorithm.policy_loss_fn_args.beta", "algorithm.policy_loss_fn_args.label_smoothing", "algorithm.kl_loss_fn", ARGS[2], ARGS[2] + ".kl_coef",
          "algorithm.entropy_loss_fn", ARGS[4], ARGS[4] + ".entropy_coef"),
         (*(f"{A}preference.{f}" for f in ("loss", "beta", "label_smoothing")), *(f"{A}kl_loss.{f}" for f in ("enabled", "estimator", "coef")),
          A + "entropy_coef", A + "loss_norm_scope"),
         folds_dpo.read_loss, folds_dpo.write_loss, "policy_loss_fn/dpo_loss; DPOAlgorithm: check_config"),
    folds_run.warmup_fold("actor", "algorithm.optimizer", -1),
    folds_model.ADAPTER,
    folds_model.MONITOR,
    ROLES_FOLD,
)  # fmt: skip
ROWS: tuple[Row | Fold | Each | Fixed, ...] = (
    *FOLDS,
    *RUNS,
    SWITCHED_OFF,
    fixed(lambda p: p.stage.batch.passes, 1, why="a run on pairs takes each batch once"),
    fixed(lambda p: p.stage.data.mixing, "concat", why="one data set"),
)
HEARD = ("algorithm.kl_*", "algorithm.entropy_*")
"""What supervised runs have no use for, and runs on pairs have."""

UNHEARD = (
    Reason("algorithm.kl_penalty_fn*", State.DEAD_IN_SOURCE, "pairs have no reward that a KL penalty could be taken from"),
    Reason("algorithm.policy_loss_fn_args", State.DEAD_IN_SOURCE, "dpo_loss takes beta and label_smoothing, which have rows"),
    Reason("algorithm.loss_agg_mode", State.NO_COUNTERPART, "how the KL and entropy terms beside the loss are averaged; dpo_loss averages pairs"),
)  # fmt: skip

TRINITY_DPO = Table(
    framework="trinity",
    rows=ROWS,
    cannot=(
        cannot("stage.model.thinking", why="samples have their own switch: format.enable_thinking"),
        cannot("stage.batch.reference.*", why="the reference follows trainer.use_dynamic_bsz"),
        cannot("stage.batch.log_prob.*", why="nothing but the reference computes log-probabilities beforehand"),
        cannot("stage.placement.reference.gpus", why="all trainer roles share the trainer's GPUs",
               behaves=lambda c, _: c.plan("stage.placement.actor.gpus")),
        *table_sft.TRINITY_SFT.cannot,
    ),
    reasons=UNHEARD + tuple(reason for reason in table_sft.TRINITY_SFT.reasons if reason.keys not in HEARD),
    worth=folds_dpo.worth,
    target=questions.TARGET,
    questions=questions.questions,
    completes=questions.complete,
    kinds=("dpo",),
    sections=TRINITY.sections,
)  # fmt: skip
