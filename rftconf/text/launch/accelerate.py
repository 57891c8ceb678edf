"""Options of `accelerate launch`, on its command line and in its config file, that decide where a run's processes are. A table."""

from __future__ import annotations

from rftconf.base.symbols import Value

OPTIONS = {
    "num_processes": "int", "num_machines": "int", "machine_rank": "int", "gpu_ids": "str", "distributed_type": "str",
    "mixed_precision": "str", "use_deepspeed": "bool", "zero_stage": "int", "offload_optimizer_device": "str",
    "offload_param_device": "str", "deepspeed_config_file": "str", "use_fsdp": "bool", "fsdp_version": "int",
    "fsdp_offload_params": "bool", "fsdp_reshard_after_forward": "any", "fsdp_sharding_strategy": "any",
    "main_process_ip": "str", "main_process_port": "int", "config_file": "str", "accelerate_config": "str",
}  # fmt: skip
"""Option to its type (accelerate/commands/launch.py: launch_command_parser); TRL's `accelerate_config` names a config file."""
SECTIONS = ("deepspeed_config", "fsdp_config")
"""Sections of a config file whose entries are called as the options are (accelerate/commands/config/config_args.py)."""
FILES = ("config_file", "accelerate_config")
"""Options that name a config file."""
_EIGHT: dict[str, Value] = {"num_machines": 1, "num_processes": 8, "mixed_precision": "bf16"}
SHIPPED: dict[str, dict[str, Value]] = {
    "single_gpu": {**_EIGHT, "distributed_type": "NO", "num_processes": 1},
    "multi_gpu": {**_EIGHT, "distributed_type": "MULTI_GPU"},
    **{f"zero{stage}": {**_EIGHT, "distributed_type": "DEEPSPEED", "zero_stage": stage} for stage in (1, 2, 3)},
    **{f"fsdp{version}": {**_EIGHT, "distributed_type": "FSDP", "fsdp_version": version} for version in (1, 2)},
}
"""Settings that count in the config files that TRL ships (trl/accelerate_configs), by the files' names; NO starts one process."""
