"""Keys of a DeepSpeed config and the options and arguments that stand for them. Tables."""

from __future__ import annotations

ARGUMENT = "deepspeed"
NAMES = (ARGUMENT, "deepspeed_config_file")
"""Keys that name such a file: the trainer's argument, the launcher's option; the first may hold the config itself."""
SAID = {
    "zero_optimization.stage": "zero_stage",
    "zero_optimization.offload_optimizer.device": "offload_optimizer_device",
    "zero_optimization.offload_param.device": "offload_param_device",
}
"""Keys for which the launcher has options (accelerate/utils/dataclasses.py: DeepSpeedPlugin)."""
MATCHED = {
    "train_micro_batch_size_per_gpu": "per_device_train_batch_size",
    "gradient_accumulation_steps": "gradient_accumulation_steps",
    "gradient_clipping": "max_grad_norm",
    "optimizer.params.lr": "learning_rate",
    "optimizer.params.weight_decay": "weight_decay",
    "bf16.enabled": "bf16",
    "fp16.enabled": "fp16",
}
"""Values that must be `auto` or the argument's own (transformers/integrations/deepspeed.py: trainer_config_process)."""
AUTO = "auto"
