"""veRL rows of the SFT programs: the engine's (`sft_trainer`, `sft_trainer_ray`) and the older FSDP one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rftconf.base.symbols import Var, arith
from rftconf.mappers.codecs import Codec, Number, Put, checkpoint_folder, counts, off_as, same, words
from rftconf.mappers.context import When
from rftconf.mappers.rates import known_plan_value, rows_of_run
from rftconf.mappers.rows import rows_of
from rftconf.mappers.rows_for_role import rows_for_role
from rftconf.mappers.verl import conditions as on
from rftconf.mappers.verl.rows_run import RUN_ROWS
from rftconf.mappers.verl.rows_workers import FSDP_BLOCK, MEGATRON_BLOCK
from rftconf.plan.units import Unit
from rftconf.schemas.values import EACH_EPOCH

if TYPE_CHECKING:
    from rftconf.plan.model import Run
    from rftconf.schemas.verl_fsdp_sft.model import VerlFsdpSft
    from rftconf.schemas.verl_sft.model import VerlSft

row = rows_of["VerlSft", "Run"]()
old = rows_of["VerlFsdpSft", "Run"]()
BACKENDS = words(
    {"fsdp": "fsdp", "fsdp2": "fsdp2"},
    narrowed={"megatron": ("fsdp", "this program has no Megatron trainer; FSDP trains the same")},
)
SHARED = ("param_offload", "optimizer_offload")
"""Keys that both engines have, with one meaning."""
OWN_FIELD = ("seed", "dtype")
"""Keys that both engines have, whose plan fields differ: folds_engine."""
MEGATRON = When(lambda c: c.backend == "megatron", "only the Megatron engine reads it (engine=megatron optim=megatron)")
STATIC = When(
    lambda c: c.plan("stage.batch.micro.dynamic") is not True,
    "no effect while data.use_dynamic_bsz is true (its default)",
)
DYNAMIC = When(
    lambda c: c.plan("stage.batch.micro.dynamic") is not False, "no effect while data.use_dynamic_bsz is false"
)
NO_FLOOR = ("constant", "linear", "inv_sqrt", "wsd")
"""Schedules without a floor, or without a word here."""
FSDP_DECAYS = When(
    lambda c: on.FSDP.test(c) and c.plan("stage.optim.actor.schedule") not in NO_FLOOR,
    "only the cosine of the FSDP engine has a floor as a share of the rate",
)
MEGATRON_DECAYS = When(
    lambda c: MEGATRON.test(c) and on.COSINE.test(c),
    "only the decaying schedules of the Megatron engine have a lowest rate",
)
NAMES = ("trainer.project_name", "trainer.experiment_name", "trainer.logger", "trainer.resume_mode", "trainer.resume_from_path",
         "trainer.save_freq", "trainer.test_freq")  # fmt: skip


STEPS = counts(Unit.ROLLOUTS, off=(-1, 0))


class _Frequency(Codec[Any, Number]):
    """A number of updates, or the word for as many as an epoch has."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        if value != EACH_EPOCH:
            return STEPS.get(value, context, unit)
        samples = known_plan_value(context, "stage.batch.sequences_per_update", "the samples of an update")
        return arith("//", rows_of_run(context), samples)

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        return STEPS.put(value, context, unit)


FREQUENCY = _Frequency()
SAME_NAMES = tuple(
    replace(row, codec=FREQUENCY) if row.native.endswith("_freq") else row for row in RUN_ROWS if row.native in NAMES
)
"""Keys that all programs of veRL call alike. The unit of save_freq and test_freq is the program's step."""
LORA = {f"model.{name}" for name in ("lora_rank", "lora_alpha", "target_modules", "exclude_modules", "lora_adapter_path", "lora.rank",
                                     "lora.alpha", "lora.target_modules")}  # fmt: skip
MODEL = {"model.tokenizer_path", "model.trust_remote_code", "model.custom_chat_template", "model.override_config",
         "model.enable_gradient_checkpointing", "model.enable_activation_offload", "model.use_remove_padding", "model.use_liger",
         "model.use_fused_kernels", "model.path"}  # fmt: skip
SAME_MODEL = tuple(
    replace(row, native=row.native.removeprefix("actor_rollout_ref."))
    for row in RUN_ROWS
    if row.native.startswith("actor_rollout_ref.model.")
    and row.native.removeprefix("actor_rollout_ref.") in LORA | MODEL
)
"""The model block is the same class (HFModelConfig) in every program of the engine."""

SFT_ROWS = (
    *SAME_NAMES,
    *SAME_MODEL,
    *rows_for_role((row for row in FSDP_BLOCK if row.native in SHARED), native="engine", plan="stage.placement.actor"),
    *rows_for_role(FSDP_BLOCK, native="engine", plan="stage.placement.actor", when=on.FSDP, skip=(*SHARED, *OWN_FIELD)),
    *rows_for_role(MEGATRON_BLOCK, native="engine", plan="stage.placement.actor", when=MEGATRON, skip=(*SHARED, *OWN_FIELD)),
    row(lambda c: c.engine.ulysses_sequence_parallel_size, lambda p: p.stage.placement.actor.sp, same, when=on.FSDP, why="FSDPEngineConfig"),
    row(lambda c: c.data.train_batch_size, lambda p: p.stage.batch.sequences_per_update, counts(Unit.SEQUENCES), always=True,
        why="sft_trainer: global_batch_size, samples of one update"),
    row(lambda c: c.data.use_dynamic_bsz, lambda p: p.stage.batch.micro.dynamic, same, always=True, why="sft_trainer: meta_info"),
    row(lambda c: c.data.micro_batch_size_per_gpu, lambda p: p.stage.batch.micro.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK),
        when=STATIC, why="sft_trainer: meta_info"),
    row(lambda c: c.data.max_token_len_per_gpu, lambda p: p.stage.batch.micro.tokens_per_rank, counts(Unit.TOKENS_PER_GPU),
        when=DYNAMIC, why="sft_trainer: meta_info; times the Ulysses size"),
    row(lambda c: c.data.num_workers, lambda p: p.stage.data.loader_workers, same, absent=8, why="sft_trainer: StatefulDataLoader"),
    row(lambda c: c.data.custom_cls.path, lambda p: p.stage.data.dataset_class, same, why="create_sft_dataset"),
    row(lambda c: c.data.custom_cls.name, lambda p: p.stage.data.dataset_class_name, same, why="create_sft_dataset"),
    row(lambda c: c.optim.lr, lambda p: p.stage.optim.actor.lr, same, always=True, why="optim/fsdp.yaml: 1e-3 unless written (H70)"),
    row(lambda c: c.optim.optimizer, lambda p: p.stage.optim.actor.kind, on.OPTIMIZERS, why="optimizer class"),
    row(lambda c: c.optim.betas, lambda p: p.stage.optim.actor.betas, same, always=True, why="optimizer config (H70)"),
    row(lambda c: c.optim.weight_decay, lambda p: p.stage.optim.actor.weight_decay, same, why="optimizer config"),
    row(lambda c: c.optim.clip_grad, lambda p: p.stage.optim.actor.grad_clip, same, always=True, why="engine: clip_grad_norm_"),
    row(lambda c: c.optim.lr_scheduler_type, lambda p: p.stage.optim.actor.schedule, on.FSDP_SCHEDULES, when=on.FSDP, always=True,
        why="optim/fsdp.yaml (H70)"),
    row(lambda c: c.optim.lr_decay_style, lambda p: p.stage.optim.actor.schedule, on.MEGATRON_SCHEDULES, when=MEGATRON, alias=True,
        always=True, why="optim/megatron.yaml"),
    row(lambda c: c.optim.min_lr_ratio, lambda p: p.stage.optim.actor.min_lr_ratio, same, when=FSDP_DECAYS,
        why="optim/fsdp.yaml: floor of the cosine"),
    row(lambda c: c.optim.min_lr, lambda p: p.stage.optim.actor.min_lr, same, when=MEGATRON_DECAYS, why="optim/megatron.yaml: floor of the decay"),
    row(lambda c: c.checkpoint.save_contents, lambda p: p.stage.checkpoint.contents, same, why="CheckpointConfig.save_contents"),
    row(lambda c: c.checkpoint.load_contents, lambda p: p.stage.checkpoint.load_contents, same, why="CheckpointConfig.load_contents"),
    row(lambda c: c.checkpoint.async_save, lambda p: p.stage.checkpoint.asynchronous, same, absent=False, why="CheckpointConfig.async_save"),
    row(lambda c: c.trainer.max_ckpt_to_keep, lambda p: p.stage.checkpoint.keep, off_as((None, 0)), why="CheckpointHandler"),
    row(lambda c: c.trainer.balance_batch, lambda p: p.stage.batch.balance_ranks, same, why="sft_trainer: balance of ranks"),
)  # fmt: skip

FSDP_SFT_ROWS = (
    *(row for row in SAME_NAMES if row.native not in ("trainer.resume_mode", "trainer.resume_from_path")),
    old(lambda c: c.trainer.resume_mode, lambda p: p.identity.resume,
        words({"auto": "auto", "disable": "never", "resume_path": "path"}), absent="never", why="fsdp_sft_trainer: load_checkpoint, since 0.5"),
    old(lambda c: c.trainer.resume_from_path, lambda p: p.identity.resume_path, checkpoint_folder, why="fsdp_sft_trainer: load_checkpoint"),
    old(lambda c: c.data.train_batch_size, lambda p: p.stage.batch.sequences_per_update, counts(Unit.SEQUENCES), always=True,
        why="fsdp_sft_trainer: samples of one update, divided by the ranks"),
    old(lambda c: c.data.micro_batch_size_per_gpu, lambda p: p.stage.batch.micro.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK),
        why="fsdp_sft_trainer: batch.split"),
    old(lambda c: c.data.custom_cls.path, lambda p: p.stage.data.dataset_class, same, why="create_sft_dataset"),
    old(lambda c: c.data.custom_cls.name, lambda p: p.stage.data.dataset_class_name, same, why="create_sft_dataset"),
    old(lambda c: c.model.partial_pretrain, lambda p: p.stage.model.path, same, always=True, why="fsdp_sft_trainer: the model's path"),
    old(lambda c: c.model.trust_remote_code, lambda p: p.stage.model.trust_remote_code, same, why="hf_tokenizer, AutoConfig"),
    old(lambda c: c.model.lora_rank, lambda p: p.stage.model_options.lora.rank, off_as((0, None)), why="LoraConfig.r; 0 is off"),
    old(lambda c: c.model.lora_alpha, lambda p: p.stage.model_options.lora.alpha, same, when=on.LORA, always=True, why="LoraConfig.lora_alpha"),
    old(lambda c: c.model.target_modules, lambda p: p.stage.model_options.lora.targets, same, when=on.LORA, always=True, why="LoraConfig"),
    old(lambda c: c.model.enable_gradient_checkpointing, lambda p: p.stage.model_options.gradient_checkpointing, same, why="fsdp_sft_trainer"),
    old(lambda c: c.model.use_liger, lambda p: p.stage.model_options.liger, same, why="fsdp_sft_trainer"),
    old(lambda c: c.use_remove_padding, lambda p: p.stage.model_options.remove_padding, same, why="fsdp_sft_trainer: needed by Ulysses SP"),
    old(lambda c: c.model.strategy, lambda p: p.stage.placement.actor.backend, BACKENDS, absent="fsdp", always=True, why="fsdp_sft_trainer"),
    old(lambda c: c.model.fsdp_config.model_dtype, lambda p: p.stage.placement.actor.model_dtype, same, absent="fp32", why="fsdp_sft_trainer"),
    old(lambda c: c.model.fsdp_config.wrap_policy.min_num_params, lambda p: p.stage.placement.actor.min_wrap_params, same,
        why="get_fsdp_wrap_policy"),
    old(lambda c: c.ulysses_sequence_parallel_size, lambda p: p.stage.placement.actor.sp, same, why="fsdp_sft_trainer: device mesh"),
    old(lambda c: c.optim.lr, lambda p: p.stage.optim.actor.lr, same, always=True, why="sft_trainer.yaml: 1e-5 unless written (H70)"),
    old(lambda c: c.optim.betas, lambda p: p.stage.optim.actor.betas, same, always=True, why="sft_trainer.yaml: 0.9, 0.95 (H70)"),
    old(lambda c: c.optim.weight_decay, lambda p: p.stage.optim.actor.weight_decay, same, why="optimizer"),
    old(lambda c: c.optim.clip_grad, lambda p: p.stage.optim.actor.grad_clip, same, always=True, why="clip_grad_norm_"),
    old(lambda c: c.optim.lr_scheduler, lambda p: p.stage.optim.actor.schedule, words({"cosine": "cosine", "wsd": "wsd"}, asks=True),
        absent="cosine", always=True, why="fsdp_sft_trainer: cosine or wsd, nothing else; the cosine alone before 0.4"),
    old(lambda c: c.trainer.checkpoint.save_contents, lambda p: p.stage.checkpoint.contents, same, absent=["model"], why="since 0.5"),
    old(lambda c: c.trainer.checkpoint.load_contents, lambda p: p.stage.checkpoint.load_contents, same, why="since 0.5"),
    old(lambda c: c.trainer.max_ckpt_to_keep, lambda p: p.stage.checkpoint.keep, off_as((None, 0)), why="fsdp_sft_trainer: since 0.5"),
)  # fmt: skip
