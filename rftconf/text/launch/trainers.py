"""Classes and functions that a Python launcher builds a run of TRL's GRPO from, and the keys that their arguments are. Tables."""

from __future__ import annotations

from rftconf.base.symbols import Value

PROGRAM = "trl.GRPOTrainer"
"""The name under which a launcher in Python counts as a program that starts TRL."""
WORDS = ("GRPOConfig", "GRPOTrainer")
"""A text without one of these is no such launcher."""
CONFIG, TRAINER, MODEL_CONFIG, ADAPTER = "config", "trainer", "model arguments", "adapter"
CLASSES = {
    ("trl", "GRPOConfig"): CONFIG,
    ("trl", "GRPOTrainer"): TRAINER,
    ("trl", "ModelConfig"): MODEL_CONFIG,
    ("trl", "ScriptArguments"): MODEL_CONFIG,
    ("trl", "GRPOScriptArguments"): MODEL_CONFIG,
    ("peft", "LoraConfig"): ADAPTER,
}
"""Package and class to what an object of it is."""
ORDER = {
    CONFIG: ("output_dir",),
    TRAINER: ("model", "reward_funcs", "args", "train_dataset", "eval_dataset"),
    MODEL_CONFIG: ("model_name_or_path",),
    ADAPTER: (),
}
"""Arguments by place, as far as every release has them in one order (trl/trainer/grpo_trainer.py)."""
OF_OTHER_CLASSES = frozenset(
    {"attn_implementation", "bnb_4bit_quant_storage", "bnb_4bit_quant_type", "dataset_config", "dataset_name",
     "dataset_streaming", "dataset_test_split", "dataset_train_split", "datasets", "dtype",
     "gradient_checkpointing_use_reentrant", "ignore_bias_buffers", "load_in_4bit", "load_in_8bit", "lora_alpha",
     "lora_dropout", "lora_modules_to_save", "lora_r", "lora_target_modules", "lora_target_parameters", "lora_task_type",
     "model_name_or_path", "model_revision", "reward_funcs", "reward_model_name_or_path", "streaming", "test_split_size",
     "torch_dtype", "use_bnb_nested_quant", "use_dora", "use_peft", "use_rslora"}
)  # fmt: skip
"""Keys that ModelConfig, ScriptArguments or DatasetMixtureConfig takes in some release, and GRPOConfig in none (trl/trainer,
trl/scripts/utils.py)."""
ADAPTER_KEYS = {
    "r": "lora_r", "lora_alpha": "lora_alpha", "lora_dropout": "lora_dropout", "target_modules": "lora_target_modules",
    "modules_to_save": "lora_modules_to_save", "task_type": "lora_task_type", "use_rslora": "use_rslora",
    "use_dora": "use_dora", "target_parameters": "lora_target_parameters",
}  # fmt: skip
"""Arguments of peft's LoraConfig, as trl/trainer/utils.py passes ModelConfig's on (get_peft_config)."""
ADAPTER_DEFAULTS: dict[str, Value] = {"r": 8, "lora_alpha": 8, "lora_dropout": 0.0}
"""Defaults of LoraConfig (peft/tuners/lora/config.py); ModelConfig has others."""
UNSLOTH_DEFAULTS: dict[str, Value] = {"r": 16, "lora_alpha": 16, "lora_dropout": 0.0}
"""Defaults of FastLanguageModel.get_peft_model (unsloth/models/llama.py)."""
PATHS = ("pretrained_model_name_or_path", "model_name", "model_name_or_path", "model_id")
"""Names of the first argument of `from_pretrained`."""
LOADED = ("path", "name", "data_dir", "data_files", "split")
"""Arguments of datasets.load_dataset by place (datasets/load.py)."""
ROWS_CHANGE = frozenset(
    {"select", "filter", "shard", "take", "skip", "train_test_split", "repeat", "from_list", "from_dict"}
)
"""Methods of a data set after which it has other rows."""
ENTRIES = frozenset({"fire.Fire", "typer.run", "tyro.cli"})
"""Functions that call the one they are given, with its defaults where the command line says nothing."""
DTYPES = frozenset({"bfloat16", "float16", "float32", "half", "float", "float64"})
"""Types of numbers by their names in torch."""
