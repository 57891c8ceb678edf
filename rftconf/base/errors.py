"""The few exceptions that leave the library. A bad config is not among them: it is a list of diagnostics."""

from __future__ import annotations


class RftconfError(Exception):
    """Base of everything raised on purpose; `exit_code` is what the command line returns."""

    exit_code = 2


class UnreadableError(RftconfError):
    """Input that cannot be read at all (binary, too large, truncated, unknown). Exit 2."""

    def __init__(self, message: str, *, file: str = "", line: int = 0, col: int = 0) -> None:
        super().__init__(message)
        self.message, self.file, self.line, self.col = message, file, line, col

    def __str__(self) -> str:
        """`file:line:col: message`, with the parts that are known."""
        place = ":".join(str(part) for part in (self.file, self.line, self.col) if part)
        return f"{place}: {self.message}" if place else self.message


class UsageError(RftconfError):
    """The command line asks for something that does not exist. Exit 2."""


class RefusedError(RftconfError):
    """No faithful target exists; `choices` lists what would make one. Exit 3."""

    exit_code = 3

    def __init__(self, message: str, *, choices: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message, self.choices = message, choices

    def __str__(self) -> str:
        """The message, with what was put before it on the way."""
        return self.message


class UncountableError(KeyError):
    """A number in another unit cannot be told, because a value that it depends on is not there; that one's name."""
