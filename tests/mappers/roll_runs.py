"""One run (B=1024, m=256, n=8) in ROLL, varied key by key and converted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from rftconf.base.ledger import SourceLine
from rftconf.convert.convert import Conversion, convert
from rftconf.mappers.value_errors import ValueFinding
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.hazard_runs import VERL

TRAIN, INFER = "actor_train.", "actor_infer."
ARGS, CONFIG, STRATEGY = "training_args.", "strategy_args.strategy_config.", "strategy_args.strategy_name"
ROLL: dict[str, Any] = {
    "exp_name": "n",
    "max_steps": 105,
    "save_steps": 20,
    "eval_steps": 5,
    "num_gpus_per_node": 8,
    "rollout_batch_size": 1024,
    "prompt_length": 512,
    "response_length": 1024,
    "num_return_sequences_in_group": 8,
    "adv_estimator": "grpo",
    "init_kl_coef": 0.0,
    "pretrain": "/models/m",
    TRAIN + ARGS + "learning_rate": 1e-6,
    TRAIN + ARGS + "lr_scheduler_type": "constant",
    TRAIN + ARGS + "per_device_train_batch_size": 4,
    TRAIN + ARGS + "gradient_accumulation_steps": 64,
    TRAIN + "data_args.file_name": ["/data/gsm8k/train.jsonl"],
    TRAIN + "data_args.messages": "messages",
    TRAIN + "data_args.domain_interleave_probs.math_rule": 1.0,
    TRAIN + STRATEGY: "fsdp2_train",
    TRAIN + "device_mapping": "list(range(0,8))",
    INFER + "generating_args.temperature": 1.0,
    INFER + "generating_args.top_p": 1.0,
    INFER + "generating_args.top_k": -1,
    INFER + STRATEGY: "vllm",
    INFER + CONFIG + "gpu_memory_utilization": 0.6,
    INFER + CONFIG + "tensor_parallel_size": 2,
    INFER + "device_mapping": "list(range(0,8))",
    "reference." + STRATEGY: "fsdp2_infer",
    "reference.device_mapping": "list(range(0,8))",
    "validation.data_args.file_name": ["/data/gsm8k/test.jsonl"],
    "validation.generating_args.temperature": 0.6,
    "rewards.math_rule.worker_cls": "own.MathWorker",
    "rewards.math_rule.tag_included": ["gsm8k"],
}


class Run:
    """One conversion: what the target says, what the ledger says, the notes."""

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion
        self.out: dict[str, Any] = {line.key.lstrip("+"): line.value for line in conversion.ledger.targets}
        self.notes = " ".join(conversion.ledger.notes)

    @property
    def value_errors(self) -> list[ValueFinding]:
        """What was wrong with values of the source."""
        return self.conversion.loaded.stages[-1].reading.value_errors

    def line(self, key: str) -> SourceLine:
        """The ledger's line of a source key."""
        (source_line,) = [line for line in self.conversion.ledger.sources if line.key == key]
        return source_line

    def plan(self, path: str) -> Any:
        """A value of the plan that was read."""
        return self.conversion.loaded.stages[-1].values.get(path)


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted keys as sections; None takes a key out."""
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        *sections, last = key.split(".")
        node = tree
        for section in sections:
            node = node.setdefault(section, {})
        node[last] = value
    return tree


def from_roll(changes: Mapping[str, Any] | None = None, *, to: str = "verl", without: tuple[str, ...] = ()) -> Run:
    """The example with some keys changed or left out, converted."""
    flat = {key: value for key, value in {**ROLL, **(changes or {})}.items() if key not in without}
    document = read(Source("input.yaml", yaml.safe_dump(nested(flat), sort_keys=False)))
    return Run(convert(document, to, framework="roll", release="0.3.0"))


def to_roll(changes: Mapping[str, str] | None = None, *, release: str = "0.9.1", rows: int | None = None) -> Run:
    """The veRL example with some keys changed, converted to ROLL."""
    flat = {**VERL, **(changes or {})}
    script = "python3 -m verl.trainer.main_ppo " + " ".join(f"'{key}={value}'" for key, value in flat.items())
    document = read(Source("input.sh", script))
    return Run(convert(document, "roll", framework="verl", release=release, rows=rows))
