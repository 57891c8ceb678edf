"""One run (B=1024, m=256, n=8) in both frameworks, varied key by key and converted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from rftconf.base.ledger import SourceLine
from rftconf.convert.convert import Conversion, convert
from rftconf.text.read.read import read
from rftconf.text.source import Source

VERL = {
    "algorithm.adv_estimator": "grpo",
    "data.train_files": "/data/gsm8k/train.parquet",
    "data.val_files": "/data/gsm8k/test.parquet",
    "data.train_batch_size": "1024",
    "data.max_prompt_length": "512",
    "data.max_response_length": "1024",
    "actor_rollout_ref.model.path": "/models/m",
    "actor_rollout_ref.actor.ppo_mini_batch_size": "256",
    "actor_rollout_ref.actor.use_dynamic_bsz": "True",
    "actor_rollout_ref.rollout.name": "vllm",
    "actor_rollout_ref.rollout.n": "8",
    "actor_rollout_ref.rollout.tensor_model_parallel_size": "2",
    "trainer.n_gpus_per_node": "8",
    "trainer.nnodes": "1",
    "trainer.save_freq": "20",
    "trainer.test_freq": "5",
    "trainer.total_training_steps": "105",
}
TRINITY: dict[str, Any] = {
    "mode": "both",
    "project": "p",
    "name": "n",
    "checkpoint_root_dir": "/ckpt",
    "algorithm.algorithm_type": "grpo",
    "algorithm.repeat_times": 8,
    "algorithm.optimizer.lr": 1e-6,
    "algorithm.kl_loss_fn": "none",
    "model.model_path": "/models/m",
    "model.max_prompt_tokens": 512,
    "model.max_response_tokens": 1024,
    "cluster.node_num": 1,
    "cluster.gpu_per_node": 8,
    "buffer.batch_size": 256,
    "buffer.train_batch_size": 2048,
    "buffer.total_steps": 420,
    "buffer.explorer_input.taskset.name": "gsm8k",
    "buffer.explorer_input.taskset.path": "/data/gsm8k",
    "buffer.explorer_input.taskset.split": "train",
    "buffer.explorer_input.eval_tasksets": [{"name": "e", "path": "/data/gsm8k", "split": "test"}],
    "explorer.eval_interval": 20,
    "explorer.rollout_model.engine_num": 2,
    "explorer.rollout_model.tensor_parallel_size": 2,
    "synchronizer.sync_style": "fixed",
    "synchronizer.sync_interval": 4,
    "synchronizer.sync_offset": 0,
    "trainer.save_interval": 80,
    "trainer.total_steps": 420,
}
ACTOR, ROLLOUT = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout."
PPO = {"algorithm.adv_estimator": "gae", "critic.model.path": "/models/c"}
TRINITY_PPO = {"algorithm.algorithm_type": "ppo", "model.critic_model_path": "/models/c"}
LOSS, CRITIC = "algorithm.policy_loss_fn_args.", "trainer.trainer_config.critic."


@dataclass(frozen=True)
class Done:
    """A conversion, with its outputs by key."""

    conversion: Conversion

    @property
    def out(self) -> dict[str, Any]:
        """Target keys and values."""
        return {line.key.lstrip("+"): line.value for line in self.conversion.ledger.targets}

    @property
    def notes(self) -> str:
        """All notes as one text."""
        return "\n".join(self.conversion.ledger.notes)

    def plan(self, path: str) -> Any:
        """A value of the plan that was read."""
        return self.conversion.loaded.stages[-1].values.get(path)

    def line(self, key: str) -> SourceLine:
        """What became of one source key."""
        return next(line for line in self.conversion.ledger.sources if line.key == key)


def from_verl(
    changes: Mapping[str, str | None] | None = None, *, release: str = "0.9.1", to: str = "0.6.0", **options: Any
) -> Done:
    """The worked example as a veRL command with some keys changed (None drops one), to Trinity-RFT `to`."""
    keys = {**VERL, **(changes or {})}
    words = " ".join(f"'{key}={value}'" for key, value in keys.items() if value is not None)
    program = "python3 -m verl.trainer.main_ppo"
    if keys.get(ACTOR + "strategy") == "megatron":
        program += " --config-name=ppo_megatron_trainer"
    document = read(Source("run.sh", f"{program} {words}\n"))
    return Done(convert(document, "trinity", framework="verl", release=release, to_release=to, **options))


def from_trinity(
    changes: Mapping[str, Any] | None = None, *, release: str = "0.6.0", to: str = "0.9.1", **options: Any
) -> Done:
    """The worked example as a Trinity-RFT file with some keys changed (None drops one), to veRL `to`."""
    tree: dict[str, Any] = {}
    for key, value in {**TRINITY, **(changes or {})}.items():
        if value is None:
            continue
        node = tree
        *parents, last = key.split(".")
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = value
    document = read(Source("run.yaml", yaml.safe_dump(tree, sort_keys=False)))
    return Done(convert(document, "verl", framework="trinity", release=release, to_release=to, **options))


def picked(out: dict[str, Any], *keys: str) -> list[Any]:
    """The values of some target keys, None for those not written."""
    return [out.get(key) for key in keys]
