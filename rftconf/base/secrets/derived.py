"""A script makes words of its secrets: one that bash cuts, changes or splits is as secret as the word that it was made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rftconf.base.secrets.detection import is_named, secret_spans
from rftconf.base.secrets.names import Kind, kind_of
from rftconf.base.symbols import Text, Value

_SHORTEST = 6
"""Characters of the shortest text that is followed; shorter ones are parts of words."""
_LONGEST = 20_000
"""Characters of the longest value that is looked through."""
MOST = 200
"""Texts that are followed in one script."""


class Derivation:
    """The secrets of one script, and what it makes of them."""

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}
        """List what the script calls secrets, and what became of them, in the order of reading."""

    def add(self, texts: Iterable[str]) -> None:
        """Take these as secrets from now on."""
        for text in texts:
            if len(text) >= _SHORTEST and len(self.texts) < MOST:
                self.texts[text] = None

    def name(self, name: str, value: object) -> None:
        """Take `value` as a secret where the variable that gets it has a credential's name."""
        if isinstance(value, str) and _names_a_credential(name) and is_named(name, value):
            self.add((value,))

    def follow(self, before: Value, after: Value, again: Callable[[str], object] | None = None) -> None:
        """Take as secrets what became of those in `before` when it was made into `after`; `again` does the same to one of them."""
        if not isinstance(before, (str, Text)) or not isinstance(after, (str, Text)) or before == after:
            return
        whole = "\n".join(part for part in _parts(before))
        if len(whole) > _LONGEST:
            return
        for secret in self._secrets_in(whole):
            for part in _parts(after):
                self.add((part,) if secret == whole else _remains(secret, part, again))

    def _secrets_in(self, text: str) -> list[str]:
        if len(text) < _SHORTEST:
            return []
        spans = [text[start:end] for start, end in secret_spans(text)]
        return [*dict.fromkeys([*(secret for secret in self.texts if secret in text), *spans])]


def _names_a_credential(name: str) -> bool:
    return kind_of(name) is not Kind.NONE


def _parts(value: str | Text) -> list[str]:
    return [value] if isinstance(value, str) else [part for part in value.parts if isinstance(part, str)]


def _remains(secret: str, after: str, again: Callable[[str], object] | None) -> list[str]:
    """Return what is left of `secret` in a text that had more in it."""
    if after in secret:
        return [after]
    result = again(secret) if again is not None else None
    if isinstance(result, str) and result in after:
        return [result]
    longest = min(len(secret), len(after))
    beginning = next((n for n in range(longest, _SHORTEST - 1, -1) if after.endswith(secret[:n])), 0)
    end = next((n for n in range(longest, _SHORTEST - 1, -1) if after.startswith(secret[-n:])), 0)
    return [secret[:beginning], secret[-end:] if end else ""]
