"""Trinity's table for supervised stages: the rows of the trainer, and what only the trainer reads."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rates import worth_supervised
from rftconf.mappers.rows import Fold, Reason, Row, Table, cannot, fixed
from rftconf.mappers.trinity import folds_model, folds_run, folds_sft, folds_steps, questions
from rftconf.mappers.trinity.reasons import FILLED, REASONS, SECRETS
from rftconf.mappers.trinity.rows_run import RUN_ROWS
from rftconf.mappers.trinity.rows_training import TRAINING_ROWS, WORKER_ROWS
from rftconf.mappers.trinity.switches import SWITCHED_OFF
from rftconf.mappers.trinity.table import CANNOT, TRINITY
from rftconf.plan.kinds import counts_for_supervised

A = "stage.algorithm."
RUNS = tuple(
    row
    for row in (*RUN_ROWS, *TRAINING_ROWS, *WORKER_ROWS)
    if isinstance(row, Row)
    and counts_for_supervised(row.plan)
    and row.native not in ("trainer.save_interval", "explorer.eval_interval", "algorithm.repeat_times")
)

FOLDS = (
    folds_steps.trainer_alone("sft", why="cli/launcher: mode; SFTAlgorithm"),
    Fold(("buffer.train_batch_size", "cluster.node_num", "model.max_prompt_tokens", "model.max_response_tokens"),
         (folds_sft.SAMPLES, "stage.placement.actor.gpus"), folds_sft.read_update, folds_sft.write_update, "BufferConfigValidator"),
    folds_sft.DATA_SET,
    folds_steps.LENGTH,
    folds_steps.INTERVAL,
    Fold(("algorithm.loss_agg_mode", "algorithm.policy_loss_fn_args", "algorithm.policy_loss_fn_args.loss_agg_mode"),
         (A + "loss_agg", A + "loss_norm_scope"), folds_sft.read_loss, folds_sft.write_loss, "policy_loss_fn/sft_loss"),
    folds_run.warmup_fold("actor", "algorithm.optimizer", -1),
    folds_model.ADAPTER,
    folds_model.MONITOR,
)  # fmt: skip

OWN = (
    cannot("stage.data.eval[].*", why="a Trinity trainer on its own evaluates on nothing: benchmark its checkpoints (mode bench)"),
    cannot("stage.cadence.eval_rollouts", why="a Trinity trainer on its own evaluates on nothing: benchmark its checkpoints (mode bench)"),
    cannot("stage.algorithm.loss_agg_tokens", why="the padded length of the batch"),
    cannot("stage.algorithm.*", why="a supervised run has no rewards"),
    cannot("stage.sampling.*", why="a supervised run does not sample"),
    cannot("stage.sync.*", why="a supervised run has no engines to pass weights to"),
    cannot("stage.reward.*", why="a supervised run has no rewards"),
    cannot("stage.length.*", why="a supervised run has samples of one length limit"),
    cannot("stage.batch.*", why="a supervised run reads every sample once an epoch"),
    cannot("stage.seeds.*", why="the selector's seed"),
    cannot("stage.cadence.*", why="a supervised run does not evaluate at its start"),
    cannot("stage.model.critic_*", why="a supervised run has no critic"),
    cannot("stage.model.thinking", why="samples have their own switch: format.enable_thinking"),
    cannot("stage.model_options.critic_*", why="a supervised run has no critic"),
    cannot("stage.checkpoint.critic_keep", why="a supervised run has no critic"),
    cannot("stage.placement.*", why="a supervised run has one role, the actor"),
)  # fmt: skip
"""What this kind of run lacks, behind what Trinity as a whole lacks."""

ASLEEP = tuple(
    Reason(key, State.DEAD_IN_SOURCE, why)
    for key, why in (
        ("explorer.*", "a supervised stage starts no explorer"),
        (
            "buffer.explorer_*",
            "a supervised stage explores nothing: its samples are buffer.trainer_input.experience_buffer",
        ),
        ("buffer.batch_size", "counts prompts of the explorer, which a supervised stage does not start"),
        ("synchronizer.*", "a supervised stage syncs at every save_interval, through checkpoints, whatever is written"),
        ("algorithm.repeat_times", "a supervised stage takes each sample as it is"),
        ("algorithm.kl_*", "the loss of a supervised stage has no KL term"),
        ("algorithm.entropy_*", "the loss of a supervised stage has no entropy term"),
        ("algorithm.advantage_*", "a supervised stage has no advantages"),
        ("algorithm.policy_loss_fn", "the class sft brings its own loss"),
        ("trainer.critic_warmup", "a supervised stage has no critic"),
        ("trainer.trainer_config.critic*", "a supervised stage has no critic"),
        ("model.critic_model_path", "a supervised stage has no critic"),
        ("model.temperature", "a supervised stage samples nothing"),
        ("model.top_*", "a supervised stage samples nothing"),
        ("model.repetition_penalty", "a supervised stage samples nothing"),
        ("model.min_response_tokens", "a supervised stage samples nothing"),
        ("model.enable_prompt_truncation", "a supervised stage takes prompt and answer as one sample"),
        ("algorithm.bypass_old_logprobs", "a supervised stage has no old policy"),
        ("algorithm.rollout_correction*", "a supervised stage has no old policy"),
    )
)

_KEPT = (
    "stage.model.tokenizer_path", "stage.optim.*.decay_updates", "stage.optim.actor.min_lr", "stage.optim.*.extra",
    "stage.placement.*.offload.*", "stage.placement.*.torch_compile", "stage.placement.*.use_orig_params", "stage.placement.*.seed",
    "stage.placement.*.full_determinism", "stage.model_options.liger", "stage.data.rows", "stage.data.*_max_samples",
    "stage.data.loader_workers", "stage.data.dataset_class*", "stage.name", "stage.init_from", "identity.resume_path",
    "stage.optim.*", "stage.data.environments[].*", "stage.turns.*", "stage.data.domains[].*",
)  # fmt: skip

TRINITY_SFT = Table(
    framework="trinity",
    rows=(
        *FOLDS,
        *RUNS,
        SWITCHED_OFF,
        fixed(lambda p: p.stage.batch.passes, 1, why="a supervised run takes each batch once"),
        fixed(lambda p: p.stage.data.mixing, "concat", why="one data set"),
    ),
    cannot=(
        cannot("stage.data.train[].seed", why="the selector's seed"),
        cannot("stage.data.train[].*", why="the trainer's samples have no workflow, reward or sampling"),
        *OWN[:2],
        cannot("stage.optim.critic.*", why="a supervised run has no critic"),
        *(entry for entry in CANNOT if entry.plan in _KEPT),
        *OWN[2:],
    ),
    reasons=(
        *SECRETS,
        *ASLEEP,
        # config_validator: set_if_none(experience_buffer.format, "enable_thinking", config.model.enable_thinking)
        Reason(
            "model.enable_thinking",
            State.NO_COUNTERPART,
            "fills format.enable_thinking of the samples, which their chat template is told; set the target's own switch by hand",
        ),
        *FILLED,
        *REASONS,
    ),
    worth=worth_supervised,
    target=questions.TARGET,
    questions=questions.questions,
    completes=questions.complete,
    kinds=("sft",),
    sections=TRINITY.sections,
)
