"""Text of any form to a Document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import PurePath

from rftconf.diagnostics import Diagnostic, Severity
from rftconf.record import record
from rftconf.secrets import is_secret
from rftconf.text.document import Document
from rftconf.text.layering import on_top
from rftconf.text.scalars import ScalarRules
from rftconf.text.source import Source
from rftconf.text.span import LineIndex, Place, Span

_SHELL_SUFFIXES = frozenset({".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch"})
_YAML_SUFFIXES = frozenset({".yaml", ".yml", ".json"})
_SHEBANG = re.compile(r"#!.*\b(?:ba|z|k|da)?sh\b")
_OVERRIDE_LINE = re.compile(r"\s*(?:~|\+{0,2})[A-Za-z_$][\w$\-./@]*(?:=.*)?\Z", re.DOTALL)
_SHELL_LINE = re.compile(
    r"^\s*(?:set\s+-\w|export\s+\w+=|(?:nohup|ray|torchrun|python[0-9.]*|uv|trinity|bash|sh|source|srun|accelerate)\s+[\w./-])"
    r"|^\s*\w+=\(|\$\{\w+:-|\\$",
    re.MULTILINE,
)


@record
class ReadOptions:
    """What the caller knows beyond the text.

    `bindings` are variables given by hand, `environment` those of the environment the caller lets in; `args` the
    script's own arguments; `launch` which launch (1 is the first) of several; `base` a YAML of lower priority;
    `sources` texts of files that the script names (`source`d ones, configs beside it); `framework` whose launch is
    meant when a script starts several; `rules` whose loader reads YAML.
    """

    bindings: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    launch: int | None = None
    base: Source | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    framework: str = ""
    rules: ScalarRules = ScalarRules.OMEGACONF


def read(source: Source, options: ReadOptions | None = None) -> Document:
    """Read a launch script, a YAML config or bare override lines. Never raises on bad input."""
    options = options or ReadOptions()
    form = form_of(source)
    if form == "shell":
        from rftconf.text.read_shell import read_shell

        document = read_shell(source, options)
    elif form == "overrides":
        document = read_override_lines(source)
    else:
        from rftconf.text.read_yaml import read_yaml_document

        document = read_yaml_document(source, options.rules, options.sources)
    if not document.leaves and document.readable and document.launch is None:
        place = Place(source.name, Span(0, 0, 1, 1))
        empty = Diagnostic("SYN502", Severity.ERROR, "there is no config in this file", place)
        document = replace(document, diagnostics=(*document.diagnostics, empty))
    exported = document.launch.env if document.launch is not None else {}
    told = {**options.environment, **options.bindings, **exported}
    told = {name: value for name, value in told.items() if not is_secret(name, value)}
    document = replace(document, diagnostics=(*source.notes, *document.diagnostics), environment=told)
    return _on_base(document, options) if options.base is not None else document


def form_of(source: Source) -> str:
    """`shell`, `yaml` or `overrides`, by suffix, shebang and content."""
    suffix = PurePath(source.name).suffix.lower()
    if suffix in _SHELL_SUFFIXES or _SHEBANG.match(source.text):
        return "shell"
    if suffix in _YAML_SUFFIXES:
        return "yaml"
    lines = [line for line in source.text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if lines and all(_OVERRIDE_LINE.match(line) for line in lines) and any("=" in line for line in lines):
        return "overrides"
    return "shell" if _SHELL_LINE.search(source.text) and not _is_mapping(source.text) else "yaml"


def _is_mapping(text: str) -> bool:
    """Whether YAML sees keys and values: a command inside a YAML text does not make it a script."""
    from rftconf.text.yaml_loader import ComposeError, compose

    try:
        root, _ = compose(text)
    except ComposeError:
        return False
    return root is not None and root.id == "mapping"


def read_override_lines(source: Source) -> Document:
    """One override per line; blank lines and lines starting with `#` are skipped, a `\\` at the end is dropped."""
    from rftconf.text.override_parser import TextArgument
    from rftconf.text.overrides import read_overrides

    index = LineIndex(source.text)
    words: list[TextArgument] = []
    at = 0
    for line in source.text.split("\n"):
        written = line.rstrip("\r")
        bare = written.strip()
        if bare and not bare.startswith("#"):
            bare = bare.removesuffix("\\").rstrip() if bare.endswith(" \\") else bare
            words.append(TextArgument(bare, source.name, index, at + line.index(bare[0])))
        at += len(line) + 1
    found = read_overrides(words)
    return Document(source.name, source.text, "overrides", tuple(found.leaves), tuple(found.diagnostics))


def _on_base(document: Document, options: ReadOptions) -> Document:
    from rftconf.text.read_yaml import read_yaml_document

    assert options.base is not None
    base = read_yaml_document(options.base, options.rules, options.sources)
    notes = (*options.base.notes, *base.diagnostics)
    return replace(document, leaves=on_top(base.leaves, document.leaves), diagnostics=(*notes, *document.diagnostics))
