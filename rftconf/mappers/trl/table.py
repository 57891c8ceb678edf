"""TRL's table, put together: what GRPO's keys mean, and what TRL fixes."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.precedence import LeftToScript
from rftconf.mappers.rates import tail, updates_per_tick, where_divided
from rftconf.mappers.rows import Fold, Table, cannot, fixed
from rftconf.mappers.shapes import together
from rftconf.mappers.thinking import TemplateArgument
from rftconf.mappers.trl import folds_algorithm as algorithm
from rftconf.mappers.trl import folds_batch as batch
from rftconf.mappers.trl import folds_data as data
from rftconf.mappers.trl import folds_length as length
from rftconf.mappers.trl import folds_loss as loss
from rftconf.mappers.trl import folds_places as places
from rftconf.mappers.trl import folds_run as run
from rftconf.mappers.trl import questions
from rftconf.mappers.trl.conditions import worth
from rftconf.mappers.trl.launcher import with_shipped_file
from rftconf.mappers.trl.reasons import REASONS
from rftconf.mappers.trl.rows_run import ROWS

B, D, P = "stage.batch.", "stage.data.", "stage.placement."

FOLDS = (
    questions.ALGORITHM,
    Fold((batch.PROCESSES, batch.MACHINES, batch.KIND), (batch.NODES, batch.EACH, batch.ACTOR),
         batch.read_cluster, batch.write_cluster, "accelerate launch: processes over all machines, one a GPU"),
    together(batch.UPDATES, why="GRPOConfig.__post_init__: generation_batch_size; transformers Trainer: gradient accumulation"),
    Fold((batch.DEVICE, batch.ACCUMULATES, batch.GENERATES, batch.SLICES), (batch.PERIOD, *(f"{B}{role}.sequences_per_rank" for role in batch.SCORED)),
         batch.read_generation, batch.write_generation, "GRPOConfig.__post_init__: generation_batch_size"),
    Fold((loss.LOSS, loss.LEVEL), (loss.FAMILY, loss.AGG, loss.TOKENS, loss.SCOPE), loss.read_loss, loss.write_loss, "trl/trainer/grpo_trainer.py: _compute_loss"),
    Fold((loss.LOW, loss.HIGH), (loss.CLIP_LOW, loss.CLIP_HIGH), loss.read_clip, loss.write_clip,
         "trl/trainer/grpo_trainer.py: epsilon_low, epsilon_high; _compute_loss"),
    Fold((algorithm.BETA, algorithm.WEIGHTED), (algorithm.ON, algorithm.COEF, algorithm.ESTIMATOR), algorithm.read_kl, algorithm.write_kl,
         "trl/trainer/grpo_trainer.py: per_token_kl"),
    Fold((algorithm.SCALE, algorithm.SEVERAL), (algorithm.ADVANTAGE, algorithm.DEVIATION), algorithm.read_advantage, algorithm.write_advantage,
         "trl/trainer/grpo_trainer.py: _generate_and_score_completions"),
    Fold(algorithm.CORRECTION, (algorithm.WEIGHTS,), algorithm.read_correction, algorithm.write_correction,
         "trl/trainer/grpo_trainer.py: vllm_importance_sampling_ratio"),
    Fold((length.STEPS, length.EPOCHS), (length.PASSES, length.LENGTH, length.LAST), length.read_length, length.write_length,
         "transformers Trainer: max_steps, num_train_epochs"),
    Fold((length.KIND, length.MORE, length.WARMUP), length.RATE, length.read_schedule, length.write_schedule, "transformers Trainer.create_scheduler"),
    together(length.PROMPT, why="trl/trainer/grpo_trainer.py of 0.25: truncate_prompt_tokens"),
    together(length.HORIZON, why="transformers Trainer.create_scheduler: num_training_steps=max_steps"),
    Fold((run.RESUMES,), (run.RESUME, run.CHECKPOINT), run.read_resume, run.write_resume, "trl/scripts/grpo.py: trainer.train"),
    Fold((run.REPORTS,), (run.LOGGERS,), run.read_loggers, run.write_loggers, "transformers Trainer: reporting callbacks"),
    Fold((run.DTYPE, run.BF16, run.FP16, run.LAUNCHED),
         tuple(f"{P}{role}.{dtype}" for role in ("actor", "reference") for dtype in ("model_dtype", "compute_dtype")),
         run.read_dtypes, run.write_dtypes, "trl/trainer/utils.py: create_model_from_path; TrainingArguments: fp16, bf16, then the launcher"),
    together(run.BETAS, why="transformers Trainer.get_optimizer_cls_and_kwargs"),
    Fold(places.LAUNCHED, (places.ACTOR, places.REFERENCE, places.PARAM, places.OPTIMIZER, places.SHARDS, places.ZERO),
         places.read_trainer, places.write_trainer, "accelerate launch and its config file; TrainingArguments.deepspeed and fsdp"),
    together(places.REFERENCE_GPUS, why="trl/trainer/grpo_trainer.py: no reference model while beta is 0"),
    Fold((places.ENGINE, places.MODE, places.TP), (places.GENERATES, places.LAYOUT, places.ENGINES, places.SIZE),
         places.read_engines, places.write_engines, "trl/generation/vllm_generation.py: mode server or colocate"),
    together(places.LIMITS, why="trl/trainer/grpo_trainer.py: VLLMGeneration(max_num_seqs=)"),
    together(places.ADAPTERS, why="trl/trainer/utils.py: get_peft_config"),
    together(LeftToScript("model_name_or_path", "stage.model.path", "the config names no model: the script that reads it does"),
             why="trl/scripts/grpo.py: GRPOTrainer(model=)"),
    Fold((*data.NAMED, "datasets[].path", "datasets[].name", "datasets[].split"),
         (*(f"{D}{s}[].{f}" for s in ("train", "eval") for f in ("uri", "subset", "split", "keys.prompt")), D + "mixing"),
         data.read_data, data.write_data, "trl/scripts/grpo.py: main"),
    together(run.ANSWERS, why="GRPOConfig.__post_init__: num_generations_eval or num_generations"),
    Fold((run.SAVES, run.SAVE_EVERY, data.EVALUATES, run.EVALUATE_EVERY, run.AT_START), (run.SAVED, run.EVALUATED, run.FIRST),
         run.read_cadence, run.write_cadence, "transformers DefaultFlowCallback"),
    together(TemplateArgument("chat_template_kwargs", "0.25.0", "this release hands no arguments to the chat template"),
             why="trl/trainer/grpo_trainer.py: apply_chat_template(**chat_template_kwargs)"),
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
    fixed(lambda p: p.stage.algorithm.std_guard, lambda c: where_divided(c, 1e-4),
          why="grpo_trainer.py adds it to the deviation, so that nothing is divided by zero"),
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
    cannot("stage.algorithm.filters[].*", why="no group is dropped or drawn again"),
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
