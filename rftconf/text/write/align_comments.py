"""Comments at line ends, lined up per block. Knows nothing of the language around them but its `#`."""

from __future__ import annotations

from collections.abc import Sequence

from rftconf.base.record import record

_WIDEST_ALIGNED = 60
_LONGEST_COMMENT = 160


@record
class Line:
    """Text of one or more physical lines; the comment stands after physical line number `at`."""

    text: str
    comment: str = ""
    at: int = 0


def one_line(comment: str) -> str:
    """`comment` without line breaks or control characters, shortened where nobody would read on."""
    if not comment.isprintable():
        comment = "".join(c if c.isprintable() else " " for c in comment)
    flat = " ".join(comment.split())
    return flat if len(flat) <= _LONGEST_COMMENT else flat[: _LONGEST_COMMENT - 1].rstrip() + "…"


def aligned(block: Sequence[Line]) -> list[str]:
    """The lines of one block with their comments in one column; lines too wide for it keep two spaces."""
    widths = [len(_before_comment(line)) for line in block if line.comment]
    column = max((width for width in widths if width <= _WIDEST_ALIGNED), default=0)
    out: list[str] = []
    for line in block:
        parts = line.text.split("\n")
        comment = one_line(line.comment)
        if comment:
            parts[line.at] = f"{parts[line.at].ljust(column)}  # {comment}"
        out.extend(parts)
    return out


def header_lines(header: Sequence[str]) -> list[str]:
    """Full-line comments; an empty text stays an empty comment line."""
    return [f"# {text}".rstrip() for entry in header for text in (entry.splitlines() or [""])]


def _before_comment(line: Line) -> str:
    return line.text.split("\n")[line.at]
