"""Reasons for OpenRLHF's keys that no row speaks for. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason, reasons_for

DEAD, KEPT, MATHS, SECRET = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART, State.WITHHELD

ALGORITHM = (
    *reasons_for(MATHS, "the KL term's gradient is weighted with the ratio; no field of the plan holds that", "algo.kl.unbiased_gradient"),
    *reasons_for(MATHS, "the load-balancing loss of a mixture of experts", "actor.aux_loss_coef"),
    *reasons_for(MATHS, "rewards are cut to this range before anything is made of them", "reward.clip_range"),
    *reasons_for(MATHS, "answers that end near the length limit lose some of their reward", "reward.overlong_*"),
    *reasons_for(MATHS, "answers that end at the length limit keep a part of their reward, or get a fixed one", "reward.stop_properly_penalty_coef"),
    *reasons_for(MATHS, "scores of the reward model, and of the critic, are scaled by the mean and deviation in their files", "reward.normalize_enable"),
    *reasons_for(MATHS, "weights that follow the policy's slowly are what is saved; training itself does not change", "train.enable_ema", "train.ema_beta"),
    *reasons_for(KEPT, "prompts become text by the model's chat template; without it they are taken as they are", "data.apply_chat_template"),
    *reasons_for(MATHS, "how prompts are put into text: prepare them in the data", "data.input_template"),
    *reasons_for(MATHS, "pictures of a row, and how many a prompt may have", "data.image_key", "data.max_images_per_prompt"),
    *reasons_for(MATHS, "the part of the model that sees is not trained", "actor.freeze_visual_encoder"),
)  # fmt: skip

OPTIMIZER = (
    *reasons_for(DEAD, "DeepSpeed's Muon has 5 steps and Nesterov's momentum, whatever it says", "*.muon.ns_steps", "*.muon.nesterov", "*.muon.no_nesterov"),
    *reasons_for(MATHS, "arguments of Muon, which no field of the plan holds", "*.muon.*"),
    *reasons_for(MATHS, "an argument of the optimizer that the plan has no field for", "*.adam.eps"),
    *reasons_for(MATHS, "the type that gradients are summed up in", "ds.grad_accum_dtype"),
)  # fmt: skip

MODEL = (
    *reasons_for(MATHS, "weights are loaded in fewer bits", "ds.load_in_4bit"),
    *reasons_for(MATHS, "how dropout acts: rftconf's plan has no field for it", "ds.lora.dropout"),
    *reasons_for(KEPT, "which kernel computes attention, or experts; the mathematics are the same", "ds.attn_implementation", "ds.experts_implementation"),
    *reasons_for(KEPT, "what the layer that scores is called in the model's files", "ds.value_head_prefix"),
    *reasons_for(KEPT, "activations are computed again in the backward pass", "actor.gradient_checkpointing_reentrant"),
    *reasons_for(KEPT, "how the tokenizer computes; the tokens are the same", "data.disable_fast_tokenizer"),
    *reasons_for(KEPT, "models come from ModelScope's hub", "use_ms"),
)  # fmt: skip

PLACES = (
    *reasons_for(KEPT, "engines give their memory back while the trainer runs", "vllm.enable_sleep"),
    *reasons_for(KEPT, "how weights go to the engines; they are the same", "vllm.sync_with_ray"),
    *reasons_for(KEPT, "how DeepSpeed shards and sends; the mathematics are the same", "ds.zpg", "ds.overlap_comm", "ds.ring_attn_head_stride"),
    *reasons_for(KEPT, "weights of models that only score wait in host memory", "reward.offload"),
    *reasons_for(KEPT, "which models share GPUs; train.colocate_all says it of all", "train.colocate_actor_ref", "train.colocate_critic_reward"),
    *reasons_for(KEPT, "a process is told its GPU by Ray", "local_rank"),
)  # fmt: skip

SAVED = (
    *reasons_for(SECRET, "a credential is not carried over", "logger.wandb.key"),
    *reasons_for(KEPT, "trackers' own settings; they do not change training", "logger.*"),
    *reasons_for(KEPT, "where the model is saved at the end, and how checkpoints are written", "ckpt.*", "ds.use_universal_ckpt", "critic.save_value_network"),
)  # fmt: skip

REASONS: tuple[Reason, ...] = (*ALGORITHM, *OPTIMIZER, *MODEL, *PLACES, *SAVED)
