"""Switches of ChatLearn's config beside the plan."""

from __future__ import annotations

from rftconf.mappers.gates import Gate, Gates, has

GATES = Gates(
    sections=(),
    gates=(
        *(Gate((f"runtime_args.log_args_dict.{name}_*",), has(f"runtime_args.log_args_dict.enable_{name}", True),
               f"no effect while runtime_args.log_args_dict.enable_{name} is false", "configs/runtime_config.py")
          for name in ("wandb", "tensorboard")),
    ),
)  # fmt: skip
