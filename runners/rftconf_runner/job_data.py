"""The rows that a job draws its prompts from, and the number of prompts of each domain."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


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
    where there are none; `system` goes before a row that is a question alone, nothing where it is empty.
    Columns that are `beside` these go to the reward within its extra_info."""

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
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """A domain: rows with these tags, of which every period draws so many prompts, 0 where it only validates."""

    name: str
    tags: tuple[str, ...]
    prompts: int


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings by which an engine draws an answer; a temperature of 0 takes the likeliest token each time, and a `top_k` of -1 all tokens."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = -1
    repetition: float = 1.0
    ignore_eos: bool = False


GREEDY = Sampling(temperature=0.0)


@dataclass(frozen=True, slots=True)
class ValidationSet:
    """Rows each of which is answered `responses` times; `domain` names the reward that scores them, and is empty for the common one."""

    name: str
    rows: Rows
    sampling: Sampling
    responses: int
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Validation:
    """Sets that are answered after every `every` periods (0: never) and after the last, and `before` the first. Of all their
    prompts the first `most` are asked (0: all). `left_out` are sentences about what of it is not done."""

    sets: tuple[ValidationSet, ...] = ()
    every: Fraction = Fraction(0)
    before: bool = False
    most: int = 0
    left_out: tuple[str, ...] = ()

    def is_due(self, period: int, last: int) -> bool:
        """True where the sets are answered after this period of `last`; 0 is before the first."""
        if period == 0 or not self.every:
            return self.before and period == 0
        return period == last or period // self.every > (period - 1) // self.every
