"""Opens the config of a request: a file below a root, or a text beside which no file lies."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rftconf.api.config import Config, read
from rftconf.base.errors import UsageError
from rftconf.load.config_of_run import config_of_run
from rftconf.mcp.requests import MOST_TEXT, ConfigInput
from rftconf.mcp.roots import Roots
from rftconf.text.document import Document
from rftconf.text.source import STDIN, Source, from_bytes, open_source
from rftconf.verbs.open_input import read_source
from rftconf.verbs.read_arguments import Reading, assumptions, reading


@dataclass(frozen=True, slots=True)
class Opened:
    """A text was opened: this is its place, and these are the options for reading it."""

    source: Source
    path: str
    how: Reading

    def document(self, text: str | None = None, launch: int | None = None) -> Document:
        """Read the text, or another text in its place."""
        source = self.source if text is None else replace(self.source, text=text)
        how = self.how if launch is None else replace(self.how, launch=launch)
        return read_source(source, self.path, replace(how, followed={}))


def opened(config: ConfigInput, roots: Roots) -> Opened:
    """Open what a request names. Raises UsageError for a path outside the roots, and where there is no config or two."""
    variables = [f"{name}={value}" for name, value in config.variables.items()]
    base = None if config.base is None else roots.place(config.base)
    how = reading(config.framework, config.release, variables, None, config.arguments, config.launch, base, None)
    path = _path(config, roots)
    if path is not None:
        return Opened(open_source(path), path, how)
    text = (config.text or "").encode("utf-8", "replace")
    return Opened(from_bytes(config.name, text, 4 * MOST_TEXT), STDIN, how)


def config_of(config: ConfigInput, roots: Roots) -> Config:
    """Read the config of a request, as `rftconf.read` does."""
    from pathlib import Path

    opening = opened(config, roots)
    how, text = opening.how, opening.source.text
    return read(
        Path(opening.path) if opening.path != STDIN else text + "\n" * ("\n" not in text),
        name=opening.source.name,
        framework=how.framework,
        release=how.release,
        variables=how.bindings,
        arguments=how.args,
        launch=how.launch,
        base=how.base,
        rows=config.rows,
        assume=config.assume,
    )


def assumed(config: ConfigInput) -> dict[str, str]:
    """Return what the request says about a fork. Raises UsageError for a name or a value that means nothing."""
    return assumptions([f"{name}={value}" for name, value in config.assume.items()])


def _path(config: ConfigInput, roots: Roots) -> str | None:
    if (config.path is None) == (config.text is None):
        raise UsageError("a config is given either by `path` or by `text`")
    if config.path is None:
        return None
    place = roots.place(config.path)
    return str(roots.place(config_of_run(str(place)))) if place.is_dir() else str(place)
