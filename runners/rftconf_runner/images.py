"""This module reads a row's images as veRL reads them, and puts them into the row's messages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftconf_runner.job_data import ImageColumn

MARK = "<image>"
"""The marker that stands for an image in a message."""
MERGED = 2
"""Patches of a side that one token stands for, of every model that qwen-vl-utils sizes images for."""
FEWEST, MOST, LONGEST = 4, 16384, 200
"""Tokens that qwen-vl-utils makes of an image (`vision_process.py`, `smart_resize`), and how much longer one side may be."""
TEMPLATE = "chat_template.json"
"""The file that held a processor's chat template before transformers 4.52."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as its file has it. With a `patch`, pixels of a patch's side, it is brought to whole patches by veRL's reader
    before the model's processor sees it; what is transparent in a file that came as bytes alone lies on white, as it does there."""

    encoded: bytes
    patch: int = 0
    on_white: bool = False

    def opened(self) -> Any:
        """Return it in RGB, as PIL has images."""
        from PIL import Image

        image: Any = Image.open(BytesIO(self.encoded))
        if self.on_white and image.mode == "RGBA":
            white = Image.new("RGB", image.size, (255, 255, 255))
            white.paste(image, mask=image.split()[3])
            image = white
        image = image.convert("RGB")
        width, height = image.size
        return image.resize(sized(width, height, self.patch * MERGED)) if self.patch else image


def sized(width: int, height: int, factor: int) -> tuple[int, int]:
    """Return the nearest width and height in multiples of `factor`, as many tokens as may be (qwen-vl-utils, `smart_resize`).
    Raises ValueError for a strip."""
    if max(height, width) / min(height, width) > LONGEST:
        raise ValueError(f"an image of {width} x {height} pixels; one side may be {LONGEST} times the other")
    high, wide = (max(factor, round(side / factor) * factor) for side in (height, width))
    most, fewest = MOST * factor**2, FEWEST * factor**2
    if high * wide > most:
        shrunk = math.sqrt(height * width / most)
        high, wide = (math.floor(side / shrunk / factor) * factor for side in (height, width))
    elif high * wide < fewest:
        grown = math.sqrt(fewest / (height * width))
        high, wide = (math.ceil(side * grown / factor) * factor for side in (height, width))
    return wide, high


def undecoded(table: Any, column: str) -> Any:
    """Return a data set whose images in this column stay as their files have them."""
    from datasets import Image, List

    kind = table.features.get(column)
    inner = getattr(kind, "feature", kind)
    if not isinstance(inner, Image):
        return table
    plain = Image(decode=False)
    return table.cast_column(column, plain if inner is kind else List(plain))


def decodes(table: Any, column: str) -> bool:
    """True where the data set itself says that the column holds images: veRL gets them decoded then."""
    from datasets import Image

    kind = table.features.get(column)
    return isinstance(getattr(kind, "feature", kind), Image)


def pictures_of(cell: Any, column: ImageColumn, patch: int, *, decoded: bool) -> tuple[Picture, ...]:
    """Read a row's images. Raises ValueError for what veRL's reader would look for in other places than the row."""
    if cell in (None, [], ()):
        return ()
    if not isinstance(cell, (list, tuple)):
        raise ValueError("is no list of images")  # noqa: TRY004
    own = column.patch or patch
    if decoded:
        return tuple(Picture(_bytes(image), own if column.resizes else 0) for image in cell)
    return tuple(Picture(_bytes(image, strictly=True), own, on_white=True) for image in cell)


def _bytes(image: Any, *, strictly: bool = False) -> bytes:
    fields = image if isinstance(image, Mapping) else {}
    known = {key: value for key, value in fields.items() if value is not None}
    if isinstance(known.get("bytes"), bytes) and {*known} <= {"bytes", "path"}:
        encoded: bytes = known["bytes"]
        return encoded
    if not strictly and isinstance(known.get("path"), str) and Path(known["path"]).is_file():
        return Path(known["path"]).read_bytes()
    what = ", ".join(map(str, known)) if fields else type(image).__name__
    raise ValueError(f"has an image of {what or 'nothing'}; the runner reads images whose bytes are in the row")


def with_parts(messages: Sequence[Mapping[str, Any]], images: int) -> list[dict[str, Any]]:
    """Cut messages at the places of their images (veRL, `RLHFDataset._build_messages`). Raises ValueError where they have others
    than the row."""
    marks = sum(str(message.get("content")).count(MARK) for message in messages)
    if marks != images:
        raise ValueError(f"has {images} images, and its messages have {MARK} {marks} times")
    return [{**message, "content": _parts(message["content"])} for message in messages]


def _parts(content: Any) -> Any:
    if not isinstance(content, str):
        return content
    pieces = [piece for piece in re.split(f"({MARK})", content) if piece]
    return [{"type": "image"} if piece == MARK else {"type": "text", "text": piece} for piece in pieces]


def template_of(files: str, tokenizer: Any) -> str | None:
    """Return the chat template of a model's processor: in a file of its own, else the tokenizer's."""
    from transformers.utils import cached_file

    file = cached_file(files, TEMPLATE, _raise_exceptions_for_missing_entries=False)
    template = tokenizer.chat_template
    return json.loads(Path(file).read_text(encoding="utf-8"))["chat_template"] if file else template
