"""Decisions of the user, as fields of a form: an option of the command line if there is one, else a value to write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rftconf.base.ledger import Decision
from rftconf.base.patch import Patch, apply
from rftconf.base.symbols import Value
from rftconf.studio.places import leaves_by_key
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes
from rftconf.text.write import edit_yaml
from rftconf.text.write.editors import editor_of

_SPLIT = re.compile(r"--rollout-gpus (\d+): (.*)", re.DOTALL)
_BOUND = re.compile(r"--set (\w+)=")
_ROWS = "--rows N"
_NAME = re.compile(r"[\w./:-]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|-?[0-9]+[eE][-+]?[0-9]+")
_WORDS = {"true": True, "false": False, "True": True, "False": False, "null": None, "None": None}


@dataclass(frozen=True, slots=True)
class Filled:
    """A text with values that the page gave, and the keys that it has no place for."""

    text: str
    missed: tuple[str, ...]


def fields_of(decisions: Iterable[Decision], texts: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Each decision with its inputs; the first of several decisions that one option settles has the input."""
    leaves = [leaves_by_key(name, text) for text, name in texts]
    fields = []
    for decision in decisions:
        inputs = list(_inputs(decision, leaves))
        fields.append(
            {
                "key": decision.key,
                "why": decision.why,
                "chosen": decision.chosen or None,
                "choices": [choice for choice in decision.choices if not choice.startswith("--")],
                "inputs": inputs,
            }
        )
    return fields


def _inputs(decision: Decision, sources: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    splits = [match for choice in decision.choices if (match := _SPLIT.fullmatch(choice))]
    if splits:
        options = [{"value": int(match[1]), "title": match[2]} for match in splits]
        yield {"kind": "rollout_gpus", "options": options}
        return
    if any(_ROWS in choice for choice in decision.choices):
        yield {"kind": "rows"}
    bound = [name for choice in decision.choices for name in _BOUND.findall(choice)]
    yield from ({"kind": "set", "name": name} for name in bound)
    key = decision.key.replace("[]", "[0]")
    leaf = next((leaves[key] for leaves in sources if key in leaves), None)
    words = (_NAME.match(choice) for choice in decision.choices if " " not in choice.partition(": ")[0])
    names = [match[0].rstrip(":") for match in words if match]
    if not bound and (leaf is not None or names):
        yield {"kind": "value", "name": key, "now": leaf.raw[:200] if leaf else "", "options": names}


def filled(name: str, text: str, values: Mapping[str, str]) -> Filled:
    """Write each value where its key stands in the text, with the edits that fixes are made with."""
    missed = []
    for key, written in values.items():
        document = read(from_bytes(name, text.encode("utf-8", "replace")))
        if not written.strip():
            continue
        patches = _patches(document, key, value_of(written.strip()))
        if patches is None:
            missed.append(key)
            continue
        text = _comment_without_origin(name, apply(text, patches), key)
    return Filled(text, tuple(missed))


_COMMENT = re.compile(r"  # [^\n]*")
YOURS = "  # as you said"


def _comment_without_origin(name: str, text: str, key: str) -> str:
    """The comment behind a value that the page gave tells where another one came from: it goes."""
    leaf = read(from_bytes(name, text.encode("utf-8", "replace"))).last().get(key)
    if leaf is None:
        return text
    end = text.find("\n", leaf.place.span.end)
    tail = text[leaf.place.span.end : end]
    if end < 0 or not _COMMENT.search(tail):
        return text
    return text[: leaf.place.span.end] + _COMMENT.sub(YOURS, tail, count=1) + text[end:]


def _patches(document: Document, key: str, value: Value) -> list[Patch] | None:
    leaf = document.last().get(key)
    if document.form == "yaml":
        return edit_yaml.add(document, key, value) if leaf is None else edit_yaml.put(document, leaf, value)
    near = [other for other in document.leaves if other.place.file == document.name] if leaf is None else [leaf]
    if not near or (leaf is None and document.form == "python"):
        return None
    edit = editor_of(document, near[-1])
    patches: list[Patch] | None = (
        edit.add(document, near[-1], key, value) if leaf is None else edit.put(document, leaf, value)
    )
    return patches


def value_of(written: str) -> Value:
    """Return the value that was typed into a field: a number, a switch, else text."""
    if written in _WORDS:
        return _WORDS[written]
    if _NUMBER.fullmatch(written) and len(written) < 16:
        return int(written)
    return float(written) if _DECIMAL.fullmatch(written) else written
