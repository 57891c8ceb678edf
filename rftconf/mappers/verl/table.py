"""veRL's table, put together: all rows, what veRL fixes, and what it has no control for."""

from __future__ import annotations

from rftconf.mappers.rates import (
    advantage_scope,
    critics_updates_per_tick,
    divides_logits,
    pass_order,
    tail,
    updates_per_tick,
    where_divided,
)
from rftconf.mappers.rows import Fold, Table, cannot, fixed
from rftconf.mappers.shapes import together
from rftconf.mappers.thinking import TemplateArgument
from rftconf.mappers.verl import (
    folds,
    folds_data,
    folds_decay,
    folds_pools,
    folds_recipes,
    folds_reward,
    folds_rollout,
    folds_schedule,
    folds_teacher,
    forks,
    needs,
    questions,
)
from rftconf.mappers.verl.conditions import WHITENED, kind_of, separate_async, single_ticks, v1_trainer, worth
from rftconf.mappers.verl.reasons import REASONS
from rftconf.mappers.verl.rows_critic import CRITIC_ROWS
from rftconf.mappers.verl.rows_run import RUN_ROWS
from rftconf.mappers.verl.rows_training import ALGORITHM_ROWS, ENGINE_ROWS, OPTIMIZER_ROWS
from rftconf.mappers.verl.rows_workers import WORKER_ROWS
from rftconf.mappers.verl.teachers import follows_teacher
from rftconf.mappers.without_control import common_sampling

ACTOR, ROLLOUT = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout."
P, Y, A = "stage.placement.", "stage.sync.", "stage.algorithm."

FOLDS = (
    Fold(
        ("trainer.use_v1", "trainer.v1.trainer_mode", "trainer.v1.separate_async.parameter_sync_step",
         "trainer.v1.separate_async.num_warmup_batches", "trainer.v1.colocate_async.num_warmup_batches",
         "actor_rollout_ref.hybrid_engine", ROLLOUT + "nnodes", ROLLOUT + "n_gpus_per_node",
         "trainer.nnodes", "trainer.n_gpus_per_node", *folds_recipes.ENGINE_POOL, folds_recipes.STALENESS,
         folds_recipes.PARTIAL, folds_recipes.VALIDATES, folds_recipes.LENDS),
        ("cluster.nodes", "cluster.gpus_per_node", P + "layout", P + "actor.gpus", P + "rollout.gpus", Y + "run_ahead_rollouts", Y + "in_flight", Y + "driver", Y + "every_rollouts"),
        folds_pools.read_mode, folds_pools.write_mode, "main_ppo: trainer registry"),
    Fold(("algorithm.adv_estimator", "algorithm.norm_adv_by_std_in_grpo"), (A + "advantage", A + "std_scope"),
         folds.read_advantage, folds.write_advantage, "core_algos: estimator registry"),
    Fold(("critic.enable", "algorithm.adv_estimator"), (A + "critic.enabled",), folds.read_critic, folds.write_critic, "ppo/utils: need_critic"),
    Fold((ACTOR + "policy_loss.loss_mode", ACTOR + "loss_agg_mode", ACTOR + "loss_scale_factor"),
         (A + "policy_loss.family", A + "loss_agg", A + "loss_agg_tokens", A + "loss_norm_scope"),
         folds.read_loss, folds.write_loss, "core_algos: loss registry and agg_loss"),
    folds_schedule.RUN_LENGTH,
    folds_schedule.schedule_fold("actor", ACTOR + "optim"),
    folds_schedule.schedule_fold("critic", "critic.optim"),
    folds_decay.DECAY,
    folds_data.FILES,
    Fold(("reward.custom_reward_function.path", "reward.custom_reward_function.name", "reward.custom_reward_function.reward_kwargs",
          "reward.reward_manager.name", "reward.reward_kwargs", "reward.reward_model.enable", "reward.reward_model.enable_resource_pool",
          "reward.reward_model.nnodes", "reward.reward_model.n_gpus_per_node",
          *(f"reward.reward_model.{k}" for k in folds_reward.REWARD_MODEL), *folds_teacher.POOL,
          *(folds_teacher.MODEL + k for k in folds_teacher.SERVED)),
         ("stage.reward.function_path", "stage.reward.function_name", "stage.reward.function_args", "stage.reward.manager",
          "stage.reward.manager_args", *(f"{P}auxiliary[].{f}" for f in ("role", "own_pool", "gpus", "colocate_with", "name", "domain")),
          *(f"{P}auxiliary[].{f}" for f in folds_reward.REWARD_MODEL.values())),
         folds_reward.read_reward, folds_reward.write_reward, "reward_loop: custom function, manager, reward model"),
    Fold(("algorithm.rollout_correction.bypass_mode", "algorithm.rollout_correction.*"), (Y + "old_logprob", A + "rollout_correction"),
         folds_rollout.read_old_logprob, folds_rollout.write_old_logprob, "trainer: compute_old_log_prob"),
    Fold((ROLLOUT + "val_kwargs.temperature", ROLLOUT + "val_kwargs.do_sample"), ("stage.sampling.eval.temperature",),
         folds_rollout.read_eval_temperature, folds_rollout.write_eval_temperature, "agent_loop: validation sampling; vllm_rollout up to 0.6"),
    Fold(("algorithm.filter_groups.enable", "algorithm.filter_groups.metric", "algorithm.filter_groups.max_inflight_gen_batches"),
         (A + "filters[].kind", A + "filters[].metric", A + "filters[].action", A + "filters[].threshold", A + "filters[].max_in_flight_rollouts"),
         folds_rollout.read_filters, folds_rollout.write_filters, "replay_buffer: groups of equal metric are evicted"),
    folds_rollout.FOLDER,
    together(TemplateArgument("data.apply_chat_template_kwargs", "0.6.1", "veRL before 0.6 hands no arguments to the chat template"),
             why="rl_dataset and agent_loop: apply_chat_template"),
)  # fmt: skip

PROMPTS = Fold(("data.train_batch_size", folds_recipes.TRIGGER, folds_recipes.REQUIRE), (folds_recipes.B,),
         folds_recipes.read_prompts, folds_recipes.write_prompts,
         "trainer: dataloader batch, before rows are repeated rollout.n times; fully_async_rollouter: required_samples")  # fmt: skip

FIXED = (
    fixed(lambda p: p.stage.kind, lambda c: "distill" if follows_teacher(c) else "rl", why="main_ppo learns from rewards, or from a teacher alone"),
    fixed(lambda p: p.stage.batch.pass_order, lambda c: pass_order(c, "per_update" if single_ticks(c) else "sweep"),
          why="veRL sweeps all mini-batches of a local update, then sweeps again; separate_async takes one at a time"),
    fixed(lambda p: p.stage.batch.uneven_tail,
          lambda c: tail(c, "forbid" if separate_async(c) else "pad" if v1_trainer(c) else "forbid" if c.since("0.8.0") else "short"),
          why="an incomplete last mini-batch is padded by the trainer of 0.9 (separate_async asserts that there is none), an error since 0.8, short before (H7)"),
    fixed(lambda p: p.stage.algorithm.advantage_scope,
          lambda c: advantage_scope(c, "update" if single_ticks(c) and c.plan(A + "advantage") in WHITENED else "rollout"),
          why="advantages are computed over a local update: the whole rollout period but in separate_async (H42)"),
    fixed(lambda p: p.stage.algorithm.whiten_advantage, folds.whitened,
          why="gae, reinforce++ and gdpo advantages are always whitened"),
    fixed(lambda p: p.stage.algorithm.kl_reward.order, "before_norm", why="KL is subtracted before advantages are computed (H27)"),
    fixed(lambda p: p.stage.algorithm.std_ddof, lambda c: where_divided(c, 1), why="rewards are divided by the deviation of a sample (H38)"),
    fixed(lambda p: p.stage.algorithm.std_guard, lambda c: where_divided(c, 1e-6),
          why="core_algos.py: compute_grpo_outcome_advantage adds it to the deviation, so that nothing is divided by zero"),
    fixed(lambda p: p.stage.optim.actor.updates_per_tick, updates_per_tick, why="the scheduler ticks once a local update: once a rollout period but in separate_async, so the rate is a staircase (H44)"),
    fixed(lambda p: p.stage.optim.critic.updates_per_tick, critics_updates_per_tick, why="the scheduler ticks once a local update: once a rollout period but in separate_async, so the rate is a staircase (H44)"),
    fixed(lambda p: p.stage.algorithm.divide_logits_by_temperature, lambda c: divides_logits(c, True), why="the trainer divides logits by the temperature (H28)"),
)  # fmt: skip


CANNOT = (
    cannot("stage.algorithm.preference.*", why="a run with rewards has no pairs of answers"),
    cannot("stage.algorithm.distillation.*", why="a run with rewards follows no teacher on given texts"),
    cannot("stage.algorithm.policy_loss.value_cap", why="the loss of a token has no largest value; dual clip bounds c*|A| (H32)"),
    cannot("identity.group", why="veRL has no group between project and experiment", behaves=""),
    cannot("identity.logger_args", why="loggers read environment variables"),
    cannot("identity.log_level", why="set by the environment variable VERL_LOGGING_LEVEL", behaves="INFO"),
    cannot("stage.model.rope_*", why="write it into model.override_config by hand"),
    cannot("stage.length.response_min_tokens", why="veRL has no shortest answer", behaves=0),
    cannot("stage.batch.demonstrations_per_update", why="an update takes the policy's own answers alone: no demonstrations are mixed in"),
    cannot("stage.batch.critic_infer.dynamic", why="the values are computed by tokens or in fixed micro-batches as the critic trains"),
    cannot("stage.sync.timeout_seconds", why="veRL waits without a limit"),
    cannot("stage.placement.*.offload.grad", why="gradients are not offloaded since 0.9", behaves=False),
    cannot("stage.placement.*.gpus", why="all roles share the trainer's pool", behaves=lambda c, _: c.plan(P + "actor.gpus")),
    cannot("stage.placement.*.zero_stage", why="DeepSpeed trains nothing in veRL"),
    cannot("stage.placement.critic.*", why="no key of its own for the critic"),
    cannot("stage.placement.auxiliary[].sampling.responses", why="a reward function says how many verdicts it wants", behaves=1),
    cannot("stage.placement.auxiliary[].sampling.*", why="each request of your reward function names its own sampling"),
    cannot("stage.placement.auxiliary[].prompt", why="what a judge is asked is code: put it into your compute_score"),
    cannot("stage.placement.auxiliary[].sequences_per_pass", why="the server takes as many requests at once as it has room for"),
    cannot("stage.placement.auxiliary[].*", why="veRL serves one reward model; helpers live in the user's own code"),
    cannot("stage.placement.rollout.extra", why="engine arguments go under rollout.engine_kwargs.<engine> with their own names"),
    cannot("stage.placement.rollout.runners_per_engine", why="veRL's agent loops are sized by rollout.agent.num_workers"),
    cannot("stage.placement.rollout.max_*", why="veRL has no time limit or retry count for one rollout"),
    cannot("stage.sampling.*.repetition_penalty", why="hard-coded 1.0 in the agent loop", behaves=1.0),
    cannot("stage.sampling.train.responses", why="rollout.n says it"),
    cannot("stage.sampling.eval.ignore_eos", why="validation always stops at the end token", behaves=False),
    cannot("stage.optim.*.extra", why="not a veRL optimizer option"),
    cannot("stage.model_options.lora.dtype", why="adapters take the model's dtype", behaves="auto"),
    cannot("stage.data.environments[].*", why="a multi-turn run needs an agent loop or tools of veRL's own: write them and switch rollout.multi_turn on"),
    cannot("stage.data.domains[].*", why="veRL draws rows as they lie in the files, and one reward function scores all: let it look at data_source"),
    cannot("stage.data.*[].name", why="veRL's files have no names"),
    cannot("stage.data.*[].keys.*", why="the reward reads data_source and reward_model.ground_truth; only the prompt column has a key"),
    cannot("stage.data.*[].prompt_type", why="veRL reads chat messages from one column", behaves="messages"),
    cannot("stage.data.*[].selector", why="veRL shuffles each epoch or keeps the order; other selectors are custom data sets"),
    cannot("stage.data.*[].workflow*", why="veRL has no workflows; a multi-turn run needs an agent loop"),
    cannot("stage.data.*[].reward*", why="rewards are Python code: write a compute_score and name it in reward.custom_reward_function"),
    cannot("stage.data.*[].sampling.*", why="sampling is the same for all files (rollout.*, rollout.val_kwargs.*)", behaves=common_sampling),
    cannot("stage.data.*[].*", why="prepare the parquet file instead: veRL reads chat messages from one column"),
    cannot("stage.data.rows", why="counted from the files"),
    cannot("stage.checkpoint.hf_export", why="add hf_model to checkpoint.save_contents", behaves="never"),
    cannot("stage.seeds.global_seed", why="veRL has no global seed"),
    cannot("stage.name", why="a veRL run has one stage"),
    cannot("stage.init_from", why="a veRL run starts from model.path", behaves="base"),
)  # fmt: skip

UNSEEDED = 67280421310721
"""The seed of a torch.Generator that nobody seeded (c10: default_rng_seed_val)."""
UNSET_KEYS = (
    cannot("stage.data.seed", why="main_ppo: create_rl_sampler seeds its generator with data.seed alone, up to 0.5 with 1",
           behaves=lambda c, _: UNSEEDED if c.since("0.6.1") else 1),
    cannot("stage.batch.balance_ranks", why="the 0.9 trainer always balances, whatever balance_batch says (H64)",
           behaves=lambda c, _: True if v1_trainer(c) else None),
)  # fmt: skip

VERL = Table(
    framework="verl",
    rows=(
        PROMPTS,
        *RUN_ROWS,
        *CRITIC_ROWS,
        *ALGORITHM_ROWS,
        *OPTIMIZER_ROWS,
        *ENGINE_ROWS,
        *WORKER_ROWS,
        *FOLDS,
        folds_teacher.FOLD,
        needs.NEEDS,
        *FIXED,
    ),
    cannot=CANNOT,
    unset=UNSET_KEYS,
    reasons=REASONS,
    worth=worth,
    target=questions.TARGET,
    questions=questions.questions,
    kinds=("rl", "distill"),
    separates_since="0.9.0",
    exported="actor/huggingface",
    kind_of=kind_of,
    decides={
        "model_engine": "who trains, and with which options: it is read as FSDP",
        "trainer.val_only": "whether the run trains: it is read as one that does",
        "distillation.enabled": "whether a teacher is followed: it is read as if none were",
        "distillation.distillation_loss.use_task_rewards": "whether the teacher alone is followed: it is read as if not",
        "algorithm.filter_groups.enable": "whether groups are filtered: it is read as if none were",
        "reward.reward_model.enable": "whether a reward model takes GPUs: it is read as if one did",
        "reward.reward_model.enable_resource_pool": "whose GPUs the reward model has: it is read as the trainer's",
        "actor_rollout_ref.hybrid_engine": "whether the trainer's GPUs may generate: it is read as if they might",
        "algorithm.adv_estimator": "how advantages are made, and whether there is a critic",
        "actor_rollout_ref.actor.policy_loss.loss_mode": "which options of the loss act",
        "actor_rollout_ref.actor.loss_agg_mode": "what the loss is divided by",
        "actor_rollout_ref.actor.optim.lr_scheduler_type": "how the rate decays",
        "critic.optim.lr_scheduler_type": "how the rate decays",
    },
    dialect=forks.dialect,
    sections=("algorithm", "data", "actor_rollout_ref", "critic", "reward", "trainer"),
)
