"""A page's request, as data from outside: every value is checked before it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rftconf.base.errors import UsageError
from rftconf.load.base_files import base_files_of
from rftconf.load.wrapped import unwrapped
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source, from_bytes
from rftconf.verbs.read_arguments import Reading, assumptions, reading

MOST_TEXT = 1024 * 1024
"""Bytes of one text; the largest config seen in the wild has 0.2 MiB."""
MOST_FILES = 20
LONGEST_WORD = 4096
LONGEST_NAME = 200


class StudioRequest:
    """One question: fields by name. Raises UsageError for a field of another kind than it should have."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields

    def word(self, name: str, most: int = LONGEST_WORD) -> str | None:
        """A short text; None where it is absent or empty."""
        value = self.fields.get(name)
        if value is None or value == "":
            return None
        if not isinstance(value, str) or len(value) > most:
            raise UsageError(f"{name} should be text of at most {most:,} characters")
        return value

    def whole(self, name: str, least: int = 1) -> int | None:
        """Return a field's whole number, from `least`; None where it is absent. Raises UsageError for anything else."""
        value = self.fields.get(name)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 10**12:
            raise UsageError(f"{name} should be a whole number from {least}, not {value!r:.80}")
        return value

    def flag(self, name: str) -> bool:
        """Tell whether a switch is on."""
        return self.fields.get(name) is True

    def words(self, name: str) -> dict[str, str]:
        """Short texts by name, in the order given."""
        field = self.fields.get(name) or {}
        if not isinstance(field, dict) or len(field) > 1_000:
            raise UsageError(f"{name} should be texts by name")
        for key, value in field.items():
            if not isinstance(value, str) or len(value) > LONGEST_WORD or len(key) > LONGEST_WORD:
                raise UsageError(f"{name}: the value of {key!r:.80} should be a short text")
        return field

    def parts(self, name: str) -> Sequence[StudioRequest]:
        """Questions inside the question."""
        value = self.fields.get(name) or []
        if not isinstance(value, list) or len(value) > MOST_FILES or not all(isinstance(item, dict) for item in value):
            raise UsageError(f"{name} should be a list of at most {MOST_FILES} objects")
        return [StudioRequest(item) for item in value]

    def part(self, name: str) -> StudioRequest | None:
        """Return the question inside a field; None where it is absent."""
        value = self.fields.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise UsageError(f"{name} should be an object")
        return StudioRequest(value)

    def source(self) -> Source:
        """The pasted or dropped text under its name. Raises UnreadableError for one that is too large or no text."""
        value = self.fields.get("text")
        if not isinstance(value, str):
            raise UsageError("there is no text")
        return from_bytes(self.file_name(), _encoded(value), MOST_TEXT)

    def file_name(self) -> str:
        """The name of the text's file without folders: the page never names a file of this machine."""
        name = (self.word("name") or "").replace("\\", "/").rpartition("/")[2]
        name = "".join(c for c in name if c.isprintable())[-LONGEST_NAME:]
        return name.lstrip("-") or "pasted"

    def reading(self) -> Reading:
        """Return the options for reading the text, as the command line would have them."""
        bound = [f"{name}={value}" for name, value in self.words("set").items() if value]
        return reading(
            self.word("from"),
            self.word("from_release"),
            bound,
            None,
            self.word("args"),
            self.whole("launch"),
            None,
            None,
        )

    def assumptions(self) -> dict[str, str]:
        """Return the user's assumptions about a fork. Raises UsageError for one that means nothing."""
        return assumptions([f"{name}={value}" for name, value in self.words("assume").items() if value])

    def read_options(self, how: Reading) -> ReadOptions:
        """Return the reader's options: no environment, and of other files only those that were given with the text."""
        sources = {part.file_name(): part.source().text for part in self.parts("sources")}
        base = self.part("base")
        return ReadOptions(
            bindings=how.bindings,
            args=how.args,
            launch=how.launch,
            base=None if base is None else base.source(),
            sources=sources,
            ships=partial(base_files_of, framework=how.framework, release=how.release),
        )

    def document(self, text: str | None = None) -> Document:
        """The document of the text, or of another text in its place."""
        source = self.source() if text is None else from_bytes(self.file_name(), _encoded(text), MOST_TEXT)
        return unwrapped(read(source, self.read_options(self.reading())))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
