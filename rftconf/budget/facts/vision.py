"""Vision towers of models whose decoder is a text model: their parameters, from `vision_config`."""

from __future__ import annotations

from collections.abc import Callable

from rftconf.budget.facts.config_reader import Config, Reader


def vision_parameters(whole: Config, hidden: int) -> int:
    """Parameters of a vision tower whose kind is known; others count as nothing."""
    config = whole.get("vision_config")
    if not isinstance(config, dict):
        return 0
    tower = _TOWERS.get(str(config.get("model_type") or whole.get("model_type") or ""))
    return tower(Reader(config, "vision_config"), hidden) if tower else 0


def missing_tower(whole: Config) -> str:
    """A note on a vision tower, or another part beside the decoder, that has no equations; '' where there is none."""
    config = whole.get("vision_config")
    kind = str(config.get("model_type") or whole.get("model_type") or "absent") if isinstance(config, dict) else ""
    missing = [f"vision tower ({kind})"] if kind and kind not in _TOWERS else []
    missing += [part.removesuffix("_config") for part in ("audio_config", "talker_config") if whole.get(part)]
    return f"not counted: {' and '.join(missing)}" if missing else ""


def _qwen_tower(read: Reader, hidden: int) -> int:
    """The ViT of Qwen3-VL and Qwen3.5: patches, positions, blocks with LayerNorm, mergers of 2 x 2 patches.

    Qwen3-VL merges the output of further layers too (`deepstack_visual_indexes`), normed after merging.
    """
    width, depth, inner = read.size("hidden_size"), read.size("depth"), read.size("intermediate_size")
    patch = read.size("in_channels", 3) * read.size("temporal_patch_size", 2) * read.size("patch_size") ** 2
    wide = width * read.size("spatial_merge_size", 2) ** 2
    merger = wide * wide + wide + wide * hidden + hidden
    tapped = read.config.get("deepstack_visual_indexes")
    deep = (len(tapped) if isinstance(tapped, list) else 0) * (merger + 2 * wide)
    embed = patch * width + width + read.size("num_position_embeddings") * width
    return embed + depth * _vit_block(width, inner) + merger + 2 * width + deep


def _qwen25_tower(read: Reader, hidden: int) -> int:
    """The ViT of Qwen2.5-VL: patches without bias, blocks with RMSNorm and a gated MLP with biases, one merger."""
    width, depth, inner = read.size("hidden_size"), read.size("depth"), read.size("intermediate_size")
    patch = 3 * read.size("temporal_patch_size", 2) * read.size("patch_size") ** 2
    block = 2 * width + 4 * width * width + 4 * width + 3 * width * inner + 2 * inner + width
    wide = width * read.size("spatial_merge_size", 2) ** 2
    return patch * width + depth * block + width + wide * wide + wide + wide * hidden + hidden


def _qwen2_tower(read: Reader, hidden: int) -> int:
    """The ViT of Qwen2-VL: patches without bias, blocks with LayerNorm, one merger. `hidden_size` is the decoder's."""
    width, depth = read.size("embed_dim"), read.size("depth")
    patch = 3 * read.size("temporal_patch_size", 2) * read.size("patch_size") ** 2
    wide = width * read.size("spatial_merge_size", 2) ** 2
    block = _vit_block(width, width * read.size("mlp_ratio", 4))
    return patch * width + depth * block + 2 * width + wide * wide + wide + wide * hidden + hidden


def _vit_block(width: int, inner: int) -> int:
    """Two LayerNorms, attention and a plain MLP, all with biases."""
    return 4 * width + 4 * width * width + 4 * width + 2 * width * inner + inner + width


def _siglip_tower(read: Reader, hidden: int) -> int:
    """SigLIP as in Gemma 3, with the projection into the decoder."""
    width, depth, inner = read.size("hidden_size"), read.size("num_hidden_layers"), read.size("intermediate_size")
    patches = (read.size("image_size") // read.size("patch_size")) ** 2
    embed = 3 * read.size("patch_size") ** 2 * width + width + patches * width
    return embed + depth * _vit_block(width, inner) + 2 * width + width * hidden + width


_TOWERS: dict[str, Callable[[Reader, int], int]] = {
    "qwen2_vl": _qwen2_tower,
    "qwen2_5_vl": _qwen25_tower,
    "qwen3_vl": _qwen_tower,
    "qwen3_vl_moe": _qwen_tower,
    "qwen3_5": _qwen_tower,
    "qwen3_5_moe": _qwen_tower,
    "siglip_vision_model": _siglip_tower,
}
