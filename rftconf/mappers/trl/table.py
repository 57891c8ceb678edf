"""TRL's table, put together: what GRPO's keys mean, and what TRL fixes. It is read, and not written."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import Decision
from rftconf.mappers.context import WriteContext
from rftconf.mappers.one_way import one_way
from rftconf.mappers.placing import Target
from rftconf.mappers.rates import tail, updates_per_tick
from rftconf.mappers.rows import Table, cannot, fixed
from rftconf.mappers.trl import folds_algorithm, folds_batch, folds_places, folds_run
from rftconf.mappers.trl.conditions import worth
from rftconf.mappers.trl.launcher import with_shipped_file
from rftconf.mappers.trl.reasons import REASONS
from rftconf.mappers.trl.rows_run import ROWS

A, B, D, P, R, C = (
    f"stage.{section}." for section in ("algorithm", "batch", "data", "placement", "run_length", "cadence")
)
OPTIM, LORA, LOSS, KL = "stage.optim.actor.", "stage.model_options.lora.", A + "policy_loss.", A + "kl_loss."
DEVICE, SLICED = (
    "per_device_train_batch_size",
    ("gradient_accumulation_steps", "generation_batch_size", "steps_per_generation"),
)

FOLDS = (
    one_way(folds_batch.read_cluster, "cluster.nodes", "cluster.gpus_per_node", P + "actor.gpus",
            natives=("num_processes", "num_machines", "distributed_type"), why="accelerate launch: processes over all machines, one a GPU"),
    one_way(folds_batch.read_batch, B + "sequences_per_update", B + "prompts_per_rollout",
            *(f"{B}{role}.sequences_per_rank" for role in ("micro", "log_prob", "reference")),
            natives=(DEVICE, *SLICED), why="GRPOConfig.__post_init__: generation_batch_size"),
    one_way(folds_algorithm.read_loss, LOSS + "family", A + "loss_agg", A + "loss_agg_tokens", A + "loss_norm_scope",
            natives=("loss_type", "importance_sampling_level"), why="trl/trainer/grpo_trainer.py: _compute_loss"),
    one_way(folds_algorithm.read_clip, LOSS + "clip_low", LOSS + "clip_high", natives=("epsilon", "epsilon_high"),
            why="trl/trainer/grpo_trainer.py: epsilon_low, epsilon_high; _compute_loss"),
    one_way(folds_algorithm.read_kl, KL + "enabled", KL + "coef", KL + "estimator", natives=("beta", "use_bias_correction_kl"),
            why="trl/trainer/grpo_trainer.py: per_token_kl"),
    one_way(folds_algorithm.read_advantage, A + "advantage", A + "std_scope", natives=("scale_rewards", "multi_objective_aggregation"),
            why="trl/trainer/grpo_trainer.py: _generate_and_score_completions"),
    one_way(folds_algorithm.read_correction, A + "rollout_correction", natives=folds_algorithm.CORRECTION,
            why="trl/trainer/grpo_trainer.py: vllm_importance_sampling_ratio"),
    one_way(folds_run.read_length, R + "epochs", R + "rollouts", R + "last_partial", natives=("max_steps", "num_train_epochs"),
            why="transformers Trainer: max_steps, num_train_epochs"),
    one_way(folds_run.read_schedule, *(OPTIM + field for field in ("schedule", "min_lr", "min_lr_ratio", "warmup_updates")),
            natives=("lr_scheduler_type", "lr_scheduler_kwargs", "warmup_steps"), why="transformers Trainer.create_scheduler"),
    one_way(folds_run.read_cadence, C + "save_rollouts", C + "eval_rollouts", C + "eval_at_start",
            natives=("save_strategy", "save_steps", "eval_strategy", "eval_steps", "eval_on_start"),
            why="transformers DefaultFlowCallback"),
    one_way(folds_run.read_resume, "identity.resume", "identity.resume_path", natives=("resume_from_checkpoint",),
            why="trl/scripts/grpo.py: trainer.train"),
    one_way(folds_run.read_loggers, "identity.loggers", natives=("report_to",), why="transformers Trainer: reporting callbacks"),
    one_way(folds_run.read_dtypes, *(f"{P}{role}.{dtype}" for role in ("actor", "reference") for dtype in ("model_dtype", "compute_dtype")),
            natives=("dtype", "bf16", "fp16", "mixed_precision"), why="trl/trainer/utils.py: create_model_from_path; TrainingArguments: fp16, bf16, then the launcher"),
    one_way(folds_run.read_betas, OPTIM + "betas", natives=("adam_beta1", "adam_beta2"),
            why="transformers Trainer.get_optimizer_cls_and_kwargs"),
    one_way(folds_places.read_trainer, P + "actor.backend", P + "reference.backend", P + "actor.offload.param", P + "actor.offload.optimizer",
            P + "actor.fsdp_shard_gpus", natives=folds_places.LAUNCHED,
            why="accelerate launch and its config file; TrainingArguments.deepspeed and fsdp"),
    one_way(folds_places.read_reference, P + "reference.gpus", why="trl/trainer/grpo_trainer.py: no reference model while beta is 0"),
    one_way(folds_places.read_engines, P + "rollout.engine", P + "layout", P + "rollout.gpus", P + "rollout.tp",
            natives=("use_vllm", "vllm_mode", "vllm_tensor_parallel_size"), why="trl/generation/vllm_generation.py: mode server or colocate"),
    one_way(folds_places.read_limits, P + "rollout.max_num_seqs", P + "rollout.max_batched_tokens",
            why="trl/trainer/grpo_trainer.py: VLLMGeneration(max_num_seqs=)"),
    one_way(folds_places.read_adapters, LORA + "rank", LORA + "alpha", LORA + "targets",
            natives=("use_peft", "lora_r", "lora_alpha", "lora_target_modules"), why="trl/trainer/utils.py: get_peft_config"),
    one_way(folds_places.read_data, *(f"{D}{s}[].{f}" for s in ("train", "eval") for f in ("uri", "subset", "split", "keys.prompt")), D + "mixing",
            natives=(*folds_places.NAMED, "datasets[].path", "datasets[].name", "datasets[].split"), why="trl/scripts/grpo.py: main"),
    one_way(folds_run.read_eval_responses, "stage.sampling.eval.responses", natives=("num_generations_eval",),
            why="GRPOConfig.__post_init__: num_generations_eval or num_generations"),
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


def _ask_nothing(writing: WriteContext) -> list[Decision]:
    """No run of another framework is written for TRL."""
    del writing
    return []


TRL = Table(
    framework="trl",
    rows=(*ROWS, *FOLDS, *FIXED),
    cannot=CANNOT,
    reasons=REASONS,
    worth=worth,
    target=Target(True, 0.3, "the engine shares its GPUs with the trainer; TRL's default", either=True),
    questions=_ask_nothing,
    kinds=(),
    spelled=with_shipped_file,
    decides={"vllm_mode": "where the engines are", "num_processes": "how many GPUs train"},
)
