"""What ChatLearn asserts before it starts, stated by ourselves: a judge that needs no ChatLearn.

Facts from `entrypoint._run_algorithm`, `configs/*._validate_impl`, `configs/*._post_init_impl`, `GrpoConfig` and
`GrpoAlgorithm.run`. Each broken rule is one sentence. What needs the model's own config (heads, experts of a
checkpoint) or a running cluster is not stated here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import lcm
from typing import Any

from rftconf.schemas import catalogue
from rftconf.schemas.catalogue import Catalogue
from rftconf.schemas.values import wrong

RUN, TRAINER, REF, POLICY = "runtime_args.", "models.policy_trainer.", "models.ref_policy.", "models.policy."
REWARD, MANAGER, PARTIAL = "models.reward.", "models.rollout_manager.", "models.partial_rollout_manager."
UNTYPED = (TRAINER, REF)
"""Declared as Any and built by calling the dataclass: names are checked there, types are not."""
MANDATORY = (
    *("train_backend", "output_dir", "data_path", "num_episode", "sample_per_episode", "train_micro_batch_size"),
    *("train_global_batch_size", "save_episode_interval", "log_args_dict.log_dir", "eval_data_path"),
)
"""`???` in the dataclasses; `eval_data_path` is split before anybody asks whether it is there."""


def objections(flat: Mapping[str, Any], trainer: str, release: str | None = None) -> Iterator[str]:
    """Why ChatLearn would not start with these keys; nothing when it would."""
    known = catalogue.load("chatlearn", release, trainer)
    yield from _keys(flat, known)
    full = {name: key.default for name, key in known.keys.items()} | dict(flat)
    yield from (f"{RUN}{name} is missing" for name in MANDATORY if full[RUN + name] in ("???", None))
    yield from (f"{model[:-1]} is missing" for model in UNTYPED if not any(key.startswith(model) for key in flat))
    yield from _words(full, trainer)
    yield from _batches(full, trainer)
    yield from _engines(full)
    yield from _trained(full, trainer)
    yield from _rollouts(full)


def _keys(flat: Mapping[str, Any], known: Catalogue) -> Iterator[str]:
    """OmegaConf's structured merge: names, types, null where a field is not Optional."""
    for name, value in flat.items():
        key = known.get(name)
        if key is None:
            yield f"unknown key {name}"
        elif not name.startswith(UNTYPED) and (problem := wrong(known, key, value)) is not None:
            yield f"{name} {problem}"


def _words(full: Mapping[str, Any], trainer: str) -> Iterator[str]:
    """Words that only GrpoAlgorithm.run looks at: another one ends in a name that was never bound."""
    if full[RUN + "rollout_backend"] not in ("vllm", "sglang") or full[RUN + "train_backend"] != trainer:
        yield "no such backend"
    task, manager = full.get(RUN + "task_type", "chat"), full.get(RUN + "use_rollout_manager", False)  # not in 1.2.0
    asynchronous = full[RUN + "rollout_backend"] == "sglang" and not full.get(POLICY + "is_sync_mode", True)
    if task not in ("chat", "agent"):
        yield f"no task is called {task}"
    if task == "agent" and not (asynchronous and manager):
        yield "an agent needs asynchronous SGLang and the rollout manager"
    if manager and not asynchronous:
        yield "the rollout manager needs asynchronous SGLang"


def ranks(full: Mapping[str, Any], model: str, trainer: str) -> int:
    """Replicas times data-parallel size of a model; 0 where its GPUs hold not even one."""
    gpus: int = full[model + "num_gpu"]
    if trainer == "fsdp":
        return int(gpus // full[model + "ulysses_sequence_parallel_size"])
    tp, cp, pp = (full[f"{model}{size}_parallel_size"] for size in ("tensor_model", "context", "pipeline_model"))
    replicas = 1
    if model == REF:
        etp = full[model + "expert_tensor_parallel_size"] or 1
        replicas = gpus // (lcm(tp * cp, etp * full[model + "expert_model_parallel_size"]) * pp)
    return int(replicas * (gpus // (replicas * tp * cp * pp))) if replicas else 0


def _batches(full: Mapping[str, Any], trainer: str) -> Iterator[str]:
    """The divisions of RuntimeConfig and GrpoConfig."""
    samples, update = full[RUN + "sample_per_episode"], full[RUN + "train_global_batch_size"]
    if samples % update:
        yield f"{samples} samples are not a multiple of {update}"
    if samples % full[POLICY + "num_inference_per_prompt"]:
        yield f"{samples} samples are not whole prompts"
    for model in (TRAINER, REF):
        count = ranks(full, model, trainer)
        if count < 1:
            yield f"{model}num_gpu holds no rank"
            continue
        if samples % count or (model == TRAINER and update % count):
            yield f"{count} ranks of {model} do not divide {samples} and {update}"
        if full[model + "packing"]:
            continue
        if (samples // count) % full[model + "generation_batch_size"]:
            yield f"{model}generation_batch_size does not divide {samples // count}"
        if model == TRAINER and (update // count) % full[RUN + "train_micro_batch_size"]:
            yield f"train_micro_batch_size does not divide {update // count}"


def _engines(full: Mapping[str, Any]) -> Iterator[str]:
    """PolicyConfig: engines of whole tensor-parallel groups, nothing else; rewards are processes without a GPU."""
    gpus, tp = full[POLICY + "num_gpu"], full[POLICY + "tensor_model_parallel_size"]
    if gpus < 1 or gpus % tp:
        yield f"{gpus} GPUs are not engines of {tp}"
    if full[POLICY + "expert_model_parallel_size"] != 1 or full[POLICY + "pipeline_model_parallel_size"] != 1:
        yield "engines are tensor-parallel only"
    if full.get(REWARD + "num_gpu", 0) != 0:
        yield "a rule reward has no GPUs"


def _trained(full: Mapping[str, Any], trainer: str) -> Iterator[str]:
    """The trainer's own configs, and what GRPO needs to learn anything."""
    if full[POLICY + "trainable"] or not full[TRAINER + "trainable"] or full[REF + "trainable"]:
        yield "policy_trainer alone is trained"
    for model in (TRAINER, REF):
        if trainer == "fsdp" and full[model + "num_gpu"] % full[model + "ulysses_sequence_parallel_size"]:
            yield f"{model}num_gpu is no whole number of Ulysses groups"
        experts = full.get(f"{model}megatron_model_cfg.num_experts")
        dispatcher = full.get(f"{model}megatron_model_cfg.moe_token_dispatcher_type")
        if trainer == "megatron" and full[model + "packing"] and experts and dispatcher == "allgather":
            yield f"{model}packing does not go with the allgather dispatcher"
    if trainer == "megatron" and full.get(TRAINER + "calculate_per_token_loss", True) is not True:
        yield "Megatron trains with a loss per token"
    if full[RUN + "max_replay_episode"] == 0:
        yield "advantages are never computed (H14)"
    copy = full.get(RUN + "num_inference_per_prompt")
    if copy is not None and copy != full[POLICY + "num_inference_per_prompt"]:
        yield "two different n (H13)"


def _rollouts(full: Mapping[str, Any]) -> Iterator[str]:
    """The managers: asserted also while they are off."""
    if full.get(MANAGER + "num_gpu", 0) != 0:
        yield "the rollout manager has no GPUs"
    shares, rounds = full.get(PARTIAL + "rollout_ratio"), full.get(PARTIAL + "max_rollout_round")
    if isinstance(shares, list) and (len(shares) != rounds or sum(shares) != 1.0):
        yield f"the shares {shares} are not {rounds} rounds that add up to 1"
