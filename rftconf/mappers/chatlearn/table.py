"""ChatLearn's table, put together: all rows, what ChatLearn fixes, and what it has no control for."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.chatlearn import (
    folds_algorithm,
    folds_batch,
    folds_data,
    folds_megatron,
    folds_model,
    folds_placement,
    folds_run,
    questions,
)
from rftconf.mappers.chatlearn.conditions import worth
from rftconf.mappers.chatlearn.follows import COPIES, FOLLOWS
from rftconf.mappers.chatlearn.forks import dialect
from rftconf.mappers.chatlearn.reasons import REASONS
from rftconf.mappers.chatlearn.rows_run import RUN_ROWS
from rftconf.mappers.chatlearn.rows_training import ROLE_ROWS, TRAINING_ROWS
from rftconf.mappers.outcomes import UNSET
from rftconf.mappers.rates import divides_logits, tail, updates_per_tick
from rftconf.mappers.rows import Fold, Table, cannot, fixed
from rftconf.mappers.shapes import together
from rftconf.mappers.thinking import TemplateSwitch
from rftconf.mappers.without_control import common_sampling

A, B, D, P, OPTIM = "stage.algorithm.", "stage.batch.", "stage.data.", "stage.placement.", "stage.optim.actor."
TRAINER, REFERENCE = "models.policy_trainer.", "models.ref_policy."

FOLDS = (
    folds_algorithm.ADVANTAGE,
    folds_algorithm.LOSS,
    folds_algorithm.DUAL_CLIP,
    folds_batch.RESPONSES,
    Fold(folds_batch.NATIVES, folds_batch.PLANS, folds_batch.read_micro, folds_batch.write_micro,
         "policy_trainer.preprocess_data_list: packing or fixed sizes"),
    Fold((folds_placement.COLOCATION, folds_placement.TRAINER, folds_placement.REF, folds_placement.POLICY),
         (P + "layout", P + "actor.gpus", P + "reference.gpus", P + "rollout.gpus", "cluster.nodes", "cluster.gpus_per_node"),
         folds_placement.read_placement, folds_placement.write_placement, "resource_manager: one list of models that share GPUs"),
    Fold((folds_algorithm.KL, folds_algorithm.ENTROPY), (*(f"{A}kl_loss.{f}" for f in ("enabled", "estimator", "coef")), A + "entropy_coef"),
         folds_algorithm.read_kl, folds_algorithm.write_kl, "policy_trainer.train_step: adds coef * KL where coef > 0"),
    Fold(tuple(folds_algorithm.OPT + k for k in ("adam_beta1", "adam_beta2", "min_lr")),
         (OPTIM + "betas", OPTIM + "schedule", OPTIM + "min_lr", OPTIM + "decay_updates", OPTIM + "warmup_updates"),
         folds_algorithm.read_optimizer, folds_algorithm.write_optimizer, "fsdp_module: AdamW without a schedule; megatron_module: train_iters=1"),
    Fold((*(TRAINER + k for k in folds_megatron.NAMES), *(REFERENCE + k for k in folds_megatron.STAGES)),
         (folds_megatron.OVERRIDES, folds_megatron.REFERENCE_OVERRIDES),
         folds_megatron.read_overrides, folds_megatron.write_overrides, "Megatron's TransformerConfig"),
    Fold(folds_model.LENGTH_KEYS, ("stage.length.prompt_max_tokens", "stage.length.response_max_tokens", "stage.length.model_max_tokens"),
         folds_model.read_lengths, folds_model.write_lengths, "policy_config: seq_length is their sum"),
    Fold(folds_model.WEIGHT_KEYS,
         ("stage.model.path", "stage.model.tokenizer_path",
          *(f"stage.placement.{role}.megatron.{f}" for role in ("actor", "reference") for f in ("dist_checkpointing_path", "use_dist_checkpointing"))),
         folds_model.read_weights, folds_model.write_weights, "fsdp_module and megatron_module: load"),
    folds_model.TRUST,
    folds_model.TRACKING,
    Fold((folds_run.EPISODES,), ("stage.run_length.rollouts", "stage.run_length.epochs", "stage.run_length.last_partial"),
         folds_run.read_length, folds_run.write_length, "engine.learn: episodes"),
    folds_run.FOLDER,
    Fold((folds_run.RESUMES, folds_run.DATA_STATE), ("identity.resume",), folds_run.read_resume, folds_run.write_resume,
         "engine._resume_from_data_checkpoint, H56"),
    Fold(tuple(folds_data.FILES),
         (*(f"{D}{s}[].{f}" for s in ("train", "eval") for f in ("uri", "split", "subset", "storage", "keys.prompt")), D + "mixing", D + "seed"),
         folds_data.read_data, folds_data.write_data, "GrpoAlgorithm.run: files split at commas"),
    folds_run.EXPORTS,
    folds_run.FIRST_EVALUATION,
    folds_run.PARTIAL_ROLLOUT,
    COPIES,
    folds_run.NEEDS,
    together(TemplateSwitch((f"{folds_model.POLICY}enable_thinking",)), why="prompt_dataset: apply_chat_template"),
)  # fmt: skip

FIXED = (
    fixed(lambda p: p.stage.kind, "rl", why="entrypoint.py knows grpo alone"),
    fixed(lambda p: p.stage.batch.pass_order, "sweep", why="a pass over the whole episode, then the next"),
    fixed(lambda p: p.stage.batch.shuffle_sequences, False, why="the first pass keeps the order, later ones are shuffled"),
    fixed(lambda p: p.stage.batch.uneven_tail, lambda c: tail(c, "forbid"), why="an episode is a multiple of an update's samples (H7)"),
    fixed(lambda p: p.stage.sync.run_ahead_rollouts, 0, why="an episode is generated, then trained on: nothing runs ahead"),
    fixed(lambda p: p.stage.sync.driver, "lockstep", why="generation and training take turns"),
    fixed(lambda p: p.stage.sync.old_logprob, "recompute_at_rollout",
          why="the trainer computes old log-probabilities once an episode, before its updates"),
    fixed(lambda p: p.stage.length.overlong_prompt, "drop_ge",
          why="a prompt is kept where it is shorter than the limit, not where it is as long (H51)"),
    fixed(lambda p: p.stage.algorithm.advantage, "grpo", why="GRPO is the only algorithm: group mean and deviation"),
    fixed(lambda p: p.stage.algorithm.critic.enabled, False, why="there is no critic here"),
    fixed(lambda p: p.stage.algorithm.std_scope, "group", why="answers to one prompt are compared with each other"),
    fixed(lambda p: p.stage.algorithm.std_ddof, 0, why="rewards are divided by the deviation of the population, which is smaller (H38)"),
    fixed(lambda p: p.stage.algorithm.std_guard, 1e-5, why="advantage_compute.py adds it to the deviation, so that nothing is divided by zero"),
    fixed(lambda p: p.stage.algorithm.advantage_scope, "rollout", why="advantages are computed once an episode"),
    fixed(lambda p: p.stage.algorithm.whiten_advantage, False, why="group advantages are not whitened"),
    fixed(lambda p: p.stage.algorithm.kl_reward.enabled, False, why="the reward has no KL penalty; KL is in the loss alone"),
    fixed(lambda p: p.stage.algorithm.loss_agg, "token-mean", why="every response token of an update counts the same"),
    fixed(lambda p: p.stage.algorithm.loss_norm_scope, "update", why="divided by the tokens of the whole update over all ranks"),
    fixed(lambda p: p.stage.algorithm.divide_logits_by_temperature, lambda c: divides_logits(c, False),
          why="the trainer does not divide logits by the temperature (H28)"),
    fixed(lambda p: p.stage.optim.actor.updates_per_tick, updates_per_tick, why="Megatron's scheduler ticks with every update; FSDP has none (H44)"),
    fixed(lambda p: p.stage.optim.actor.kind, "adamw", why="AdamW, no key chooses it"),
    fixed(lambda p: p.stage.sampling.eval.responses, 1, why="evaluation draws one answer a prompt"),
)  # fmt: skip


def _as_actor(context: Any, path: str) -> Any:
    """Roles without controls of their own do what the actor does."""
    return context.plan(path.replace(".reference.", ".actor."))


def _master_dtype(context: Any, path: str) -> Any:
    """FSDP keeps single-precision weights and computes in bfloat16."""
    if context.plan("stage.placement.actor.backend") == "megatron":
        return context.plan(path)
    return "bfloat16" if path.endswith("compute_dtype") else "fp32"


def _any_transport(context: Any, path: str) -> Any:
    """Weights pass in place or over NCCL, as either word asks."""
    return context.plan(path) if context.plan(path) in ("auto", "nccl") else UNSET


def _without_kl_reward(context: Any, path: str) -> Any:
    """Return the field's value where the reward has no KL penalty, so that nothing is lost with it; else UNSET."""
    return context.plan(path) if context.plan(A + "kl_reward.enabled") is False else UNSET


NO_CRITIC = "there is no critic here"
CANNOT = (
    cannot("identity.group", why="a run has a name and no group", behaves=""),
    cannot("identity.resume_path", why="resumes only from its own output folder"),
    cannot("identity.logger_args", why="trackers have keys of their own under runtime_args.log_args_dict"),
    cannot("identity.log_level", why="no key sets the log level", behaves="INFO"),
    cannot("stage.model.critic_*", why=NO_CRITIC),
    cannot("stage.model.*", why="models load as their files say: no template, no override"),
    cannot("stage.length.response_min_tokens", why="an answer has no shortest length", behaves=0),
    cannot("stage.batch.critic*", why=NO_CRITIC),
    cannot("stage.batch.demonstrations_per_update", why="an update takes the policy's own answers alone: no demonstrations are mixed in"),
    cannot("stage.batch.prompts_per_fetch", why="an episode's prompts are fetched at once", behaves=lambda c, _: c.plan(B + "prompts_per_rollout")),
    cannot("stage.batch.balance_ranks", why="samples go to ranks in their order; packing alone evens out lengths", behaves=False),
    cannot("stage.sync.transport", why="weights pass over CUDA IPC or NCCL, no key chooses", behaves=_any_transport),
    cannot("stage.sync.timeout_seconds", why="generation and training wait for each other without a limit"),
    cannot("stage.placement.critic.*", why=NO_CRITIC),
    cannot("stage.placement.auxiliary[].*", why="only rule rewards: ChatLearn's GRPO serves no reward model, judge or teacher"),
    cannot("stage.placement.rollout.dp", why="an engine is tensor-parallel only; more GPUs give more engines", behaves=1),
    cannot("stage.placement.rollout.?p", why="an engine is tensor-parallel only: ChatLearn refuses pipeline and expert sizes above 1", behaves=1),
    cannot("stage.placement.rollout.dtype", why="engines always use bfloat16", behaves="bfloat16"),
    cannot("stage.placement.rollout.*cache", why="prefix caching is as the engine has it by default", behaves=True),
    cannot("stage.placement.rollout.chunked_prefill", why="chunked prefill is as the engine has it by default", behaves=True),
    cannot("stage.placement.rollout.load_format", why="engines start with dummy weights and get the trainer's", behaves="dummy"),
    cannot("stage.placement.rollout.*", why="no such option is passed on to the engines"),
    cannot("stage.placement.*.mesh.*", why="FSDP splits data and sequences over GPUs, and nothing else", behaves=1),
    cannot("stage.placement.*.backend", why="one runtime_args.train_backend for trainer and reference", behaves=_as_actor),
    cannot("stage.placement.*.zero_stage", why="FSDP and Megatron train here, DeepSpeed does not"),
    cannot("stage.placement.*.fsdp_shard_gpus", why="fsdp_size is overwritten with num_gpu: weights are sharded over all GPUs",
           behaves=lambda c, _: c.plan(P + "actor.gpus")),
    cannot("stage.placement.*_dtype", why="FSDP keeps single-precision weights and computes in bfloat16", behaves=_master_dtype),
    cannot("stage.placement.*.entropy_chunking", why="entropy is always computed in chunks", behaves=True),
    cannot("stage.placement.*.offload.*", why="the reference has neither gradients nor optimizer states", behaves=False),
    cannot("stage.placement.*.reshard_after_forward", why="as FSDP2 has it by default", behaves=True),
    cannot("stage.placement.*.megatron.distributed_optimizer", why="a reference has no optimizer", behaves=_as_actor),
    cannot("stage.placement.*.megatron.*", why="no key of its own for this option of Megatron", behaves=_as_actor),
    cannot("stage.placement.*.seed", why="the FSDP models draw nothing at random", behaves=42),
    cannot("stage.placement.*", why="no such option of the FSDP trainer", behaves=False),
    cannot("stage.algorithm.gamma", why="group advantages are not discounted", behaves=1.0),
    cannot("stage.algorithm.lam", why="group advantages are not discounted", behaves=1.0),
    cannot("stage.algorithm.kl_reward.*", why="the reward has no KL penalty", behaves=_without_kl_reward),
    cannot("stage.algorithm.preference.*", why="a run with rewards has no pairs of answers"),
    cannot("stage.algorithm.distillation.*", why="a run with rewards follows no teacher on given texts"),
    cannot("stage.algorithm.policy_loss.tau_*", why="there is no sapo loss"),
    cannot("stage.algorithm.loss_agg_tokens", why="token-mean divides by the tokens there are"),
    cannot("stage.algorithm.rollout_correction", why="no correction of the engines' log-probabilities: the trainer recomputes them"),
    cannot("stage.algorithm.filters[].*", why="no group is dropped or drawn again"),
    cannot("stage.algorithm.critic.warmup_rollouts", why=NO_CRITIC, behaves=0),
    cannot("stage.algorithm.critic.*", why=NO_CRITIC),
    cannot("stage.optim.critic.*", why=NO_CRITIC),
    cannot("stage.optim.actor.min_lr_ratio", why="the rate is constant", behaves=folds_algorithm.floor_ratio),
    cannot("stage.optim.actor.*", why="the rate is constant, AdamW has no further options"),
    cannot("stage.sampling.train.responses", why="num_inference_per_prompt says it"),
    cannot("stage.sampling.*.ignore_eos", why="answers end at the end token", behaves=False),
    cannot("stage.model_options.lora.rank", why="there is no LoRA: all weights are trained", behaves=0),
    cannot("stage.model_options.lora.*", why="there is no LoRA"),
    cannot("stage.model_options.gradient_checkpointing", why="always on with FSDP; Megatron has recompute_granularity", behaves=True),
    cannot("stage.model_options.remove_padding", why="packing removes padding, fixed micro-batches keep it",
           behaves=lambda c, _: c.plan(B + "micro.dynamic")),
    cannot("stage.model_options.critic_*", why=NO_CRITIC),
    cannot("stage.model_options.*", why="no such option of ChatLearn's trainers", behaves=False),
    cannot("stage.data.*[].sampling.*", why="sampling is the same for all files (models.policy)", behaves=common_sampling),
    cannot("stage.data.domains[].weight", why="files are read one after the other and shuffled: no key weighs them, only copies of rows"),
    cannot("stage.data.domains[].tags", why="the rule reward chooses by data_source, not by a tag"),
    cannot("stage.data.domains[].name", why="a run has no domains: all files are one data set"),
    cannot("stage.data.*[].reward*", why="the rule reward chooses by data_source"),
    cannot("stage.data.*[].*", why="files have the columns prompt, data_source and reward_model.ground_truth"),
    cannot("stage.data.rows", why="counted from the files"),
    cannot("stage.data.*", why="all rows of all files are read, as the files are"),
    cannot("stage.reward.manager", why="the rule reward chooses by data_source", behaves="naive"),
    cannot("stage.reward.*", why="rewards are Python code: add the function to ChatLearn's rule reward"),
    cannot("stage.checkpoint.contents", why="weights, optimizer and extra state are saved together", behaves=["model", "optimizer", "extra"]),
    cannot("stage.checkpoint.asynchronous", why="the run waits for its checkpoints", behaves=False),
    cannot("stage.checkpoint.load_contents", why="what is loaded follows from what was saved"),
    cannot("stage.checkpoint.*", why="all checkpoints are kept"),
    cannot("stage.turns.*", why="ChatLearn answers in one turn; tools need a rollout module of your own"),
    cannot("stage.seeds.*", why="models have seeds of their own, the data's is 0"),
    cannot("stage.name", why="a ChatLearn run has one stage"),
    cannot("stage.init_from", why="a ChatLearn run starts from models.policy_trainer.load", behaves="base"),
)  # fmt: skip

CHATLEARN = Table(
    framework="chatlearn",
    rows=(*RUN_ROWS, *TRAINING_ROWS, *ROLE_ROWS, *FOLDS, *FIXED),
    cannot=CANNOT,
    reasons=REASONS,
    worth=worth,
    target=questions.TARGET,
    dialect=dialect,
    questions=questions.questions,
    completes=questions.complete,
    sections=("runtime_args", "models", "env_args"),
    follows=FOLLOWS,
    decides={"runtime_args.train_backend": "who trains, and with which options: it is read as FSDP"},
)
