"""Trinity's table, put together: all rows, what Trinity fixes, and what it has no control for."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.outcomes import UNSET
from rftconf.mappers.rates import (
    advantage_scope,
    critics_updates_per_tick,
    divides_logits,
    pass_order,
    tail,
    updates_per_tick,
    where_divided,
)
from rftconf.mappers.rows import Each, Fold, Table, cannot, fixed
from rftconf.mappers.shapes import together
from rftconf.mappers.trinity import (
    folds,
    folds_algorithm,
    folds_async,
    folds_data,
    folds_kl,
    folds_logprob,
    folds_loss,
    folds_model,
    folds_run,
    modes,
    questions,
    spellings,
    teachers,
    unread_arguments,
)
from rftconf.mappers.trinity.conditions import worth
from rftconf.mappers.trinity.demonstrations import DEMOS
from rftconf.mappers.trinity.folds_critic import MODEL_FOLD
from rftconf.mappers.trinity.folds_horizon import HORIZON
from rftconf.mappers.trinity.folds_roles import ROLES_FOLD
from rftconf.mappers.trinity.reasons import REASONS
from rftconf.mappers.trinity.rows_critic import ENGINE_ROWS
from rftconf.mappers.trinity.rows_run import AUXILIARY_ROWS, EVAL_TASK_ROWS, RUN_ROWS, TRAIN_TASK_ROWS
from rftconf.mappers.trinity.rows_training import TRAINING_ROWS, WORKER_ROWS
from rftconf.mappers.trinity.switches import SWITCHED_OFF
from rftconf.mappers.without_control import as_actor

A, B, D, P, Y = "stage.algorithm.", "stage.batch.", "stage.data.", "stage.placement.", "stage.sync."
ALGO, EXPLORER, SYNC = "algorithm.", "explorer.rollout_model.", "synchronizer."
TASKS, EVALS = "buffer.explorer_input.tasksets", "buffer.explorer_input.eval_tasksets"
ARGS = tuple(
    f"{ALGO}{name}_args"
    for name in ("advantage_fn", "policy_loss_fn", "kl_loss_fn", "kl_penalty_fn", "entropy_loss_fn")
)

FOLDS = (
    Fold(("buffer.batch_size", "buffer.train_batch_size", SYNC + "sync_interval", SYNC + "explorer_sync_interval",
          SYNC + "trainer_sync_interval", SYNC + "sync_offset", SYNC + "sync_style"),
         (B + "prompts_per_rollout", B + "sequences_per_update", DEMOS, Y + "driver", Y + "run_ahead_rollouts", Y + "every_rollouts", Y + "in_flight"),
         folds.read_batch, folds.write_batch, "explorer: need_sync; trainer: need_sync"),
    Fold(("mode", EXPLORER + "engine_num", "explorer.auxiliary_models[].engine_num"),
         (P + "layout", P + "rollout.gpus", P + "actor.gpus", P + "auxiliary[].gpus", *(f"{P}auxiliary[].{f}" for f in ("role", "own_pool", "colocate_with"))),
         folds_run.read_gpus, folds_run.write_gpus, "config_validator: _set_gpu_allocation_info"),
    Fold(("buffer.total_steps", "trainer.total_steps", "buffer.total_epochs"),
         ("stage.run_length.rollouts", "stage.run_length.epochs", "stage.run_length.last_partial"),
         folds_run.read_length, folds_run.write_length, "explorer and trainer stop on their own counters"),
    folds_run.warmup_fold("actor", "algorithm.optimizer", -1),
    folds_run.warmup_fold("critic", "trainer.trainer_config.critic.optim", -1),
    HORIZON,
    folds_run.EXPERTS,
    Fold((ALGO + "algorithm_type", ALGO + "advantage_fn", ARGS[0], *(f"{ARGS[0]}.{k}" for k in ("gamma", "lam", "std_cal_level", "epsilon", "std_threshold", "duplicate_experiences"))),
         (A + "advantage", A + "std_scope", A + "std_guard", A + "gamma", A + "lam", A + "whiten_advantage", A + "critic.enabled",
          *(f"{A}filters[].{f}" for f in ("kind", "metric", "action", "threshold", "max_in_flight_rollouts"))),
         folds_algorithm.read_advantage, folds_algorithm.write_advantage, "algorithm/algorithm.py, algorithm/advantage_fn"),
    Fold((ALGO + "algorithm_type", ALGO + "advantage_fn", ARGS[0], teachers.COEF, teachers.MIXTURE), teachers.PLANS,
         teachers.read_teacher, teachers.write_teacher, "algorithm/advantage_fn: on_policy_distill, jsd", teachers.TAUGHT),
    Fold((ALGO + "policy_loss_fn", ALGO + "loss_agg_mode", ARGS[1],
          *(f"{ARGS[1]}.{k}" for k in ("clip_range", "clip_range_low", "clip_range_high", "clip_ratio_c", "loss_agg_mode", "tau_pos", "tau_neg",
                                             "fallback_to_policy_gradient"))),
         (*(f"{A}policy_loss.{f}" for f in ("family", "clip_low", "clip_high", "dual_clip_c", "tau_pos", "tau_neg")),
          A + "loss_agg", A + "loss_agg_tokens", A + "loss_norm_scope"),
         folds_loss.read_policy_loss, folds_loss.write_policy_loss, "algorithm/policy_loss_fn; H25, H33, H34"),
    together(folds_kl.KL_LOSS, why="algorithm/kl_fn; H35, H36"),
    Fold((ALGO + "kl_penalty_fn", ARGS[3], ARGS[3] + ".kl_coef", ARGS[3] + ".adaptive"),
         tuple(f"{A}kl_reward.{f}" for f in ("enabled", "estimator", "coef", "controller", "target", "horizon", "order")),
         folds_kl.read_kl_reward, folds_kl.write_kl_reward, "algorithm/kl_fn; H37, H67"),
    Fold((ALGO + "entropy_loss_fn", ARGS[4], ARGS[4] + ".entropy_coef"), (A + "entropy_coef",),
         folds_kl.read_entropy, folds_kl.write_entropy, "algorithm/entropy_loss_fn"),
    Fold(folds_logprob.KEYS, (Y + "old_logprob", A + "rollout_correction"),
         folds_logprob.read_old_logprob, folds_logprob.write_old_logprob, "trainer/verl/trainer.py"),
    Fold((*(f"{t}[].{k}" for t in (TASKS, EVALS) for k in ("path", "split", *(f"rollout_args.{f}" for f in folds_data.SAMPLING))),
          EVALS + "[].repeat_times", TASKS + "[].data_selector.selector_type", TASKS + "[].data_selector.seed"),
         (*(f"{D}{s}[].{f}" for s in ("train", "eval") for f in ("uri", "split", "selector", *(f"sampling.{x}" for x in (*folds_data.SAMPLING, "responses")))),
          D + "shuffle", D + "seed", D + "mixing", "stage.sampling.train.top_k", *(f"stage.sampling.eval.{x}" for x in (*folds_data.SAMPLING, "responses"))),
         folds_data.read_places, folds_data.write_places, "buffer/reader, buffer/selector, config_validator: _fill_taskset_config"),
    Each(TASKS, D + "train", TRAIN_TASK_ROWS),
    Each(EVALS, D + "eval", EVAL_TASK_ROWS),
    Each("explorer.auxiliary_models", P + "auxiliary", AUXILIARY_ROWS),
    together(folds_model.ADAPTER, why=folds_model.ADAPTER.why, natives=(folds_model.TINKER, folds_model.SERVED)),
    ROLES_FOLD,
    MODEL_FOLD,
    SWITCHED_OFF,
    folds_model.MONITOR,
    folds_model.TEMPLATE,
    folds_model.CRITIC_PATH,
    folds_model.KIND,
)  # fmt: skip

FIXED = (
    fixed(lambda p: p.stage.batch.pass_order, lambda c: pass_order(c, "per_update"),
          why="each update's sequences are repeated E times in a row"),
    fixed(lambda p: p.stage.batch.uneven_tail, lambda c: tail(c, "forbid"), why="the trainer waits for whole batches (H7)"),
    fixed(lambda p: p.stage.algorithm.advantage_scope,
          lambda c: advantage_scope(c, "update" if c.plan(A + "advantage") in ("gae", "reinforce_pp", "rloo") else "rollout"),
          why="the trainer computes advantages per train step; group advantages are per prompt (H42)"),
    fixed(lambda p: p.stage.optim.actor.updates_per_tick, updates_per_tick, why="the scheduler ticks with each train step (H44)"),
    fixed(lambda p: p.stage.optim.critic.updates_per_tick, critics_updates_per_tick, why="the scheduler ticks with each train step (H44)"),
    fixed(lambda p: p.stage.algorithm.std_ddof, lambda c: where_divided(c, 1), why="rewards are divided by the deviation of a sample (H38)"),
    fixed(lambda p: p.stage.algorithm.divide_logits_by_temperature, lambda c: divides_logits(c, True), why="the trainer divides logits by the temperature (H28)"),
)  # fmt: skip


def _only_domain(context: Any, path: str) -> Any:
    """The answers of the only domain are all answers."""
    return context.plan(path) if context.items("stage.data.domains") == 1 else UNSET


def _as_micro(context: Any, path: str) -> Any:
    """Other micro-batches follow the actor's."""
    return context.plan(f"{B}micro.{path.rsplit('.', 1)[1]}")


CANNOT = (
    cannot("stage.algorithm.preference.*", why="a run with rewards has no pairs of answers"),
    cannot("stage.algorithm.distillation.*", why="a run with rewards follows no teacher on given texts"),
    cannot("stage.data.*[].keys.chosen", why="a run with rewards has no pairs of answers"),
    cannot("stage.data.*[].keys.rejected", why="a run with rewards has no pairs of answers"),
    cannot("stage.algorithm.policy_loss.value_cap", why="the loss of a token has no largest value; dual clip bounds c*|A| (H32)"),
    cannot("identity.resume_path", why="Trinity resumes only from <root>/<project>/<name>"),
    cannot("stage.model.tokenizer_path", why="Trinity takes the model's own tokenizer"),
    cannot("stage.model.critic_tokenizer_path", why="the critic uses the policy's tokenizer", behaves=lambda c, _: c.plan("stage.model.path")),
    cannot("stage.batch.prompts_per_fetch", why="the explorer fetches one batch at a time"),
    cannot("stage.batch.log_prob.*", why="old log-probabilities follow trainer.use_dynamic_bsz and trainer.max_token_len_per_gpu", behaves=_as_micro),
    cannot("stage.batch.reference.*", why="the reference follows trainer.use_dynamic_bsz and trainer.max_token_len_per_gpu", behaves=_as_micro),
    cannot("stage.batch.critic.*", why="the critic follows trainer.use_dynamic_bsz and trainer.max_token_len_per_gpu", behaves=_as_micro),
    cannot("stage.batch.critic_infer.*", why="the critic follows trainer.use_dynamic_bsz and trainer.max_token_len_per_gpu", behaves=_as_micro),
    cannot("stage.batch.micro.*", why="micro-batches are sized by tokens here"),
    cannot("stage.batch.critic_sequences_per_update", why="the critic's update is buffer.train_batch_size, as the actor's",
           behaves=lambda c, _: c.plan(B + "sequences_per_update")),
    cannot("stage.optim.actor.min_lr", why="only a ratio: algorithm.optimizer.min_lr_ratio",
           behaves=lambda c, _: c.plan("stage.optim.actor.min_lr")),
    cannot("stage.optim.*.min_lr", why="only a ratio", behaves=0.0),
    cannot("stage.optim.*.extra", why="not an option of Trinity's optimizer"),
    cannot("stage.optim.critic.kind", why="the critic trains with AdamW", behaves="adamw"),
    cannot("stage.optim.*", why="no decay, so nothing to bound"),
    cannot("stage.placement.*.mesh.*", why="FSDP splits data and sequences over GPUs, and nothing else", behaves=1),
    cannot("stage.placement.*.megatron.*", why="one Megatron layout for all roles", behaves=as_actor),
    cannot("stage.placement.*.offload.*", why="no offload of its own for this role", behaves=False),
    cannot("stage.placement.*.torch_compile", why="the trainer always compiles", behaves=True),
    cannot("stage.placement.*.use_orig_params", why="FSDP flattens parameters", behaves=False),
    cannot("stage.placement.*.seed", why="no seed of its own for the trainer", behaves=42),
    cannot("stage.placement.*.full_determinism", why="no deterministic mode", behaves=False),
    cannot("stage.placement.critic.entropy_*", why="a critic has no entropy", behaves=False),
    cannot("stage.placement.*.gpus", why="all trainer roles share the trainer's GPUs", behaves=lambda c, _: c.plan(P + "actor.gpus")),
    cannot("stage.placement.rollout.load_format", why="Trinity loads engines from the model path"),
    cannot("stage.placement.rollout.extra", why="engine arguments go under explorer.rollout_model.extra_engine_args"),
    cannot("stage.placement.auxiliary[].max_num_seqs", why="auxiliary engines take vLLM's default"),
    cannot("stage.placement.auxiliary[].load_format", why="Trinity loads helpers from the model path", behaves="auto"),
    cannot("stage.placement.auxiliary[].domain", why="the workflow of a task set decides which answers a helper is asked about",
           behaves=_only_domain),
    cannot("stage.placement.auxiliary[].prompt", why="what a judge is asked is code: put it into the workflow"),
    cannot("stage.placement.auxiliary[].sampling.responses", why="a workflow says how many verdicts it wants", behaves=1),
    cannot("stage.placement.auxiliary[].sequences_per_pass", why="engines take as many requests at once as they have room for"),
    cannot("stage.placement.*", why="no control of its own for this role"),
    cannot("stage.sampling.train.responses", why="algorithm.repeat_times says it"),
    cannot("stage.sampling.eval.*", why="evaluation takes the model's value", behaves=1.0),
    cannot("stage.model_options.liger", why="Trinity does not use Liger kernels", behaves=False),
    cannot("stage.data.environments[].*", why="an environment is a multi-step workflow here: write one and name it in default_workflow_type"),
    cannot("stage.turns.*", why="turns and tools are Python here: write a multi-step workflow and name it in default_workflow_type"),
    cannot("stage.data.domains[].*", why="a data set has one workflow and one reward: split the file by tag and give each part a task set"),
    cannot("stage.data.rows", why="counted from the data"),
    cannot("stage.data.*_max_samples", why="cut the file itself: Trinity reads all of it"),
    cannot("stage.data.loader_workers", why="Trinity's readers have no worker processes"),
    cannot("stage.data.dataset_class*", why="Trinity's data sets come from a storage type and a format, not from a user's class"),
    cannot("stage.data.*[].sampling.repetition_penalty", why="model.repetition_penalty holds for all data sets"),
    cannot("stage.data.*[].sampling.ignore_eos", why="one ignore_eos for all data sets"),
    cannot("stage.data.*[].seed", why="the selector's seed"),
    cannot("stage.data.*[].trained_turns", why="a workflow decides which of its answers are trained on"),
    cannot("stage.data.eval[].*", why="evaluation reads its set from front to back"),
    cannot("stage.reward.function_*", why="rewards are registered Python classes: wrap the function and name it in default_reward_fn_type"),
    cannot("stage.reward.manager", why="the workflow computes rewards", behaves="naive"),
    cannot("stage.reward.manager_args", why="give them to the reward function as reward_fn_args"),
    cannot("stage.seeds.global_seed", why="seeds belong to selectors and engines"),
    cannot("stage.name", why="only stages have names", behaves=None),
    cannot("stage.init_from", why="stages start from the previous one by themselves", behaves="base"),
)  # fmt: skip

TRINITY = Table(
    framework="trinity",
    rows=(*FOLDS, *RUN_ROWS, *TRAINING_ROWS, *WORKER_ROWS, *ENGINE_ROWS, *FIXED, folds_async.WITHOUT_EVALUATION),
    cannot=CANNOT,
    reasons=REASONS,
    worth=worth,
    target=questions.TARGET,
    questions=questions.questions,
    completes=questions.complete,
    kind_of=folds_model.kind_of,
    decides={
        "mode": "whether the run trains: it is read as one that does",
        ALGO + "algorithm_type": "how advantages are made, and what is left out: it is read as ppo",
        ALGO + "advantage_fn": "how advantages are made",
        ALGO + "kl_penalty_fn": "whether there is a KL in the rewards",
        ALGO + "kl_penalty_fn_args.adaptive": "how the coefficient of the KL moves: it is read as fixed",
        ALGO + "policy_loss_fn": "which options of the loss act",
        ALGO + "loss_agg_mode": "what the loss is divided by",
        "trainer.trainer_strategy": "which options of the trainer act: it is read as fsdp",
        "model.tinker.enable": "who trains: it is read as if this run did",
    },
    spelled=spellings.usual,
    at_default=unread_arguments.at_default,
    dialect=modes.half_of_a_run,
    kinds=("rl", "distill"),
    sections=("mode", "project", "group", "name", "checkpoint_root_dir", "continue_from_checkpoint", "algorithm", "model", "cluster",
              "buffer", "explorer", "synchronizer", "trainer", "monitor", "log"),
)  # fmt: skip
