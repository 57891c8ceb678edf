"""Leaves that a DeepSpeed config adds: its ZeRO stage and what it moves to the CPU, from a JSON file beside or from the argument itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rftconf.base.diagnostics import Diagnostic, Label, Severity
from rftconf.base.symbols import Expr, OpenKey, Value
from rftconf.text.document import UNREAD, Document, Leaf
from rftconf.text.files_beside import text_beside
from rftconf.text.launch.deepspeed import ARGUMENT, AUTO, MATCHED, NAMES, SAID
from rftconf.text.layering import on_top
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

OTHERWISE = "SYN804"
_SUFFIX = ".json"


def names_deepspeed(document: Document) -> bool:
    """True where a document names a DeepSpeed config, or holds one."""
    return any(_names_file(leaf) or leaf.key.startswith(f"{ARGUMENT}.") for leaf in document.leaves)


def with_deepspeed(document: Document, options: ReadOptions) -> Document:
    """Return the document with what its DeepSpeed config says; what a file that is not here says stays open."""
    named = [leaf for leaf in document.leaves if _names_file(leaf)]
    inside = {leaf.key.partition(".")[2]: leaf for leaf in document.leaves if leaf.key.startswith(f"{ARGUMENT}.")}
    diagnostics: tuple[Diagnostic, ...] = ()
    if named:
        file = text_beside(named[-1].place.file, str(named[-1].value), options.sources)
        if file is None:
            return _opened(document, named[-1])
        content = _content(file)
        inside, diagnostics = {leaf.key: leaf for leaf in content.leaves}, content.diagnostics
    last = document.last()
    base = tuple(leaf for leaf in _options_in(inside) if leaf.key not in last)
    return replace(
        document,
        leaves=on_top(base, document.leaves),
        diagnostics=(*document.diagnostics, *diagnostics, *_unlike(inside, last)),
    )


def _names_file(leaf: Leaf) -> bool:
    return leaf.key in NAMES and isinstance(leaf.value, str) and leaf.value.endswith(_SUFFIX)


def _content(file: Source) -> Document:
    """Read JSON as the YAML that it is; a tab is a blank there."""
    from rftconf.text.read.read_yaml import read_yaml_document

    document = read_yaml_document(replace(file, text=file.text.replace("\t", " ")))
    return replace(document, leaves=document.leaves if document.readable else ())


def _options_in(inside: Mapping[str, Leaf]) -> Iterator[Leaf]:
    """Yield what the launcher has options for, under their names."""
    for key, option in SAID.items():
        leaf = inside.get(key)
        if leaf is not None and leaf.value != AUTO:
            yield replace(leaf, key=option)


def _opened(document: Document, named: Leaf) -> Document:
    last = document.last()
    leaves = tuple(
        Leaf(option, OpenKey(option), named.place, named.key_place) for option in SAID.values() if option not in last
    )
    message = f"the run also reads {named.value}, which is not given: its ZeRO stage and what it moves to the CPU are not known"
    help_ = "put it beside, or give it with --source FILE"
    lacking = Diagnostic(UNREAD, Severity.WARNING, message, named.place, help=help_, key=named.key)
    return replace(document, leaves=on_top(leaves, document.leaves), diagnostics=(*document.diagnostics, lacking))


def _unlike(inside: Mapping[str, Leaf], last: Mapping[str, Leaf]) -> Iterator[Diagnostic]:
    """Yield a finding for each value that is neither `auto` nor what the argument says: transformers stops at it."""
    for key, argument in MATCHED.items():
        theirs, mine = inside.get(key), last.get(argument)
        if theirs is None or mine is None or _alike(theirs.value, mine.value):
            continue
        message = f"DeepSpeed's {key} is {theirs.value} and {argument} is {mine.value}: transformers stops at that"
        labels = (Label(theirs.place, key),)
        yield Diagnostic(
            OTHERWISE, Severity.WARNING, message, mine.place, labels, f'write "{AUTO}" there', key=argument
        )


def _alike(theirs: Value, mine: Value) -> bool:
    if theirs == AUTO or isinstance(theirs, Expr) or isinstance(mine, Expr):
        return True
    try:
        return float(str(theirs)) == float(str(mine))
    except ValueError:
        return str(theirs).lower() == str(mine).lower()
