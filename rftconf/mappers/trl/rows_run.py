"""TRL rows: keys that say alone what one plan field says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.codecs import NO_GRAD_CLIP, renamed, same, words
from rftconf.mappers.rows import rows_of
from rftconf.mappers.trl import conditions as on

if TYPE_CHECKING:
    from rftconf.plan.model import Run
    from rftconf.schemas.trl.model import Trl

row = rows_of["Trl", "Run"]()

LEVELS = words(
    {"passive": None, **{level.lower(): level for level in ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")}}
)
"""TrainingArguments.log_level; passive leaves the level as it is."""

ROWS = (
    # -- identity and model -------------------------------------------------------------------------------------
    row(lambda c: c.run_name, lambda p: p.identity.experiment, same, why="transformers Trainer: the trackers' name of the run"),
    row(lambda c: c.output_dir, lambda p: p.identity.checkpoint_root, same, why="transformers Trainer._save_checkpoint"),
    row(lambda c: c.log_level, lambda p: p.identity.log_level, LEVELS, when=on.LOGS_AT_A_LEVEL,
        why="TrainingArguments.get_process_log_level"),
    row(lambda c: c.trust_remote_code, lambda p: p.stage.model.trust_remote_code, same, why="trl/scripts/grpo.py: model_init_kwargs"),
    # -- lengths and batches ------------------------------------------------------------------------------------
    row(lambda c: c.max_completion_length, lambda p: p.stage.length.response_max_tokens, same, why="trl/trainer/grpo_trainer.py: max_tokens"),
    row(lambda c: c.vllm_max_model_length, lambda p: p.stage.length.model_max_tokens, same, when=on.COLOCATED,
        why="trl/generation/vllm_generation.py: max_model_len"),
    row(lambda c: c.num_generations, lambda p: p.stage.batch.responses_per_prompt, same, why="trl/trainer/grpo_trainer.py: RepeatSampler"),
    row(lambda c: c.num_iterations, lambda p: p.stage.batch.passes, same, why="trl/trainer/grpo_trainer.py: generate_every"),
    # -- sampling -----------------------------------------------------------------------------------------------
    row(lambda c: c.temperature, lambda p: p.stage.sampling.train.temperature, same, why="trl/trainer/grpo_trainer.py: generation_kwargs"),
    row(lambda c: c.top_p, lambda p: p.stage.sampling.train.top_p, same, why="trl/trainer/grpo_trainer.py: generation_kwargs"),
    row(lambda c: c.top_k, lambda p: p.stage.sampling.train.top_k, renamed({0: -1, None: -1}),
        why="trl/generation/vllm_generation.py: -1 where it is null or 0"),
    row(lambda c: c.repetition_penalty, lambda p: p.stage.sampling.train.repetition_penalty, same,
        why="trl/trainer/grpo_trainer.py: generation_kwargs"),
    # -- losses and optimizer -----------------------------------------------------------------------------------
    row(lambda c: c.delta, lambda p: p.stage.algorithm.policy_loss.dual_clip_c, same, when=on.CAPPED,
        why="_compute_loss: the ratio is capped before it meets the advantage, so bad answers lose delta times theirs at most"),
    row(lambda c: c.sapo_temperature_pos, lambda p: p.stage.algorithm.policy_loss.tau_pos, same, when=on.SOFT, why="_compute_loss: sapo"),
    row(lambda c: c.sapo_temperature_neg, lambda p: p.stage.algorithm.policy_loss.tau_neg, same, when=on.SOFT, why="_compute_loss: sapo"),
    row(lambda c: c.entropy_coef, lambda p: p.stage.algorithm.entropy_coef, same, why="_compute_loss: loss - coef * entropy"),
    row(lambda c: c.learning_rate, lambda p: p.stage.optim.actor.lr, same, why="transformers Trainer.create_optimizer"),
    row(lambda c: c.weight_decay, lambda p: p.stage.optim.actor.weight_decay, same, why="transformers Trainer.create_optimizer"),
    row(lambda c: c.max_grad_norm, lambda p: p.stage.optim.actor.grad_clip, NO_GRAD_CLIP, why="transformers Trainer: clip_grad_norm_ where max_grad_norm > 0 (H82)"),
    row(lambda c: c.optim, lambda p: p.stage.optim.actor.kind, words({"adamw_torch": "adamw", "adamw_torch_fused": "adamw"}),
        why="transformers Trainer.get_optimizer_cls_and_kwargs"),
    # -- what trains --------------------------------------------------------------------------------------------
    row(lambda c: c.vllm_gpu_memory_utilization, lambda p: p.stage.placement.rollout.gpu_memory_fraction, same, when=on.COLOCATED,
        why="trl/generation/vllm_generation.py: gpu_memory_utilization"),
    row(lambda c: c.gradient_checkpointing, lambda p: p.stage.model_options.gradient_checkpointing, same,
        why="transformers Trainer: gradient_checkpointing_enable"),
    row(lambda c: c.use_liger_kernel, lambda p: p.stage.model_options.liger, same, why="trl/trainer/grpo_trainer.py: compute_liger_loss"),
    row(lambda c: c.torch_compile, lambda p: p.stage.placement.actor.torch_compile, same, why="transformers Trainer: torch.compile"),
    row(lambda c: c.full_determinism, lambda p: p.stage.placement.actor.full_determinism, same, why="transformers Trainer: enable_full_determinism"),
    # -- data and checkpoints -----------------------------------------------------------------------------------
    row(lambda c: c.seed, lambda p: p.stage.seeds.global_seed, same, why="transformers set_seed; RepeatSampler(seed=)"),
    row(lambda c: c.shuffle_dataset, lambda p: p.stage.data.shuffle, same, why="trl/trainer/grpo_trainer.py: RepeatSampler(shuffle=)"),
    row(lambda c: c.dataloader_num_workers, lambda p: p.stage.data.loader_workers, same, why="transformers Trainer: DataLoader"),
    row(lambda c: c.save_total_limit, lambda p: p.stage.checkpoint.keep, same, why="transformers Trainer._rotate_checkpoints"),
)  # fmt: skip
