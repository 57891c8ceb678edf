"""Some commands end before their writer meant them to: at a comment, or at a backslash that continues nothing."""

from __future__ import annotations

import re

from rftconf.text.shell.parse.nodes import Problem

_LOST = re.compile(r"[ \t]*(?:[+~]*[A-Za-z_][\w/]*\.[\w./]*=|\+|--?\w|[\"']?\$[@{])").match
_TRAILING = re.compile(r"[ \t]+(?=\n|\Z)").match
_COMMENTED = re.compile(r"[ \t]+#[^\n]*").match


def cut_by_comment(text: str, before: int, offset: int) -> Problem | None:
    """Return the problem of a comment at `offset` behind the last word, which ends at `before`; None without a loss."""
    end = text.find("\n", offset)
    comment_end = end = end if end >= 0 else len(text)
    if text[offset:end].rstrip().endswith("\\") and "\n" not in text[before:offset] and text[end : end + 200].strip():
        message = "bash ends the command at this comment: the backslash at its end continues nothing"
        return Problem("SYN110", message, offset, end, "move the comment above the command")
    if "\n" not in text[before:offset]:
        return None
    while 0 <= end < len(text):
        following = text.find("\n", end + 1)
        line = text[end + 1 : following if following >= 0 else len(text)]
        if not line.lstrip().startswith("#"):
            break
        end = following
    else:
        return None
    indented = line[:1] in (" ", "\t") and line.strip() not in ("", "fi", "done", "esac", "}", ")")
    if _LOST(line) is None and not (indented and line.rstrip().endswith("\\")):
        return None
    message = "bash ends the command at this comment: the arguments after it are lost"
    advice = "move the comment above the command, or put the arguments into an array"
    return Problem("SYN110", message, offset, comment_end, advice)


def cut_by_backslash(text: str, offset: int) -> Problem | None:
    """Return the problem of the backslash at `offset` with blanks or a comment behind it; None where there is none."""
    if (blank := _TRAILING(text, offset + 1)) is not None:
        message = "a backslash before blanks does not continue the line: the command ends here"
        return Problem("SYN111", message, offset, blank.end(), "remove the blanks behind the backslash")
    if (comment := _COMMENTED(text, offset + 1)) is not None:
        message = "a backslash before a comment does not continue the line: the comment's words become arguments"
        return Problem("SYN111", message, offset, comment.end(), "move the comment above the command")
    return None
