"""Values that stand for "fill this in": `<your_path>`, `{your_path}`, `YOUR_MODEL`, `/path/to/data`, `xxx`, `TODO`, `...`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

# Words that name what a person has to supply; a tag of a chat template (`<answer>`, `<tool_call>`) has none of them.
_SUPPLIED = (
    r"your|path|dir(?:ectory)?|folder|file(?:name)?|model|data(?:set)?|ckpt|checkpoint|name|key|token|url|host|ip|port|user(?:name)?"
    r"|project|experiment|exp|id|num|number|gpus?|nodes?|nproc\w*|save|root|home|bucket|entity|fill|insert|replace|xxx+|todo|change"
)
ANGLES = (
    rf"(?i:<(?=[^<>]*(?:(?<![A-Za-z])(?:{_SUPPLIED})(?![A-Za-z])|[a-z]_(?:{_SUPPLIED})(?![A-Za-z])))"
    r"[A-Za-z][\w .,/:+-]{0,80}>)"
)
"""A placeholder in angle brackets, as a pattern."""
CURLIES = (
    r"(?i:(?<![${])\{(?=[^{}]*(?:(?<![A-Za-z])|_)(?:your|path|dir(?:ectory)?|folder|home|root|xxx+)(?![A-Za-z]))"
    r"[A-Za-z][\w ./-]{0,80}\}(?!\}))"
)
"""A placeholder in curly brackets: `{name}` of a template that a program fills in says none of these words."""
_ANGLES, _CURLIES = re.compile(ANGLES), re.compile(CURLIES)
_OTHERS = re.compile(
    r"(?<![A-Za-z])your[_-][a-z][\w-]*"  # YOUR_MODEL, your-api-key
    r"|(?<![A-Za-z])path[_/-]to(?![A-Za-z])"  # /path/to/data, path_to_model
    r"|(?<![A-Za-z])x{3,}(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:change[_-]?me|fill[_-]?(?:me|in|me[_-]in)|replace[_-]?me|set[_-]?me|placeholder|to[_-]be[_-]filled)(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:insert|add|put|enter)[_-]\w*here(?![A-Za-z])"
    r"|\A\.{3,}\Z|(?<=/)\.{3,}(?=/|\Z)",
    re.IGNORECASE,
)
_MARKS = re.compile(r"(?<![A-Za-z_])(?:TODO|FIXME|TBD)(?![A-Za-z_])")
_LONGEST = 400
"""Characters; what is longer is prose, such as a prompt."""
_IN_SHELL = re.compile(r"<[A-Za-z][\w .,/:+-]{0,80}>")
_REFUSED_BEHIND = re.compile(r"[ \t]*(?:\\?\r?\n|[;&|)<]|\\?\Z)")
_ATTACHED = frozenset("=/:,[_-.")
"""What stands before `<` where it continues a value: `key=<value>`, `/data/<user>`."""


def find_placeholder(text: str) -> str | None:
    """Return the part of `text` that a person has to fill in, None where there is none.

    A `<name>` whose closing `</name>` stands in the same text is a tag, not a placeholder.
    """
    if len(text) > _LONGEST or "\n" in text:
        return None
    if "<" in text:
        for match in _ANGLES.finditer(text):
            if f"</{match[0][1:]}" not in text:
                return match[0]
    mark = _CURLIES.search(text) or _OTHERS.search(text) or _MARKS.search(text)
    return mark[0] if mark else None


def placeholders_in(value: object) -> Iterator[str]:
    """Yield every placeholder in a value: a text, or the texts of a list or mapping."""
    if isinstance(value, str):
        part = find_placeholder(value)
        if part is not None:
            yield part
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from placeholders_in(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from placeholders_in(item)


def placeholder_end(script: str, start: int) -> int | None:
    """Return where a bare `<name>` at `start` of a shell script ends; None where bash can read a redirection there.

    bash takes `<` and `>` for redirections: a `>` at the end of a command names no file, which is an error, so nobody
    meant it. Where more follows (`sort <in> out`), only what continues a value (`key=<name> …`) is a placeholder.
    """
    match = _IN_SHELL.match(script, start)
    if match is None:
        return None
    attached = start > 0 and script[start - 1] in _ATTACHED
    behind = match.end()
    if attached or _REFUSED_BEHIND.match(script, behind) or script.startswith("/", behind):
        return behind
    return None
