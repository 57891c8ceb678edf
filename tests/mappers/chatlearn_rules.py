"""What ChatLearn itself asserts before it starts, in our own words: a judge for when its sources are not here.

Facts from `configs/*._validate_impl`, `configs/*._post_init_impl`, `GrpoConfig._validate_impl` and `GrpoAlgorithm.run`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import lcm
from typing import Any

from rftconf.schemas import catalogue

RUN, TRAINER, REF, POLICY = "runtime_args.", "models.policy_trainer.", "models.ref_policy.", "models.policy."
MANDATORY = (
    *("train_backend", "output_dir", "data_path", "num_episode", "sample_per_episode", "train_micro_batch_size"),
    *("train_global_batch_size", "save_episode_interval", "log_args_dict.log_dir", "eval_data_path"),
)


def objections(flat: Mapping[str, Any], trainer: str, release: str | None = None) -> Iterator[str]:
    """Why ChatLearn would not start with these keys; nothing when it would."""
    known = catalogue.load("chatlearn", release, trainer)
    yield from (f"unknown key {key}" for key in flat if key not in known)
    full = {name: key.default for name, key in known.keys.items()} | dict(flat)
    yield from (f"{RUN}{name} is missing" for name in MANDATORY if full[RUN + name] in ("???", None))
    yield from _batches(full, trainer)
    yield from _models(full, trainer)


def _ranks(full: Mapping[str, Any], model: str, trainer: str) -> int:
    """Replicas times data-parallel size of a model."""
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
    samples, update = full[RUN + "sample_per_episode"], full[RUN + "train_global_batch_size"]
    if samples % update:
        yield f"{samples} samples are not a multiple of {update}"
    if samples % full[POLICY + "num_inference_per_prompt"]:
        yield f"{samples} samples are not whole prompts"
    for model in (TRAINER, REF):
        ranks = _ranks(full, model, trainer)
        if ranks < 1:
            yield f"{model}num_gpu holds no rank"
            continue
        if samples % ranks or (model == TRAINER and update % ranks):
            yield f"{ranks} ranks of {model} do not divide {samples} and {update}"
        if full[model + "packing"]:
            continue
        if (samples // ranks) % full[model + "generation_batch_size"]:
            yield f"{model}generation_batch_size does not divide {samples // ranks}"
        if model == TRAINER and (update // ranks) % full[RUN + "train_micro_batch_size"]:
            yield f"train_micro_batch_size does not divide {update // ranks}"


def _models(full: Mapping[str, Any], trainer: str) -> Iterator[str]:
    gpus, tp = full[POLICY + "num_gpu"], full[POLICY + "tensor_model_parallel_size"]
    if gpus < 1 or gpus % tp:
        yield f"{gpus} GPUs are not engines of {tp}"
    if full[POLICY + "expert_model_parallel_size"] != 1 or full[POLICY + "pipeline_model_parallel_size"] != 1:
        yield "engines are tensor-parallel only"
    if full[POLICY + "trainable"] or not full[TRAINER + "trainable"] or full[REF + "trainable"]:
        yield "policy_trainer alone is trained"
    if full[RUN + "rollout_backend"] not in ("vllm", "sglang") or full[RUN + "train_backend"] != trainer:
        yield "no such backend"
    if full[RUN + "max_replay_episode"] == 0:
        yield "advantages are never computed (H14)"
    copy = full.get(RUN + "num_inference_per_prompt")
    if copy is not None and copy != full[POLICY + "num_inference_per_prompt"]:
        yield "two different n (H13)"
