"""Which rows a job draws its prompts from, and how many of each domain."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImageColumn:
    """The column in which a row has its images. veRL's reader brings those that came as bytes to whole patches of `patch` pixels a side (0: the
    model's own), and where it `resizes` those that the data set decodes too."""

    name: str
    resizes: bool
    patch: int


@dataclass(frozen=True, slots=True)
class Rows:
    """A data set's rows, and in which columns prompt and truth are. Its reward may be given by `name`; a row may have `tags`, any
    where there are none; `system` goes before a row that is a question alone, nothing where it is empty."""

    uri: str
    split: str
    column: str
    chats: bool
    truth: str
    name: str = ""
    tags: tuple[str, ...] = ()
    subset: str = ""
    system: str | None = None
    images: ImageColumn | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """A domain: rows with these tags, of which every period draws so many prompts, 0 where it only validates."""

    name: str
    tags: tuple[str, ...]
    prompts: int
