"""NeMo-RL rows: keys that say alone what one plan field says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.codecs import counts, off_as, renamed, same, words
from rftconf.mappers.nemo_rl import conditions as on
from rftconf.mappers.rows import rows_of
from rftconf.mappers.usual_values import Needed
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Run
    from rftconf.schemas.nemo_rl.model import NemoRl

row = rows_of["NemoRl", "Run"]()


TYPES = words(
    {"bfloat16": "bfloat16", "float16": "float16", "float32": "float32"},
    narrowed={"auto": ("bfloat16", "the engine has the trainer's type here")},
)
OPTIMIZERS = words({"torch.optim.AdamW": "adamw", "torch.optim.Adam": "adam", "torch.optim.SGD": "sgd"}, asks=True)
MEGATRON_OPTIMIZERS = words({"adam": "adamw", "sgd": "sgd"}, asks=True)
ENGINES = words(
    {"vllm": "vllm", "sglang": "sglang", "megatron": "megatron"},
    narrowed={"hf": ("vllm", "NeMo-RL generates with an engine")},
)
FOLDER = Needed("checkpoints go below results/grpo where no folder is named")
VALIDATED = Needed("a number of rows is validated, and none stands for all of them")
NO_TURNS = renamed({1: None})
"""One turn is what every run has."""

ROWS = (
    # -- identity and model -------------------------------------------------------------------------------------
    row(lambda c: c.logger.wandb.project, lambda p: p.identity.project, same, why="logger.py: WandbLogger(**cfg)"),
    row(lambda c: c.logger.wandb.name, lambda p: p.identity.experiment, same, why="logger.py: WandbLogger(**cfg)"),
    row(lambda c: c.checkpointing.checkpoint_dir, lambda p: p.identity.checkpoint_root, FOLDER, why="utils/checkpoint.py: CheckpointManager"),
    row(lambda c: c.cluster.num_nodes, lambda p: p.cluster.nodes, same, always=True, why="grpo.py: setup, RayVirtualCluster"),
    row(lambda c: c.cluster.gpus_per_node, lambda p: p.cluster.gpus_per_node, same, always=True, why="grpo.py: setup, RayVirtualCluster"),
    row(lambda c: c.policy.model_name, lambda p: p.stage.model.path, same, always=True, why="policy_worker: from_pretrained(model_name)"),
    row(lambda c: c.policy.tokenizer.chat_template, lambda p: p.stage.model.chat_template, same, why="algorithms/utils.py: get_tokenizer"),
    row(lambda c: c.policy.hf_config_overrides, lambda p: p.stage.model.config_overrides, off_as(({},)), why="policy_worker: AutoConfig.from_pretrained(**overrides)"),
    # -- batches ------------------------------------------------------------------------------------------------
    row(lambda c: c.grpo.num_prompts_per_step, lambda p: p.stage.batch.prompts_per_rollout, counts(Unit.PROMPTS), always=True, why="grpo.py: setup, StatefulDataLoader"),
    row(lambda c: c.grpo.num_generations_per_prompt, lambda p: p.stage.batch.responses_per_prompt, same, always=True, why="grpo_train: repeat_interleave"),
    row(lambda c: c.policy.train_global_batch_size, lambda p: p.stage.batch.sequences_per_update, counts(Unit.SEQUENCES), always=True, why="policy_worker: train, num_global_batches"),
    # -- cadence and checkpoints --------------------------------------------------------------------------------
    row(lambda c: c.grpo.val_at_start, lambda p: p.stage.cadence.eval_at_start, same, why="grpo_train: val_at_start"),
    row(lambda c: c.checkpointing.save_consolidated, lambda p: p.stage.checkpoint.hf_export, words({False: "never", True: "always"},
        narrowed={"last": (True, "NeMo-RL exports every checkpoint or none")}), why="automodel/checkpoint.py: save_consolidated"),
    row(lambda c: c.checkpointing.is_async, lambda p: p.stage.checkpoint.asynchronous, renamed({None: False}), why="automodel/checkpoint.py: is_async"),
    # -- sampling -----------------------------------------------------------------------------------------------
    row(lambda c: c.policy.generation.temperature, lambda p: p.stage.sampling.train.temperature, same, why="vllm_worker: SamplingParams"),
    row(lambda c: c.policy.generation.top_p, lambda p: p.stage.sampling.train.top_p, same, why="vllm_worker: SamplingParams"),
    row(lambda c: c.policy.generation.top_k, lambda p: p.stage.sampling.train.top_k, renamed({None: -1}), why="vllm_worker: -1 where it is null"),
    # -- losses and optimizers ----------------------------------------------------------------------------------
    row(lambda c: c.loss_fn.ratio_clip_min, lambda p: p.stage.algorithm.policy_loss.clip_low, same, when=on.CLIPPED, always=True, why="ClippedPGLossFn: clamp(1 - ratio_clip_min)"),
    row(lambda c: c.loss_fn.ratio_clip_max, lambda p: p.stage.algorithm.policy_loss.clip_high, same, when=on.CLIPPED, always=True, why="ClippedPGLossFn: clamp(1 + ratio_clip_max)"),
    row(lambda c: c.loss_fn.ratio_clip_c, lambda p: p.stage.algorithm.policy_loss.dual_clip_c, same, why="ClippedPGLossFn: loss3"),
    row(lambda c: c.policy.optimizer.name, lambda p: p.stage.optim.actor.kind, OPTIMIZERS, when=on.SHARDED, why="policy_worker: get_class(optimizer.name)"),
    row(lambda c: c.policy.megatron_cfg.optimizer.optimizer, lambda p: p.stage.optim.actor.kind, MEGATRON_OPTIMIZERS, when=on.MEGATRON, alias=True, why="Megatron OptimizerConfig"),
    row(lambda c: c.policy.max_grad_norm, lambda p: p.stage.optim.actor.grad_clip, same, why="policy_worker: max_grad_norm; Megatron's clip_grad follows it"),
    # -- what trains --------------------------------------------------------------------------------------------
    row(lambda c: c.policy.precision, lambda p: p.stage.placement.actor.compute_dtype, TYPES, why="policy_worker: autocast(dtype)"),
    row(lambda c: c.policy.dtensor_cfg.tensor_parallel_size, lambda p: p.stage.placement.actor.mesh.tp, same, when=on.SHARDED, why="lm_policy.py: tp_size"),
    row(lambda c: c.policy.dtensor_cfg.context_parallel_size, lambda p: p.stage.placement.actor.mesh.cp, same, when=on.SHARDED, why="lm_policy.py: cp_size"),
    row(lambda c: c.policy.dtensor_cfg.expert_parallel_size, lambda p: p.stage.placement.actor.mesh.ep, renamed({None: 1}), when=on.SHARDED, why="automodel/setup.py: ep_size"),
    row(lambda c: c.policy.dtensor_cfg.cpu_offload, lambda p: p.stage.placement.actor.offload_policy, same, when=on.SHARDED, why="policy_worker: CPUOffloadPolicy"),
    row(lambda c: c.policy.megatron_cfg.tensor_model_parallel_size, lambda p: p.stage.placement.actor.megatron.tp, same, when=on.MEGATRON, why="lm_policy.py: tp_size"),
    row(lambda c: c.policy.megatron_cfg.pipeline_model_parallel_size, lambda p: p.stage.placement.actor.megatron.pp, same, when=on.MEGATRON, why="lm_policy.py: pp_size"),
    row(lambda c: c.policy.megatron_cfg.context_parallel_size, lambda p: p.stage.placement.actor.megatron.cp, same, when=on.MEGATRON, why="lm_policy.py: cp_size"),
    row(lambda c: c.policy.megatron_cfg.expert_model_parallel_size, lambda p: p.stage.placement.actor.megatron.ep, same, when=on.MEGATRON, why="megatron/setup.py"),
    row(lambda c: c.policy.megatron_cfg.expert_tensor_parallel_size, lambda p: p.stage.placement.actor.megatron.etp, same, when=on.MEGATRON, why="megatron/setup.py"),
    row(lambda c: c.policy.megatron_cfg.sequence_parallel, lambda p: p.stage.placement.actor.megatron.sequence_parallel, same, when=on.MEGATRON, why="megatron/setup.py"),
    row(lambda c: c.policy.megatron_cfg.optimizer.use_distributed_optimizer, lambda p: p.stage.placement.actor.megatron.distributed_optimizer, same, when=on.MEGATRON,
        why="Megatron OptimizerConfig"),
    # -- engines ------------------------------------------------------------------------------------------------
    row(lambda c: c.policy.generation.backend, lambda p: p.stage.placement.rollout.engine, ENGINES, why="grpo.py: setup"),
    row(lambda c: c.policy.generation.vllm_cfg.tensor_parallel_size, lambda p: p.stage.placement.rollout.tp, same, when=on.VLLM, always=True, why="vllm_generation.py"),
    row(lambda c: c.policy.generation.vllm_cfg.pipeline_parallel_size, lambda p: p.stage.placement.rollout.pp, same, when=on.VLLM, why="vllm_generation.py"),
    row(lambda c: c.policy.generation.vllm_cfg.expert_parallel_size, lambda p: p.stage.placement.rollout.ep, renamed({None: 1}), when=on.VLLM, why="vllm_generation.py"),
    row(lambda c: c.policy.generation.vllm_cfg.gpu_memory_utilization, lambda p: p.stage.placement.rollout.gpu_memory_fraction, same, when=on.VLLM, always=True, why="vllm_worker.py"),
    row(lambda c: c.policy.generation.vllm_cfg.enforce_eager, lambda p: p.stage.placement.rollout.enforce_eager, same, when=on.VLLM, why="vllm_worker.py"),
    row(lambda c: c.policy.generation.vllm_cfg.precision, lambda p: p.stage.placement.rollout.dtype, TYPES, when=on.VLLM, why="vllm_worker.py: dtype"),
    # -- data ---------------------------------------------------------------------------------------------------
    row(lambda c: c.grpo.seed, lambda p: p.stage.seeds.global_seed, same, why="grpo.py: set_seed"),
    row(lambda c: c.data.shuffle, lambda p: p.stage.data.shuffle, same, why="grpo.py: StatefulDataLoader(shuffle=)"),
    row(lambda c: c.data.num_workers, lambda p: p.stage.data.loader_workers, same, why="grpo.py: StatefulDataLoader(num_workers=)"),
    row(lambda c: c.grpo.max_val_samples, lambda p: p.stage.data.eval_max_samples, VALIDATED, why="validate: max_val_samples // val_batch_size batches"),
    row(lambda c: c.grpo.max_rollout_turns, lambda p: p.stage.turns.assistant_max, NO_TURNS, why="run_multi_turn_rollout: max_rollout_turns"),
)  # fmt: skip
