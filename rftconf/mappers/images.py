"""Prompts with images: which runs have them, and the columns that hold them."""

from __future__ import annotations

import re
from typing import Any

from rftconf.base.symbols import Text, formula
from rftconf.mappers.context import WriteContext
from rftconf.plan.origin import Kind

COLUMN = "images"
"""The column that the frameworks' own readers take where a config names none."""
_SEES = re.compile(r"(?i)(?<![a-z])(?:[a-z]*vlm?|omni|llava\w*|internvl\w*|vision)(?![a-z])")


def sees_images(model: Any) -> bool:
    """Tell by its name whether a model is one of vision and language (`Qwen/Qwen2.5-VL-7B-Instruct`), also where only the
    folder that it lies in is not known (`$MODELS/Qwen2.5-VL-7B-Instruct`)."""
    parts = model.parts if isinstance(model, Text) else (model,)
    return any(isinstance(part, str) and _SEES.search(part) is not None for part in parts)


def columns_of_images(w: WriteContext) -> tuple[str, ...]:
    """Return the columns of images and videos that training reads where rows have them: those that the source's file names,
    and the one that its framework reads by itself where the model is one of vision and language."""
    sees = sees_images(w.plan("stage.model.path"))
    columns: dict[str, None] = {}
    for index in range(w.items("stage.data.train")):
        image, video = (f"stage.data.train[{index}].keys.{field}" for field in ("image", "video"))
        # a config that is written out in full names both columns as they are by default
        full = _is_written(w, image) and _is_written(w, video)
        if w.plan(image) is not None and (sees or (_is_written(w, image) and not (full and w.plan(image) == COLUMN))):
            columns[formula(w.plan(image))] = None
        if _is_written(w, video) and not full:
            columns[formula(w.plan(video))] = None
    return tuple(columns)


def _is_written(w: WriteContext, path: str) -> bool:
    origin = w.origins.get(path)
    return origin is not None and origin.kind is Kind.WRITTEN and w.plan(path) is not None
