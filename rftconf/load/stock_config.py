"""The config that a script's program starts from, where that program lies in the same checkout: a fork's is not the release's."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from rftconf.base.errors import UnreadableError
from rftconf.base.secrets.config_secrets import secrets_of
from rftconf.base.secrets.gate import remember
from rftconf.load.program_in_checkout import config_path, main_in_checkout
from rftconf.schemas import registry
from rftconf.text.document import Document, Launch, Leaf
from rftconf.text.files_beside import in_checkout
from rftconf.text.launch.programs import STOCK_CONFIGS, Style, main_of
from rftconf.text.read.read_yaml import read_yaml_document
from rftconf.text.source import open_source

_FOLDERS = ("", "verl")
"""Where a checkout has the program's package: in its root, or in the framework's repository below it."""
_MOST_KEPT = 16


def with_stock(source: str, document: Document) -> Document:
    """The document with what its program's own config says, where that lies in the checkout of the script at `source`."""
    launch = document.launch
    if source == "-" or launch is None or launch.unread or _chooses_groups(document):
        return document
    names = (*_named_in_code(source, launch), *_named_by_custom(launch))
    place = next((place for name in names if (place := in_checkout(source, name)) is not None), None)
    if place is None:
        return document
    try:
        stock = _leaves(str(place), place.stat().st_mtime_ns)
    except (OSError, UnreadableError):
        return document
    secrets = document.secrets | secrets_of((), ((leaf.key, leaf.value) for leaf in stock))
    remember(secrets)
    return replace(document, stock=stock, secrets=secrets)


def _chooses_groups(document: Document) -> bool:
    """True where the launch line takes another part of the config than the file itself does."""
    groups = registry.VERL.groups
    return any(leaf.key in groups or "@" in leaf.key or "/" in leaf.key for leaf in document.leaves)


def _named_in_code(source: str, launch: Launch) -> tuple[str, ...]:
    """The path of the config that the program's `@hydra.main` names, where the program lies in the checkout."""
    own_main = None if "config-path" in launch.options else main_in_checkout(source, launch.program)
    name = "" if own_main is None else launch.config_name or own_main.name
    return (config_path(launch.program, own_main.folder, name),) if own_main is not None and name else ()


def _named_by_custom(launch: Launch) -> tuple[str, ...]:
    """The paths, as seen from the root of a checkout, of the config that a program of the framework's own names itself."""
    main = main_of(launch.program)
    named = launch.config_name
    known = named in STOCK_CONFIGS or launch.options.get("config-name") is None
    if main is None or main.style is not Style.HYDRA or not known:
        return ()
    started = registry.started_by(launch.program, registry.variants(registry.VERL.name))
    of = started[0] if started else registry.VERL
    name = named or of.config_names[of.trainer]
    path = config_path(launch.program, "config", name)
    return tuple(str(folder / path) for folder in map(PurePosixPath, _FOLDERS))


@lru_cache(maxsize=_MOST_KEPT)
def _leaves(path: str, _changed: int) -> tuple[Leaf, ...]:
    document = read_yaml_document(open_source(Path(path)))
    return tuple(replace(leaf, inherited=True) for leaf in document.leaves) if document.readable else ()
