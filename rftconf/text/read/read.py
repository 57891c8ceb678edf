"""Text of any form to a Document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rftconf.base.diagnostics import Diagnostic, Severity, few
from rftconf.base.secrets import is_secret, remember, secrets_of
from rftconf.base.span import LineIndex, Place, Span
from rftconf.base.symbols import OpenKey, Value
from rftconf.text.document import Document, Leaf
from rftconf.text.layering import on_top
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.read.read_plan import FORM, MARK, is_plan, read_plan
from rftconf.text.source import Source
from rftconf.text.suffixes import JSON, PYTHON, SHELL, TOML, YAML, suffix_of

MAX_VALUES = 5_000
"""Values in one config; the longest published one has some 200, and the whole config of a framework printed out 1,500."""
MAX_ITEMS = 300
"""Mappings in one list: task sets, stages."""
_ITEM = re.compile(r"\[(\d{3,18})\]")
_SHOWN = 60
"""Characters of a key that a finding shows."""
_SHEBANG = re.compile(r"#!.*\b(?:ba|z|k|da)?sh\b")
PYTHON_FORM = "python"
_PYTHON_TEXT = re.compile(r"^(?:from\s+trl[\w.]*\s+import\s|import\s+trl\b)", re.MULTILINE)
_OVERRIDE_LINE = re.compile(r"\s*(?:~|\+{0,2})(?:[A-Za-z_$][\w$\-./@]*(?:=.*)?|\d[\d_]*\.[\w$\-./@]+=.*)\Z", re.DOTALL)
"""Hydra's grammar has numbers in a path, also as its first part (`0.6=true`), but no number alone."""
_SHELL_LINE = re.compile(
    r"^[ \t]*(?:set\s+-\w|export\s+\w+=|(?:nohup|ray|torchrun|python[0-9.]*|uv|trinity|trl|bash|sh|source|srun|accelerate)\s+[\w./-])"
    r"|^[ \t]*\w+=\(|\$\{\w+:-|\\$",
    re.MULTILINE,
)


def read(source: Source, options: ReadOptions | None = None) -> Document:
    """Read a launch script, a YAML config or bare override lines. Never raises on bad input.

    The document holds its secrets, and they are remembered, so that no output shows them.
    """
    options = options or ReadOptions()
    base = () if options.base is None else (options.base.text,)
    pairs = [*options.bindings.items(), *options.environment.items()]
    secrets = secrets_of((_own_text(source), *base, *options.sources.values()), pairs)
    remember(secrets)  # before it is read: an error on the way shows none either
    document = _within_bounds(_read_with_given(source, options))
    leaves = map(_written, (*document.leaves, *(leaf for _, leaf in document.conditional)))
    exported = (pair for launch in (document.launch, *document.launches) if launch for pair in launch.env.items())
    secrets |= document.secrets | secrets_of((), (*leaves, *exported))
    remember(secrets)
    return replace(document, secrets=secrets)


def _own_text(source: Source) -> str:
    """Return what a text itself says: of a program its literals and comments, for code computes no secret here."""
    if form_of(source) != PYTHON_FORM:
        return source.text
    from rftconf.text.python.literals import literals_of

    return literals_of(source.text)


def _written(leaf: Leaf) -> tuple[str, Value]:
    """Return a leaf's key and its value, or its text where that is no value that the key can have."""
    return leaf.key, leaf.raw if isinstance(leaf.value, OpenKey) else leaf.value


def _within_bounds(document: Document) -> Document:
    """The document with what nobody would read left out: findings of one kind, and all keys where they hold too much."""
    diagnostics = few(document.diagnostics)
    much = _too_much(document)
    if much is not None:
        document = replace(document, leaves=(), conditional=())
    return replace(document, diagnostics=diagnostics if much is None else (*diagnostics, much))


def _too_much(document: Document) -> Diagnostic | None:
    """Return an error where the leaves hold more values or list entries than a config has; None where they do not."""
    longest = max(document.leaves, key=lambda leaf: _length(leaf.value), default=None)
    item = next(
        (leaf for leaf in document.leaves if (match := _ITEM.search(leaf.key)) and int(match[1]) >= MAX_ITEMS), None
    )
    size = document.size
    if longest is None or (size <= MAX_VALUES and item is None):
        return None
    alone = _length(longest.value)
    problem, leaf = f"there are {size:,} values, more than {MAX_VALUES:,} in all", document.leaves[-1]
    if 2 * alone > size > MAX_VALUES:
        problem, leaf = f"{longest.key[:_SHOWN]} alone has {alone:,} values, more than {MAX_VALUES:,} in all", longest
    elif size <= MAX_VALUES and item is not None:
        problem, leaf = f"{item.key.partition('[')[0][:_SHOWN]} has more than {MAX_ITEMS} entries", item
    help_ = "give the config without its data"
    return Diagnostic("SYN510", Severity.ERROR, f"{problem}: this is data, not a config", leaf.key_place, help=help_)


def _length(value: Value) -> int:
    return len(value) if isinstance(value, (list, dict)) else 1


def _read_with_given(source: Source, options: ReadOptions) -> Document:
    """The document, with the values that `--set` gives to keys of the config."""
    keys = {name: value for name, value in options.bindings.items() if not name.isidentifier()}
    variables = {name: value for name, value in options.bindings.items() if name not in keys}
    options = replace(options, bindings=variables)
    document = _read_form(source, options)
    if options.ships is not None and document.missing:
        shipped = options.ships(document)
        document = document if shipped is None else _read_form(source, replace(options, shipped=shipped))
    if document.form in (
        "yaml",
        PYTHON_FORM,
    ):  # no shell variables there: a plain name is a key unless the file asks the environment for it
        written, texts = {leaf.key for leaf in document.leaves}, (source.text, *options.sources.values())
        names_key = _is_no_word_of if document.form == PYTHON_FORM else _names_a_key
        keys |= {name: value for name, value in variables.items() if name in written or names_key(name, texts)}
    elif variables and _has_no_sections(document):  # options of the program, which no line of the script need hold
        texts = (source.text, *options.sources.values())
        named = {name: value for name, value in variables.items() if _names_a_key(name, texts)}
        keys |= named
        document = replace(document, diagnostics=_without_unread(document.diagnostics, named))
    if keys:
        from rftconf.text.read.command_line_values import with_given_values

        document = with_given_values(document, keys)
    return document


def _has_no_sections(document: Document) -> bool:
    """True for a launch whose keys are plain names, as TRL's options are: a key is told from a variable by nothing else."""
    plain = sum("." not in leaf.key for leaf in document.leaves)
    return document.launch is not None and 2 * plain > len(document.leaves)


def _without_unread(diagnostics: Sequence[Diagnostic], names: Iterable[str]) -> tuple[Diagnostic, ...]:
    """The findings but for those that say of one of `names` that the script never reads it: it is a key."""
    return tuple(d for d in diagnostics if d.code != "SYN160" or not any(f" {name}, " in d.message for name in names))


def _names_a_key(name: str, texts: Sequence[str]) -> bool:
    """True for a key's name, which is in small letters, where no text reads a variable of that name."""
    return name.islower() and not any(re.search(rf"(?:oc\.env:|\$\{{?){name}\b", text) for text in texts)


def _is_no_word_of(name: str, texts: Sequence[str]) -> bool:
    """True for a key's name, which is in small letters, where a Python text has no such name."""
    return name.islower() and re.search(rf"\b{name}\b", texts[0]) is None


def _read_form(source: Source, options: ReadOptions) -> Document:
    form = form_of(source)
    if form == "shell":
        from rftconf.text.read.read_shell import read_shell

        document = read_shell(source, options)
    elif form == PYTHON_FORM:
        from rftconf.text.read.read_python import read_python

        document = read_python(source, options)
    elif form == FORM:
        document = read_plan(source)
    elif form == "overrides":
        document = read_override_lines(source)
    elif form == "toml":
        problem = "this is TOML, and no framework that rftconf knows reads a config of that form"
        place = Place(source.name, Span(0, 0, 1, 1))
        document = Document(source.name, source.text, form, (), (Diagnostic("SYN522", Severity.ERROR, problem, place),))
    else:
        from rftconf.text.read.read_yaml import read_yaml_document

        document = read_yaml_document(source, options.rules, options.sources, options.shipped)
    if any(leaf.key.startswith("deepspeed") for leaf in document.leaves):
        from rftconf.text.read.deepspeed_file import names_deepspeed, with_deepspeed

        document = with_deepspeed(document, options) if names_deepspeed(document) else document
    if not document.leaves and document.readable and document.launch is None:
        place = Place(source.name, Span(0, 0, 1, 1))
        empty = Diagnostic("SYN502", Severity.ERROR, "there is no config in this file", place)
        document = replace(document, diagnostics=(*document.diagnostics, empty))
    exported = document.launch.env if document.launch is not None else {}
    environment = {**options.environment, **options.bindings, **exported}
    environment = {name: value for name, value in environment.items() if not is_secret(name, value)}
    document = replace(document, diagnostics=(*source.notes, *document.diagnostics), environment=environment)
    return _on_base(document, options) if options.base is not None else document


def form_of(source: Source) -> str:
    """`shell`, `python`, `plan`, `yaml`, `overrides` or `toml`, by suffix, shebang and content."""
    if is_toml(source.name):
        return "toml"
    suffix = suffix_of(source.name)
    if suffix == PYTHON or (suffix not in (*SHELL, *YAML, JSON) and _PYTHON_TEXT.search(source.text)):
        return PYTHON_FORM
    if suffix in SHELL or _SHEBANG.match(source.text):
        return "shell"
    if MARK in source.text and is_plan(source.text):
        return FORM
    if suffix in YAML or suffix == JSON:
        return "yaml"
    lines = [line for line in source.text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if lines and all(_OVERRIDE_LINE.match(line) for line in lines) and any("=" in line for line in lines):
        return "overrides"
    return "shell" if _SHELL_LINE.search(source.text) and not _is_mapping(source.text) else "yaml"


def is_toml(name: str) -> bool:
    """True where a file is TOML by its name: none of the frameworks reads a config of that form."""
    return suffix_of(name) == TOML


def _is_mapping(text: str) -> bool:
    """True where the text is a mapping to YAML: a command inside a YAML text does not make it a script."""
    from rftconf.text.yaml.composer import ComposeError, compose

    try:
        root, _ = compose(text)
    except ComposeError:
        return False
    return root is not None and root.id == "mapping"


def read_override_lines(source: Source) -> Document:
    """One override per line; blank lines and lines starting with `#` are skipped, a `\\` at the end is dropped."""
    from rftconf.text.hydra.override_parser import TextArgument
    from rftconf.text.hydra.overrides import read_overrides

    index = LineIndex(source.text)
    words: list[TextArgument] = []
    offset = 0
    for line in source.text.split("\n"):
        written = line.rstrip("\r")
        bare = written.strip()
        if bare and not bare.startswith("#"):
            bare = bare.removesuffix("\\").rstrip() if bare.endswith(" \\") else bare
            words.append(TextArgument(bare, source.name, index, offset + line.index(bare[0])))
        offset += len(line) + 1
    overrides = read_overrides(words)
    return Document(source.name, source.text, "overrides", tuple(overrides.leaves), tuple(overrides.diagnostics))


def _on_base(document: Document, options: ReadOptions) -> Document:
    from rftconf.text.read.read_yaml import read_yaml_document

    assert options.base is not None
    base = read_yaml_document(options.base, options.rules, options.sources, options.shipped)
    notes = (*options.base.notes, *base.diagnostics)
    return replace(document, leaves=on_top(base.leaves, document.leaves), diagnostics=(*notes, *document.diagnostics))
