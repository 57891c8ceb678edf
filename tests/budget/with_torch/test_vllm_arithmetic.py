"""Blocks and concurrency against vLLM's own functions, imported from its CPU build; skipped where vLLM is absent."""

from __future__ import annotations

import os
from typing import Any

import pytest

from rftconf.budget import kv_cache, models
from rftconf.budget.architecture import LatentAttention

os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
vllm = pytest.importorskip("vllm", reason="needs vLLM (the runner's environment); rftconf itself does not import it")

pytestmark = pytest.mark.filterwarnings("default")
"""The libraries warn about themselves; that is not what is tested here."""

MODELS = (
    *("Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-7B", "Qwen/Qwen3-8B", "Qwen/Qwen3-30B-A3B", "meta-llama/Llama-3.1-70B"),
    *("deepseek-ai/DeepSeek-V2-Lite", "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-20b", "google/gemma-2-9b-it"),
    *("google/gemma-3-1b-it", "google/gemma-3-27b-it", "mistralai/Mistral-7B-v0.1"),
)


def theirs(shape: kv_cache.CacheShape, available: int) -> tuple[int, float]:
    """What vLLM computes for the same layers, lengths and bytes."""
    import torch
    from vllm.config import CacheConfig, VllmConfig
    from vllm.v1.core import kv_cache_utils
    from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheSpec, MLAAttentionSpec, SlidingWindowSpec
    from vllm.v1.kv_cache_layout import KVCacheLayout

    common: dict[str, Any] = {"block_size": shape.block_tokens, "dtype": torch.bfloat16}
    specs: dict[str, KVCacheSpec] = {}
    for group in shape.architecture.layers:
        mixer = group.mixer
        for _ in range(group.count):
            name = f"layer.{len(specs)}"
            if isinstance(mixer, LatentAttention):
                specs[name] = MLAAttentionSpec(num_kv_heads=1, head_size=mixer.cached_values(), **common)
                continue
            sizes = {"num_kv_heads": max(1, mixer.kv_heads // shape.tp), "head_size": mixer.head_dim, **common}
            window = {"sliding_window": mixer.window}
            specs[name] = SlidingWindowSpec(**sizes, **window) if mixer.window else FullAttentionSpec(**sizes)
    config = VllmConfig(cache_config=CacheConfig())
    config.cache_config.kv_cache_layout = KVCacheLayout.LBNHC.name

    class Lengths:
        """What the specs ask of the configuration, with our lengths instead of a model's."""

        cache_config, attention_config = config.cache_config, config.attention_config
        parallel_config, scheduler_config = config.parallel_config, config.scheduler_config
        model_config = type("M", (), {"max_model_len": shape.max_model_tokens})
        max_in_flight_tokens = shape.steps_in_flight * shape.max_batched_tokens
        num_prefill_lookahead_tokens, speculative_config = 0, None

    groups = kv_cache_utils.get_kv_cache_groups(Lengths, specs)  # type: ignore[arg-type]
    found = kv_cache_utils.get_kv_cache_config_from_groups(Lengths, groups, available)  # type: ignore[arg-type]
    return found.num_blocks, kv_cache_utils.get_max_concurrency_for_kv_cache_config(Lengths, found)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("tp", [1, 2, 4, 8])
@pytest.mark.parametrize("length", [1024, 4099, 32768])
def test_blocks_and_concurrency_are_vllms(name: str, tp: int, length: int) -> None:
    shape = kv_cache.CacheShape(models.resolve(name).architecture, tp=tp, max_model_tokens=length)
    for available in (1 << 30, 17_179_869_184 + 12_345, 60 << 30):
        blocks, concurrency = theirs(shape, available)
        assert kv_cache.blocks(shape, available) == blocks
        assert kv_cache.concurrency(shape, available) == concurrency
