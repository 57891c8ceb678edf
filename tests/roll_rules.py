"""What ROLL 0.3 checks before and in its first step, stated by ourselves: a judge that needs no ROLL.

Only configs of the RLVR pipeline are judged. Each broken rule is one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rftconf.mappers.roll.devices import devices
from rftconf.schemas import catalogue
from rftconf.schemas.values import wrong
from rftconf.text.read.read import read
from rftconf.text.source import Source

STRATEGY = "strategy_args.strategy_name"


def broken(text: str) -> list[str]:
    """The rules that a YAML for ROLL's RLVR pipeline breaks."""
    leaves = {leaf.key: leaf.value for leaf in read(Source("roll.yaml", text)).leaves}
    return [
        *_keys(leaves),
        *_lengths(leaves),
        *_devices(leaves),
        *_batches(leaves),
        *_filled(leaves),
        *_domains(leaves),
    ]


def _filled(leaves: Mapping[str, Any]) -> Iterator[str]:
    """dynamic_batching_shard asserts that every sequence fits; fsdp2_strategy that no fewer GPUs shard than share a sequence."""
    for role in ("actor_train", "reference", "critic"):
        for when in ("train", "infer"):
            on, most = (
                leaves.get(f"{role}.{key}_in_{when}") for key in ("use_dynamic_batching", "max_tokens_per_microbatch")
            )
            if on is True and not most:
                yield f"{role} fills batches in {when} with no number of tokens"
        if leaves.get(f"{role}.{STRATEGY}", "").startswith("fsdp2"):
            share, spread = _config(leaves, role, "fsdp_size"), leaves.get(f"{role}.model_args.ulysses_size") or 1
            if isinstance(share, int) and isinstance(spread, int) and share < spread:
                yield f"{role}: fsdp_size {share} is below ulysses_size {spread}"


def _keys(leaves: Mapping[str, Any]) -> Iterator[str]:
    """dacite: names (it drops unknown ones without a word), types and closed lists of words."""
    known = catalogue.load("roll", "0.3.0", "rlvr")
    for name, value in leaves.items():
        key = known.get(name)
        if key is None:
            yield f"{name} is no key"
        elif (problem := wrong(known, key, value)) is not None:
            yield f"{name} {problem}"


def _lengths(leaves: Mapping[str, Any]) -> Iterator[str]:
    if leaves.get("response_length") is None and leaves.get("sequence_length") is None:
        yield "response_length or sequence_length must be set"
    if (leaves.get("val_prompt_length") is None) != (leaves.get("val_sequence_length") is None):
        yield "val_prompt_length and val_sequence_length go together"
    for role in ("actor_train", "validation"):
        if leaves.get(f"{role}.data_args.prompt") and leaves.get(f"{role}.data_args.messages"):
            yield f"{role}: prompt and messages exclude each other"
    if leaves.get("profiler_timeline") and leaves.get("profiler_memory"):
        yield "one profiler at a time"
    ratio = leaves.get("async_generation_ratio", 0)
    if 0 < ratio < 1:
        yield "async_generation_ratio is 0 or at least 1"
    if not leaves.get("max_steps", 500) > 0:
        yield "max_steps must be above 0"


def _config(leaves: Mapping[str, Any], role: str, name: str, otherwise: Any = 1) -> Any:
    return leaves.get(f"{role}.strategy_args.strategy_config.{name}", otherwise)


def _ids(leaves: Mapping[str, Any], role: str) -> list[int]:
    return devices(str(leaves.get(f"{role}.device_mapping", "[]")))


def _devices(leaves: Mapping[str, Any]) -> Iterator[str]:
    engine = leaves.get("actor_infer.strategy_args.strategy_name")
    if engine not in ("vllm", "sglang"):
        yield f"engines are vllm or sglang, not {engine}"
    if not any(key.startswith("actor_infer.generating_args.") for key in leaves):
        yield "actor_infer.generating_args is missing"
    size = _config(leaves, "actor_infer", "tensor_parallel_size") * _config(
        leaves, "actor_infer", "pipeline_parallel_size"
    )
    if len(_ids(leaves, "actor_infer")) % size:
        yield f"{len(_ids(leaves, 'actor_infer'))} engine devices are no engines of {size}"
    if not _ids(leaves, "actor_train"):
        yield "the trainer has no devices"


def ranks(leaves: Mapping[str, Any], role: str) -> float:
    """Data-parallel ranks of a trained role."""
    count = float(len(_ids(leaves, role)))
    if leaves.get(f"{role}.strategy_args.strategy_name") == "megatron_train":
        for name in ("tensor_model", "pipeline_model", "context"):
            count = count / _config(leaves, role, f"{name}_parallel_size")
        return count
    return count / int(leaves.get(f"{role}.model_args.ulysses_size", 1))


def _batches(leaves: Mapping[str, Any]) -> Iterator[str]:
    prompts, n = leaves.get("rollout_batch_size", 128), leaves.get("num_return_sequences_in_group", 1)
    for role in ("actor_train", *(["critic"] if leaves.get("adv_estimator", "gae") == "gae" else [])):
        count = ranks(leaves, role)
        if count < 1 or count != int(count):
            yield f"{role}: {count} data-parallel ranks"
            continue
        megatron = leaves.get(f"{role}.strategy_args.strategy_name") == "megatron_train"
        if megatron and role == "actor_train" and prompts % count:
            yield f"{prompts} prompts on {count} Megatron ranks (H10)"
        if not megatron and _config(leaves, role, "fsdp_size") < leaves.get(f"{role}.model_args.ulysses_size", 1):
            yield f"{role}: fsdp_size is below ulysses_size"
        args = f"{role}.training_args."
        share = leaves.get(args + "per_device_train_batch_size", 8) * leaves.get(
            args + "gradient_accumulation_steps", 1
        )
        if prompts * n % count or prompts * n // count % share:
            yield f"{role}: {prompts * n} sequences on {count} ranks in updates of {share} a rank"


def _domains(leaves: Mapping[str, Any]) -> Iterator[str]:
    prefix = "actor_train.data_args.domain_interleave_probs."
    shares = {key.removeprefix(prefix): value for key, value in leaves.items() if key.startswith(prefix)}
    rewarded = {key.split(".")[1] for key in leaves if key.startswith("rewards.")}
    if not shares:
        yield "no domain has a share of the batch"
    if not set(shares) <= rewarded:
        yield "a domain has no reward worker"
    if all(isinstance(value, float) for value in shares.values()) and abs(sum(shares.values()) - 1) > 1e-6:
        yield "the shares of the domains do not add up to 1"
