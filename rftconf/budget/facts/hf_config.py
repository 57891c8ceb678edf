"""Reads a public config.json (its keys as they are) as an Architecture, for the table of models and for local files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from rftconf.base.errors import UnreadableError, UsageError
from rftconf.budget.facts.architecture import (
    Architecture,
    Attention,
    Dense,
    Experts,
    FeedForward,
    LatentAttention,
    Layers,
    LinearAttention,
    Mixer,
)
from rftconf.budget.facts.config_reader import Config, Reader
from rftconf.budget.facts.vision import vision_parameters
from rftconf.text.source import open_source

STATE_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
MOST_LAYERS = 10_000
"""The deepest published decoders have a little over a hundred."""


def read_config(path: Path) -> dict[str, Any]:
    """The JSON object in `path`, or in the config.json of a folder. Raises UsageError for anything else."""
    file = path / "config.json" if path.is_dir() else path
    try:
        data = json.loads(open_source(file).text)
    except UnreadableError as error:
        raise UsageError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise UsageError(f"{file}: a config.json is an object, this is {type(data).__name__}")
    return data


def architecture_of(config: Config, name: str = "config.json") -> Architecture:
    """Understand a config. Raises UsageError naming the first field that is absent or senseless."""
    whole = config
    text = config.get("text_config")
    if isinstance(text, dict):
        config = {**text, "tie_word_embeddings": whole.get("tie_word_embeddings", text.get("tie_word_embeddings"))}
        config.setdefault("model_type", whole.get("model_type"))
    read = Reader(config, name)
    hidden = read.size("hidden_size")
    layers = _layers(read)
    tied = config.get("tie_word_embeddings")
    return Architecture(
        family=read.family,
        hidden=hidden,
        vocabulary=read.size("vocab_size"),
        layers=layers,
        tied=read.family in TIED_BY_DEFAULT if tied is None else bool(tied),
        final_norms=2 if read.family == "starcoder2" else 1,
        max_tokens=read.size("max_position_embeddings", 0),
        extra=vision_parameters(whole, hidden),
        draft=_draft(read, layers[-1], hidden),
        capped=bool(config.get("final_logit_softcapping", read.family in CAPPED_BY_DEFAULT)),
    )


def _draft(read: Reader, layer: Layers, hidden: int) -> int:
    """A prediction layer of the last layer's kind, a projection of two vectors to one, and three norms."""
    count = read.size("mtp_num_hidden_layers", 0)
    return count * (layer.parameters(hidden) + 2 * hidden * hidden + 3 * hidden)


TIED_BY_DEFAULT = {"gemma", "gemma2", "gemma3_text", "gemma3"}
"""Families whose class ties embeddings when the file says nothing."""
CAPPED_BY_DEFAULT = {"gemma2"}
"""Families whose class caps the logits (Gemma2Config.final_logit_softcapping) when the file says nothing."""
WITH_QKV_BIAS = {"qwen2", "qwen2_moe"}
"""Families whose query, key and value projections always have a bias."""
NORM_PER_HEAD = {"qwen3", "qwen3_moe", "qwen3_next", "qwen3_5_text", "qwen3_5_moe_text", "gemma3", "gemma3_text"}
NORM_OVER_WIDTH = {"olmo2", "olmo3", "olmoe", "minimax_m2"}
FOUR_NORMS = {"gemma2", "gemma3", "gemma3_text", "glm4"}
LATENT = {"deepseek_v2", "deepseek_v3", "kimi_k2", "minicpm3", "glm4_moe_lite"}
HYBRID = {"qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"}
ROUTER_BIAS = {"deepseek_v3", "kimi_k2", "glm4_moe", "glm4_moe_lite", "minimax_m2", "gpt_oss"}
"""Families whose router keeps one more number per expert."""
UNGATED = {"starcoder2", "nemotron", "phi"}
LLAMA_LIKE = {
    "llama",
    "mistral",
    "phi3",
    "internlm2",
    "internlm3",
    "minicpm",
    "granite",
    "smollm3",
    "seed_oss",
    "gemma",
}
KNOWN = (LLAMA_LIKE | WITH_QKV_BIAS | NORM_PER_HEAD | NORM_OVER_WIDTH | FOUR_NORMS | LATENT | HYBRID | ROUTER_BIAS) | {
    "mixtral",
    "starcoder2",
    "granitemoe",
}


def _layers(read: Reader) -> tuple[Layers, ...]:
    """The decoder's layers in order, equal neighbours and then equal kinds together."""
    depth = read.size("num_hidden_layers")
    if depth > MOST_LAYERS:
        raise UsageError(f"{read.name}: num_hidden_layers is {depth}, and no model has more than {MOST_LAYERS}")
    kinds = [(_mixer(read, index), _feed_forward(read, index)) for index in range(depth)]
    norms = 4 if read.family in FOUR_NORMS else 2
    if read.family == "starcoder2":
        norms = 4  # two LayerNorms with bias
    counted: dict[tuple[Mixer, FeedForward], int] = {}
    for kind, run in groupby(kinds):
        counted[kind] = counted.get(kind, 0) + len(list(run))
    return tuple(Layers(count, mixer, feed, norms) for (mixer, feed), count in counted.items())


def _mixer(read: Reader, index: int) -> Mixer:
    kinds = read.config.get("layer_types")
    kind = kinds[index] if isinstance(kinds, list) and index < len(kinds) else None
    if read.family in HYBRID and (kind == "linear_attention" or (kind is None and (index + 1) % _interval(read))):
        return LinearAttention(
            read.size("linear_num_key_heads"),
            read.size("linear_num_value_heads"),
            read.size("linear_key_head_dim"),
            read.size("linear_value_head_dim"),
            read.size("linear_conv_kernel_dim", 4),
            state_bytes=STATE_BYTES.get(str(read.config.get("mamba_ssm_dtype")), 0),
        )
    if read.family in LATENT:
        return _latent(read)
    return _softmax(read, kind, index)


def _interval(read: Reader) -> int:
    return read.size("full_attention_interval", 4)


def _latent(read: Reader) -> LatentAttention:
    return LatentAttention(
        read.size("num_attention_heads"),
        read.size("q_lora_rank", 0),
        read.size("kv_lora_rank"),
        read.size("qk_nope_head_dim"),
        read.size("qk_rope_head_dim"),
        read.size("v_head_dim"),
    )


def _softmax(read: Reader, kind: str | None, index: int) -> Attention:
    family = read.family
    heads = read.size("num_attention_heads")
    head_dim = read.size("head_dim", read.size("hidden_size") // heads)
    if not head_dim:
        raise UsageError(f"{read.name}: hidden_size is smaller than num_attention_heads, which leaves heads of size 0")
    qkv_bias = family in WITH_QKV_BIAS or read.flag("attention_bias") or read.flag("use_bias") or read.flag("qkv_bias")
    norm = "head" if family in NORM_PER_HEAD or (family == "glm4_moe" and read.flag("use_qk_norm")) else ""
    out = read.flag("attention_out_bias") if "attention_out_bias" in read.config else read.flag("attention_bias")
    return Attention(
        heads,
        read.size("num_key_value_heads", heads),
        head_dim,
        qkv_bias=qkv_bias,
        out_bias=(out and family not in NO_OUT_BIAS) or read.flag("use_bias"),
        norm="width" if family in NORM_OVER_WIDTH else "head" if norm else "",
        gated=family in HYBRID,
        sinks=family == "gpt_oss",
        window=_window(read, kind, index),
    )


NO_OUT_BIAS = {"glm4", "glm4_moe", "qwen2", "qwen2_moe", "glm"}
"""Families where `attention_bias` speaks of the inputs only."""


def _window(read: Reader, kind: str | None, index: int) -> int:
    """Tokens that a sliding layer attends to, 0 where it sees all."""
    window = read.config.get("sliding_window")
    if not isinstance(window, int) or window < 0 or read.config.get("use_sliding_window") is False:
        return 0
    if kind is not None:
        return window if kind == "sliding_attention" else 0
    pattern = read.config.get("sliding_window_pattern", {"gemma2": 2}.get(read.family))
    if isinstance(pattern, int) and pattern > 0:
        return window if (index + 1) % pattern else 0
    return window if read.family == "mistral" else 0


def _feed_forward(read: Reader, index: int) -> FeedForward:
    count = next(
        (read.size(k) for k in ("num_experts", "num_local_experts", "n_routed_experts") if read.config.get(k)), 0
    )
    dense_first = read.size("first_k_dense_replace", 0)
    named = read.config.get("mlp_only_layers")
    only_dense = named if isinstance(named, list) else ()
    step = read.size("decoder_sparse_step", 1)
    if not count or index < dense_first or index in only_dense or (index + 1) % step:
        bias = read.flag("mlp_bias") or (read.flag("use_bias") and read.family == "starcoder2")
        return Dense(read.size("intermediate_size"), gated=read.family not in UNGATED, bias=bias)
    width = read.size("moe_intermediate_size", read.size("intermediate_size", 0))
    return Experts(
        count,
        read.size("num_experts_per_tok", None, "experts_per_token"),
        width,
        shared=_shared(read, width),
        shared_gate=read.flag("shared_expert_intermediate_size"),
        router_bias=read.family in ROUTER_BIAS,
        bias=read.family == "gpt_oss",
    )


def _shared(read: Reader, width: int) -> int:
    if read.flag("shared_expert_intermediate_size"):
        return read.size("shared_expert_intermediate_size")
    return read.size("n_shared_experts", 0) * width


def missing_family(family: str, known: Iterable[str] = KNOWN) -> str:
    """Return a note on a model_type that has no equations of its own; '' when it has."""
    return "" if family in known else f"model_type {family or 'absent'}: counted as a Llama-like decoder"
