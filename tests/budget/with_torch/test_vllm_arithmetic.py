"""Blocks and concurrency against vLLM's own functions, imported from its CPU build; skipped where vLLM is absent."""

from __future__ import annotations

import os
from typing import Any

import pytest

from rftconf.budget.facts import models
from rftconf.budget.facts.architecture import LatentAttention, LinearAttention
from rftconf.budget.terms import kv_cache

os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
vllm = pytest.importorskip("vllm", reason="needs vLLM (the runner's environment); rftconf itself does not import it")

pytestmark = pytest.mark.filterwarnings("default")
"""The libraries warn about themselves; that is not what is tested here."""

MODELS = (
    *("Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-7B", "Qwen/Qwen3-8B", "Qwen/Qwen3-30B-A3B", "meta-llama/Llama-3.1-70B"),
    *("deepseek-ai/DeepSeek-V2-Lite", "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-20b", "google/gemma-2-9b-it"),
    *("google/gemma-3-1b-it", "google/gemma-3-27b-it", "mistralai/Mistral-7B-v0.1"),
)
HYBRID = ("Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3.5-9B", "Qwen/Qwen3.5-35B-A3B", "Qwen/Qwen3.5-397B-A17B")
ROOM = (1 << 30, 17_179_869_184 + 12_345, 60 << 30)


def numbers() -> dict[int, Any]:
    """The type of a cached number by its bytes."""
    import torch

    return {1: torch.float8_e4m3fn, 2: torch.bfloat16, 4: torch.float32}


def state(mixer: LinearAttention, tp: int) -> tuple[Any, Any]:
    """Shapes and types of a recurrent layer's state, by vLLM's own calculators."""
    from vllm.model_executor.layers.mamba.mamba_utils import MambaStateDtypeCalculator, MambaStateShapeCalculator

    shapes = MambaStateShapeCalculator.gated_delta_net_state_shape(
        tp, mixer.key_heads, mixer.value_heads, mixer.key_dim, mixer.value_dim, mixer.kernel
    )
    saved = "float32" if mixer.state_bytes == 4 else "auto"
    return shapes, MambaStateDtypeCalculator.gated_delta_net_state_dtype(numbers()[2], "auto", saved)


def aligned(shape: kv_cache.CacheShape, config: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let vLLM choose the block of a hybrid model, and how much its states are padded."""
    from vllm.model_executor.models import ModelRegistry
    from vllm.platforms.interface import Platform
    from vllm.v1.attention.backend import MultipleOf

    (mixer,) = {g.mixer for g in shape.architecture.layers if isinstance(g.mixer, LinearAttention)}
    (attention,) = {g.mixer for g in shape.architecture.layers if not isinstance(g.mixer, LinearAttention)}
    shapes, types = state(mixer, shape.tp)
    stub = type("Hybrid", (), {
        "get_mamba_state_shape_from_config": staticmethod(lambda _: shapes),
        "get_mamba_state_dtype_from_config": staticmethod(lambda _: types),
    })  # fmt: skip
    backend = type("Backend", (), {
        "customize_spec": staticmethod(lambda spec: spec),
        "get_supported_kernel_block_sizes": staticmethod(lambda: [MultipleOf(16)]),
    })  # fmt: skip
    model = type("Model", (), {
        "dtype": numbers()[shape.dtype_bytes], "use_mla": False, "architecture": "Hybrid",
        "get_num_kv_heads": lambda *_: max(1, attention.kv_heads // shape.tp), "get_head_size": lambda _: attention.head_dim,
    })  # fmt: skip
    monkeypatch.setattr(ModelRegistry, "resolve_model_cls", lambda *_, **__: (stub, "Hybrid"))
    monkeypatch.setattr(Platform, "_find_non_ssm_backends", classmethod(lambda *_: [backend]))
    object.__setattr__(config, "model_config", model())
    config.cache_config.block_size = shape.block_tokens
    config.cache_config.mamba_cache_mode = "align" if shape.prefix_cache else "none"
    Platform._align_hybrid_block_size(config, backend)


def specs(shape: kv_cache.CacheShape, cache: Any) -> dict[str, Any]:
    """What each layer tells vLLM about its cache."""
    from vllm.v1.kv_cache_interface import FullAttentionSpec, MambaSpec, MLAAttentionSpec, SlidingWindowSpec

    hybrid = any(isinstance(g.mixer, LinearAttention) for g in shape.architecture.layers)
    common: dict[str, Any] = {
        "block_size": cache.block_size if hybrid else shape.block_tokens,
        "dtype": numbers()[shape.dtype_bytes],
    }
    result: dict[str, Any] = {}
    for group in shape.architecture.layers:
        mixer = group.mixer
        for _ in range(group.count):
            name = f"layer.{len(result)}"
            if isinstance(mixer, LatentAttention):
                result[name] = MLAAttentionSpec(num_kv_heads=1, head_size=mixer.cached_values(), **common)
                continue
            if isinstance(mixer, LinearAttention):
                shapes, types = state(mixer, shape.tp)
                result[name] = MambaSpec(
                    block_size=cache.mamba_block_size or shape.max_model_tokens,
                    shapes=shapes,
                    dtypes=types,
                    page_size_padded=cache.mamba_page_size_padded,
                    mamba_cache_mode=cache.mamba_cache_mode,
                )
                continue
            sizes = {"num_kv_heads": max(1, mixer.kv_heads // shape.tp), "head_size": mixer.head_dim, **common}
            window = {"sliding_window": mixer.window}
            result[name] = SlidingWindowSpec(**sizes, **window) if mixer.window else FullAttentionSpec(**sizes)
    return result


def theirs(shape: kv_cache.CacheShape, available: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, float]:
    """What vLLM computes for the same layers, lengths and bytes, on the stage of a pipeline that has least room."""
    from vllm.config import CacheConfig, VllmConfig
    from vllm.distributed.utils import get_pp_indices
    from vllm.v1.core import kv_cache_utils
    from vllm.v1.kv_cache_layout import KVCacheLayout

    config = VllmConfig(cache_config=CacheConfig())
    config.cache_config.kv_cache_layout = KVCacheLayout.LBNHC.name
    if any(isinstance(g.mixer, LinearAttention) for g in shape.architecture.layers):
        aligned(shape, config, monkeypatch)

    class Lengths:
        """What the specs ask of the configuration, with our lengths instead of a model's."""

        cache_config, attention_config = config.cache_config, config.attention_config
        parallel_config, scheduler_config = config.parallel_config, config.scheduler_config
        model_config = type("M", (), {"max_model_len": shape.max_model_tokens, "original_max_model_len": 1})
        max_in_flight_tokens = shape.steps_in_flight * shape.max_batched_tokens
        num_prefill_lookahead_tokens, speculative_config = 0, None
        num_speculative_tokens = 0

    monkeypatch.setattr(kv_cache_utils, "_check_enough_kv_cache_memory", lambda *_: None)
    layers = specs(shape, config.cache_config)
    names = list(layers)
    workers = []
    for stage in range(shape.pp):
        first, end = get_pp_indices(len(names), stage, shape.pp)
        workers.append({name: layers[name] for name in names[first:end]})
    result = kv_cache_utils.get_kv_cache_configs(Lengths, workers, [available] * shape.pp)  # type: ignore[arg-type]
    return result[0].num_blocks, kv_cache_utils.get_max_concurrency_for_kv_cache_config(Lengths, result[0])  # type: ignore[arg-type]


def ours_by_room(shape: kv_cache.CacheShape) -> list[tuple[int, float]]:
    """Blocks, and sequences of the longest length at once, for each room in bytes."""
    return [(kv_cache.blocks(shape, room), kv_cache.concurrency(shape, room)) for room in ROOM]


def vllms_by_room(shape: kv_cache.CacheShape, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float]]:
    """The same by vLLM's own functions."""
    return [theirs(shape, room, monkeypatch) for room in ROOM]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("tp", [1, 2, 4, 8])
@pytest.mark.parametrize("length", [1024, 4099, 32768])
def test_blocks_and_concurrency_are_vllms(name: str, tp: int, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = kv_cache.CacheShape(models.resolve(name).architecture, tp=tp, max_model_tokens=length)
    assert ours_by_room(shape) == vllms_by_room(shape, monkeypatch)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("each", [1, 4])
@pytest.mark.parametrize("block", [32, 64, 128])
def test_other_types_and_blocks(name: str, each: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    arch = models.resolve(name).architecture
    shape = kv_cache.CacheShape(arch, tp=2, block_tokens=block, dtype_bytes=each, max_model_tokens=8191)
    assert ours_by_room(shape) == vllms_by_room(shape, monkeypatch)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("pp", [2, 4])
def test_pipeline_stages(name: str, pp: int, monkeypatch: pytest.MonkeyPatch) -> None:
    arch = models.resolve(name).architecture
    if len(arch.layers) > 1 and any(g.mixer.window for g in arch.layers):
        pytest.skip("kinds of layers alternate, and the table says only how many there are")
    shape = kv_cache.CacheShape(arch, tp=2, pp=pp, max_model_tokens=8191, steps_in_flight=pp)
    assert ours_by_room(shape) == vllms_by_room(shape, monkeypatch)


@pytest.mark.parametrize("name", HYBRID)
@pytest.mark.parametrize("tp", [1, 2, 4])
@pytest.mark.parametrize("prefix", [True, False])
def test_models_with_recurrent_layers(name: str, tp: int, prefix: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    arch = models.resolve(name).architecture
    for length in (1024, 32768):
        shape = kv_cache.CacheShape(arch, tp=tp, max_model_tokens=length, prefix_cache=prefix)
        assert ours_by_room(shape) == vllms_by_room(shape, monkeypatch)
