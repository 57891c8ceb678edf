"""TRL's table, put together: what GRPO's keys mean, and what TRL fixes."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.rates import tail, updates_per_tick
from rftconf.mappers.rows import Fold, Table, cannot, fixed
from rftconf.mappers.shapes import only_written, together
from rftconf.mappers.trl import (
    folds_algorithm,
    folds_algorithm_write,
    folds_batch,
    folds_batch_write,
    folds_places,
    folds_places_write,
    folds_run,
    folds_run_write,
    questions,
)
from rftconf.mappers.trl.conditions import worth
from rftconf.mappers.trl.launcher import with_shipped_file
from rftconf.mappers.trl.reasons import REASONS
from rftconf.mappers.trl.rows_run import ROWS

A, B, D, P, R, C = (
    f"stage.{section}." for section in ("algorithm", "batch", "data", "placement", "run_length", "cadence")
)
OPTIM, LORA, LOSS, KL = "stage.optim.actor.", "stage.model_options.lora.", A + "policy_loss.", A + "kl_loss."

FOLDS = (
    only_written(questions.weigh_algorithm, why="GRPOTrainer has the group's mean, and no critic"),
    Fold(("num_processes", "num_machines", "distributed_type"), ("cluster.nodes", "cluster.gpus_per_node", P + "actor.gpus"),
         folds_batch.read_cluster, folds_batch_write.write_cluster, "accelerate launch: processes over all machines, one a GPU"),
    together(folds_batch_write.UPDATES, why="GRPOConfig.__post_init__: generation_batch_size; transformers Trainer: gradient accumulation"),
    Fold(("per_device_train_batch_size", "gradient_accumulation_steps", "generation_batch_size", "steps_per_generation"), (B + "prompts_per_rollout", *(f"{B}{role}.sequences_per_rank" for role in folds_batch.SCORED)),
         folds_batch.read_generation, folds_batch_write.write_generation, "GRPOConfig.__post_init__: generation_batch_size"),
    Fold(("loss_type", "importance_sampling_level"), (LOSS + "family", A + "loss_agg", A + "loss_agg_tokens", A + "loss_norm_scope"),
         folds_algorithm.read_loss, folds_algorithm_write.write_loss, "trl/trainer/grpo_trainer.py: _compute_loss"),
    Fold(("epsilon", "epsilon_high"), (LOSS + "clip_low", LOSS + "clip_high"),
         folds_algorithm.read_clip, folds_algorithm_write.write_clip, "trl/trainer/grpo_trainer.py: epsilon_low, epsilon_high; _compute_loss"),
    Fold(("beta", "use_bias_correction_kl"), (KL + "enabled", KL + "coef", KL + "estimator"),
         folds_algorithm.read_kl, folds_algorithm_write.write_kl, "trl/trainer/grpo_trainer.py: per_token_kl"),
    Fold(("scale_rewards", "multi_objective_aggregation"), (A + "advantage", A + "std_scope"),
         folds_algorithm.read_advantage, folds_algorithm_write.write_advantage, "trl/trainer/grpo_trainer.py: _generate_and_score_completions"),
    Fold(folds_algorithm.CORRECTION, (A + "rollout_correction",),
         folds_algorithm.read_correction, folds_algorithm_write.write_correction, "trl/trainer/grpo_trainer.py: vllm_importance_sampling_ratio"),
    Fold(("max_steps", "num_train_epochs"), (R + "epochs", R + "rollouts", R + "last_partial"),
         folds_run.read_length, folds_run_write.write_length, "transformers Trainer: max_steps, num_train_epochs"),
    Fold(("lr_scheduler_type", "lr_scheduler_kwargs", "warmup_steps"),
         tuple(OPTIM + field for field in ("schedule", "min_lr", "min_lr_ratio", "warmup_updates")),
         folds_run.read_schedule, folds_run_write.write_schedule, "transformers Trainer.create_scheduler"),
    together(folds_run.PROMPT, why="trl/trainer/grpo_trainer.py of 0.25: truncate_prompt_tokens"),
    together(folds_run.HORIZON, why="transformers Trainer.create_scheduler: num_training_steps=max_steps"),
    Fold(("resume_from_checkpoint",), ("identity.resume", "identity.resume_path"),
         folds_run.read_resume, folds_run_write.write_resume, "trl/scripts/grpo.py: trainer.train"),
    Fold(("report_to",), ("identity.loggers",), folds_run.read_loggers, folds_run_write.write_loggers, "transformers Trainer: reporting callbacks"),
    Fold(("dtype", "bf16", "fp16", "mixed_precision"),
         tuple(f"{P}{role}.{dtype}" for role in ("actor", "reference") for dtype in ("model_dtype", "compute_dtype")),
         folds_run.read_dtypes, folds_run_write.write_dtypes,
         "trl/trainer/utils.py: create_model_from_path; TrainingArguments: fp16, bf16, then the launcher"),
    Fold(("adam_beta1", "adam_beta2"), (OPTIM + "betas",), folds_run.read_betas, folds_run_write.write_betas,
         "transformers Trainer.get_optimizer_cls_and_kwargs"),
    Fold(folds_places.LAUNCHED, (P + "actor.backend", P + "reference.backend", P + "actor.offload.param", P + "actor.offload.optimizer",
                                 P + "actor.fsdp_shard_gpus"),
         folds_places.read_trainer, folds_places_write.write_trainer,
         "accelerate launch and its config file; TrainingArguments.deepspeed and fsdp"),
    Fold((), (P + "reference.gpus",), folds_places.read_reference, folds_places_write.write_reference,
         "trl/trainer/grpo_trainer.py: no reference model while beta is 0"),
    Fold(("use_vllm", "vllm_mode", "vllm_tensor_parallel_size"), (P + "rollout.engine", P + "layout", P + "rollout.gpus", P + "rollout.tp"),
         folds_places.read_engines, folds_places_write.write_engines, "trl/generation/vllm_generation.py: mode server or colocate"),
    Fold((), (P + "rollout.max_num_seqs", P + "rollout.max_batched_tokens"), folds_places.read_limits, folds_places_write.write_limits,
         "trl/trainer/grpo_trainer.py: VLLMGeneration(max_num_seqs=)"),
    Fold(("use_peft", "lora_r", "lora_alpha", "lora_target_modules"), (LORA + "rank", LORA + "alpha", LORA + "targets"),
         folds_places.read_adapters, folds_places_write.write_adapters, "trl/trainer/utils.py: get_peft_config"),
    Fold((*folds_places.NAMED, "datasets[].path", "datasets[].name", "datasets[].split"),
         (*(f"{D}{s}[].{f}" for s in ("train", "eval") for f in ("uri", "subset", "split", "keys.prompt")), D + "mixing"),
         folds_places.read_data, folds_places_write.write_data, "trl/scripts/grpo.py: main"),
    Fold(("num_generations_eval",), ("stage.sampling.eval.responses",), folds_run.read_eval_responses, folds_run_write.write_eval_responses,
         "GRPOConfig.__post_init__: num_generations_eval or num_generations"),
    Fold(("save_strategy", "save_steps", "eval_strategy", "eval_steps", "eval_on_start"), (C + "save_rollouts", C + "eval_rollouts", C + "eval_at_start"),
         folds_run.read_cadence, folds_run_write.write_cadence, "transformers DefaultFlowCallback"),
)  # fmt: skip


def _as_trained(name: str) -> Any:
    """Evaluation draws as training does."""
    return lambda c: c.plan(f"stage.sampling.train.{name}")


FIXED = (
    fixed(lambda p: p.stage.kind, "rl", why="trl grpo learns from rewards"),
    fixed(lambda p: p.stage.batch.pass_order, "sweep", why="_prepare_inputs: all slices of a generation, then all of them again"),
    fixed(lambda p: p.stage.batch.shuffle_sequences, True, why="_prepare_inputs: shuffle_sequence_dict before the slices are cut"),
    fixed(lambda p: p.stage.batch.balance_ranks, False, why="completions go to processes in their order"),
    fixed(lambda p: p.stage.batch.uneven_tail, lambda c: tail(c, "forbid"), why="a generation batch is a whole number of slices"),
    fixed(lambda p: p.stage.batch.micro.dynamic, False, why="a slice has per_device_train_batch_size completions, padded to the longest"),
    fixed(lambda p: p.stage.batch.log_prob.dynamic, False, why="_get_per_token_logps_and_entropies: batch_size"),
    fixed(lambda p: p.stage.batch.reference.dynamic, False, why="_get_per_token_logps_and_entropies: batch_size"),
    fixed(lambda p: p.stage.length.overlong_prompt, "keep", why="no prompt is left out for its length"),
    fixed(lambda p: p.stage.sync.every_rollouts, 1, why="_generate: weights go to the engines whenever an update was made"),
    fixed(lambda p: p.stage.sync.run_ahead_rollouts, 0, why="answers are generated, then trained on: nothing runs ahead"),
    fixed(lambda p: p.stage.sync.in_flight, "finish", why="answers are finished before the weights change"),
    fixed(lambda p: p.stage.sync.driver, "lockstep", why="generation and training take turns"),
    fixed(lambda p: p.stage.sync.old_logprob, "recompute_at_rollout",
          why="old log-probabilities are computed once a generation, or are those of the first update"),
    fixed(lambda p: p.stage.algorithm.std_ddof, 1, why="torch.std divides by one less than there are"),
    fixed(lambda p: p.stage.algorithm.advantage_scope, "rollout", why="advantages are computed once a generation"),
    fixed(lambda p: p.stage.algorithm.whiten_advantage, False, why="group advantages are not whitened"),
    fixed(lambda p: p.stage.algorithm.kl_reward.enabled, False, why="KL is in the loss alone"),
    fixed(lambda p: p.stage.algorithm.divide_logits_by_temperature, True, why="_get_per_token_logps_and_entropies: logits / temperature"),
    fixed(lambda p: p.stage.algorithm.critic.enabled, False, why="GRPO has no critic"),
    fixed(lambda p: p.stage.optim.actor.updates_per_tick, updates_per_tick, why="the scheduler ticks with every update"),
    fixed(lambda p: p.stage.placement.actor.sp, 1, why="GRPOConfig refuses sequence parallelism"),
    fixed(lambda p: p.stage.placement.rollout.dp, 1, why="more processes give more engines"),
    fixed(lambda p: p.stage.placement.rollout.pp, 1, why="an engine is tensor-parallel only"),
    fixed(lambda p: p.stage.sampling.train.ignore_eos, False, why="answers end at the end token"),
    fixed(lambda p: p.stage.sampling.eval.temperature, _as_trained("temperature"), why="evaluation draws as training does"),
    fixed(lambda p: p.stage.sampling.eval.top_p, _as_trained("top_p"), why="evaluation draws as training does"),
    fixed(lambda p: p.stage.sampling.eval.top_k, _as_trained("top_k"), why="evaluation draws as training does"),
    fixed(lambda p: p.stage.placement.rollout.dtype, lambda c: "auto" if c.plan(P + "rollout.engine") == "vllm" else None,
          why="the engine takes the type that the model's files say"),
    fixed(lambda p: p.stage.data.seed, lambda c: c.plan("stage.seeds.global_seed"), why="RepeatSampler(seed=args.seed)"),
    fixed(lambda p: p.stage.checkpoint.hf_export, "always", why="Trainer.save_model: checkpoints are in Hugging Face's format"),
)  # fmt: skip

CANNOT = (
    cannot("identity.*", why="trackers take it from variables of the environment"),
    cannot("stage.model.*", why="models load as their files say"),
    cannot("stage.length.*", why="prompts and answers have no further limit"),
    cannot("stage.batch.*", why="batches are counted by device, and there is no critic"),
    cannot("stage.sync.*", why="weights go to the engines as vLLM takes them"),
    cannot("stage.placement.*", why="no such option of the trainer or of its engines"),
    cannot("stage.algorithm.*", why="GRPO has no such term"),
    cannot("stage.optim.*", why="one optimizer of transformers' Trainer, over the updates of the run"),
    cannot("stage.sampling.*", why="no such option of generation"),
    cannot("stage.model_options.*", why="no such option of the trainer"),
    cannot("stage.data.*", why="rows come as the data set has them"),
    cannot("stage.reward.*", why="rewards are Python code: reward_funcs names it"),
    cannot("stage.checkpoint.*", why="weights, optimizer and states are saved together"),
    cannot("stage.turns.*", why="tools are Python functions that a script passes to the trainer"),
    cannot("stage.seeds.*", why="one seed for all"),
    cannot("stage.name", why="a TRL run has one stage"),
    cannot("stage.init_from", why="a TRL run starts from model_name_or_path"),
)  # fmt: skip


TRL = Table(
    framework="trl",
    rows=(*FOLDS, *ROWS, *FIXED),
    cannot=CANNOT,
    reasons=REASONS,
    worth=worth,
    target=questions.TARGET,
    questions=questions.questions,
    completes=questions.complete,
    spelled=with_shipped_file,
    decides={"vllm_mode": "where the engines are", "num_processes": "how many GPUs train"},
)
