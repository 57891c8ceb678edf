"""A document is recognised as a config of a framework or program, a release, a trainer, and a fork by its keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from rftconf.base.errors import UsageError
from rftconf.base.symbols import MISSING, Value
from rftconf.schemas import catalogue, registry
from rftconf.schemas.guess import Guess, guess
from rftconf.schemas.own_keys import count
from rftconf.text.document import Document, Mode
from rftconf.text.launch import marks

if TYPE_CHECKING:
    from rftconf.dialects.declaration import Dialect


def recognise(document: Document, framework: str | None = None, release: str | None = None) -> Guess:
    """Framework, release and trainer of a document: as asked, else guessed from program and keys."""
    options = document.launch.options if document.launch else {}
    program = document.launch.program if document.launch else ""
    config = str(options.get("config-name", options.get("--config-name", options.get("config-file", "")))).removesuffix(
        ".yaml"
    )
    config = config or " ".join(document.starts_from)
    written = {leaf.mode.value + leaf.key: leaf.value for leaf in document.leaves if leaf.mode is not Mode.DELETE}
    below = {leaf.key: leaf.value for leaf in document.stock if leaf.value != MISSING} | written
    known = registry.framework(framework).name if framework else None
    if known is None and release is not None and program:
        known = next((framework.name for framework in registry.started_by(program, registry.variants())), None)
    overrides = document.form != "yaml"
    if known is None and release is not None:
        known = guess(below, program=program, config_name=config, overrides=overrides).framework
    best = guess(below, program=program, config_name=config, overrides=overrides, framework=known, release=release)
    fork = _fork_of(best, program, below, known)
    best = _counted_with_stock(best, document, written) if document.stock else best
    return best if fork is None else _of_fork(document, fork, program, config, release)


def _counted_with_stock(best: Guess, document: Document, written: Mapping[str, Value]) -> Guess:
    """The guess from the keys of the checkout's own config too, which says so and holds none of those against the script."""
    files = list(dict.fromkeys(leaf.place.file for leaf in document.stock))
    name = PurePath(files[0]).name if len(files) == 1 else f"{len(files)} config files"
    position = next(index for index, reason in enumerate(best.reasons) if " takes " in reason)
    reasons = (
        *best.reasons[:position],
        f"with {name} of its checkout, {best.reasons[position]}",
        *best.reasons[position + 1 :],
    )
    return replace(best, reasons=reasons, unknown=tuple(key for key in best.unknown if key in written))


def _fork_of(best: Guess, program: str, written: Mapping[str, Value], name: str | None) -> marks.Marks | None:
    """The declared fork of a document: its program says so, or keys and words that no release of its framework has."""
    started = marks.of_program(program) if program else None
    known = catalogue.load(best.framework, best.release, best.trainer)
    family = registry.framework(best.framework).family if started is None else started.framework
    own = any(known.get(key.lstrip("+~")) is None for key in written) or marks.has_words(written, family)
    named = marks.of_keys(written, family, below=started.name if started else "") if own else None
    fork = named or started
    return None if fork is None or name not in (None, fork.framework) else fork


_FEWEST = 3
"""Keys of a later release, and none of the fork's, that show a config to stand on it; a fork takes over one or two."""


def _on_a_later_release(best: Guess, free: Guess, dialect: Dialect, whole: Iterable[str]) -> Guess:
    """The guess for a config whose checkout went on to a later release than the fork that it descends from.

    `whole` are the keys of a whole YAML file, which nothing holds against a release that lets them pass unread.
    """
    releases = registry.framework(best.framework).releases
    later = free.framework == best.framework and releases.index(free.release) > releases.index(best.release)
    passed = [key for key in whole if count(best, (key,)) < count(free, (key,))]
    refused = [key for key in best.unknown if key not in free.unknown]
    lacking = [key for key in (*refused, *passed) if dialect.fact(key.lstrip("+~")) is None]
    own = [key for key in lacking if key.lstrip("+~") not in dialect.newer]
    return free if later and len(own) >= _FEWEST else best


def _of_its_checkout(best: Guess, document: Document, written: Mapping[str, Value], guessed: partial[Guess]) -> Guess:
    """The guess for a config whose checkout has a config of another release than its fork stands on.

    A checkout of before the fork's code was read, or after, says so itself: its own config has the keys of one release.
    """
    stock = {leaf.key: leaf.value for leaf in document.stock if leaf.value != MISSING}
    free = guess(stock | dict(written), **(guessed.keywords | {"overrides": False}))
    if free.release == best.release or count(free, stock) - count(best, stock) < _FEWEST:
        return best
    return replace(guessed(release=free.release), certain=free.certain, asked=False)


def _of_fork(document: Document, fork: marks.Marks, program: str, config: str, release: str | None) -> Guess:
    """The guess for a config of a declared fork: its framework and the release that it stands on."""
    from rftconf.dialects.declaration import load
    from rftconf.dialects.translation import translate

    dialect = load(fork.name)
    of = registry.framework(dialect.framework)
    leaves = {leaf.key: leaf for leaf in document.leaves if leaf.mode is not Mode.DELETE}
    written = {leaf.mode.value + name: leaf.value for name, leaf in translate(dialect, leaves).leaves.items()}
    own = registry.started_by(program, registry.variants(of.name))
    guessed = partial(
        guess,
        written,
        program=program if own else of.mains[0] if of.mains else "",
        config_name=config,
        overrides=document.form != "yaml",
        framework=of.name,
    )
    try:
        best = guessed(release=release or registry.nearest(of, dialect.release))
    except UsageError:
        if release is not None:
            raise
        best = guessed()  # the fork took over a program that came after the release that it stands on
    if release is None:
        best = _on_a_later_release(best, guessed(), dialect, written if document.form == "yaml" else ())
        best = _of_its_checkout(best, document, written, guessed) if document.stock else best
    stands_on = f"{of.title} {dialect.release}"
    stands_on += "" if best.release == dialect.release else f", here on {best.release}, which has more of its keys"
    unknown = tuple(key for key in best.unknown if dialect.fact(key.lstrip("+~")) is None)
    fork_key = next((key for key in leaves if fork.has(key)), "")
    word = next(iter(fork.words({key: leaf.value for key, leaf in leaves.items()})), "")
    why = f"starts {program}, which is {dialect.title}'s"
    if fork_key or word:
        what = f"{fork_key}, a key" if fork_key else f"{word}={leaves[word].value}, a word"
        why = f"has {what} of {dialect.title}'s"
    reasons = (
        f"{why}: a fork of {stands_on}",
        *best.reasons[1 if best.reasons[0].startswith("starts") else 0 :],
    )
    return replace(best, reasons=reasons, unknown=unknown, dialect=dialect.name)
