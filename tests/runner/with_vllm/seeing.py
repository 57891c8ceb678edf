"""Tiny models that see, each a folder with its tokenizer and image processor, and rows with images."""

from __future__ import annotations

import json
import random
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from rftconf_runner.demo import _tokenizer
from rftconf_runner.experts import turned

TOKENS = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
FIELDS = ("vision_start_token_id", "vision_end_token_id", "image_token_id", "video_token_id")
TEMPLATE = (
    "{% for message in messages %}{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}{% endfor %}"
)
GLM = {
    "<|vision_start|>": "<|begin_of_image|>",
    "<|vision_end|>": "<|end_of_image|>",
    "<|image_pad|>": "<|image|>",
    "<|video_pad|>": "<|video|>",
}
OF_VIDEOS = ["<|begin_of_video|>", "<|end_of_video|>"]
"""GLM's marks in place of Qwen's, and those that it has besides."""
TEXT: dict[str, Any] = {
    "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1,
    "head_dim": 32, "max_position_embeddings": 512,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [4, 6, 6]},
}  # fmt: skip
TOWER: dict[str, dict[str, Any]] = {
    "qwen2_vl": {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 2, "mlp_ratio": 2, "patch_size": 14},
    "qwen2_5_vl": {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 64,
                   "fullatt_block_indexes": [1], "window_size": 56, "patch_size": 14},
    "qwen3_vl": {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 64,
                 "patch_size": 16, "deepstack_visual_indexes": [0], "num_position_embeddings": 64},
    "qwen3_vl_moe": {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 64,
                     "patch_size": 16, "deepstack_visual_indexes": [0], "num_position_embeddings": 64},
    "glm4v": {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 64, "patch_size": 14, "image_size": 56},
}  # fmt: skip
ROPES: dict[str, dict[str, Any]] = {
    "qwen3_vl": {"mrope_interleaved": True}, "qwen3_vl_moe": {"mrope_interleaved": True}, "glm4v": {"mrope_section": [2, 3, 3], "partial_rotary_factor": 0.5},
}  # fmt: skip
MORE: dict[str, dict[str, Any]] = {
    "glm4v": {"attention_bias": True},
    "qwen3_vl_moe": {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 128, "norm_topk_prob": True},
}  # fmt: skip
PROCESSORS = {"qwen2_vl": "Qwen2VLProcessor", "qwen2_5_vl": "Qwen2_5_VLProcessor", "qwen3_vl": "Qwen3VLProcessor",
              "qwen3_vl_moe": "Qwen3VLProcessor",
              "glm4v": "Glm4vProcessor"}  # fmt: skip


def marked(kind: str, text: str) -> str:
    """Return a text with the marks of images that this kind of model has."""
    for qwens, glms in GLM.items() if kind == "glm4v" else ():
        text = text.replace(qwens, glms)
    return text


def make_model(folder: Path, kind: str) -> None:
    """Write a random model of this kind, its tokenizer and the config of its image processor."""
    from transformers import AutoConfig, AutoModelForImageTextToText

    tokenizer = _tokenizer()
    marks = [marked(kind, token) for token in TOKENS]
    tokenizer.add_special_tokens({"additional_special_tokens": [*marks, *(OF_VIDEOS if kind == "glm4v" else ())]})
    tokenizer.chat_template = marked(kind, TEMPLATE)
    ids = dict(zip(FIELDS, tokenizer.convert_tokens_to_ids(marks), strict=True))
    if kind == "glm4v":
        ids |= {"image_start_token_id": ids["vision_start_token_id"], "image_end_token_id": ids["vision_end_token_id"]}
        ids |= dict(
            zip(("video_start_token_id", "video_end_token_id"), tokenizer.convert_tokens_to_ids(OF_VIDEOS), strict=True)
        )
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    rope = {**TEXT["rope_parameters"], **ROPES.get(kind, {})}
    text = {
        **TEXT,
        **ends,
        **MORE.get(kind, {}),
        "bos_token_id": None,
        "vocab_size": len(tokenizer),
        "rope_parameters": rope,
    }
    config: Any = AutoConfig.for_model(
        kind, text_config=text, vision_config=TOWER[kind], tie_word_embeddings=False, **ids
    )
    torch.manual_seed(0)
    AutoModelForImageTextToText.from_config(config).save_pretrained(folder)
    turn_experts(folder / "model.safetensors")
    tokenizer.save_pretrained(folder)
    side = TOWER[kind]["patch_size"]
    fewest, most = side * side * 4, side * side * 64
    edges = {"shortest_edge": 2 * fewest, "longest_edge": 2 * most}  # GLM counts both frames of a patch
    limits = {"size": edges} if kind == "glm4v" else {"min_pixels": fewest, "max_pixels": most}
    image_type = "Glm4vImageProcessor" if kind == "glm4v" else "Qwen2VLImageProcessor"
    processor = {"image_processor_type": image_type, "processor_class": PROCESSORS[kind], "patch_size": side,
                 "temporal_patch_size": 2, "merge_size": 2, **limits,
                 "image_mean": [0.5] * 3, "image_std": [0.5] * 3}  # fmt: skip
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))


def turn_experts(file: Path) -> None:
    """Write stacked experts as their model's own checkpoint has them, and transformers does not: rows as columns."""
    from safetensors.torch import load_file, save_file

    save_file(dict(turned(list(load_file(file).items()))), file, {"format": "pt"})


def png(width: int, height: int, seed: int, mode: str = "RGB") -> bytes:
    """Return noise as a file has it."""
    depth = len(Image.new(mode, (1, 1)).getbands())
    image = Image.frombytes(mode, (width, height), random.Random(seed).randbytes(width * height * depth))
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def write_rows(file: Path, rows: list[dict[str, Any]], *, decoded: bool) -> None:
    """Write rows as parquet; `decoded` where the data set says that the column `images` holds images."""
    import datasets

    table = datasets.Dataset.from_list(rows)
    if decoded:
        table = table.cast_column("images", datasets.List(datasets.Image()))
    table.to_parquet(str(file))


def row(index: int, content: str, images: list[bytes], answer: str = "1") -> dict[str, Any]:
    """Return a row as veRL's recipes write them."""
    return {
        "data_source": "digits",
        "prompt": [{"role": "user", "content": content}],
        "images": [{"bytes": image, "path": None} for image in images],
        "reward_model": {"style": "rule", "ground_truth": answer},
        "extra_info": {"index": index},
    }
