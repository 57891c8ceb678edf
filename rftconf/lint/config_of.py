"""Which framework's config a document is, asked several times about each; the last answer is kept."""

from __future__ import annotations

from functools import partial
from itertools import islice

from rftconf.plan.symbols import Value
from rftconf.schemas import catalogue, registry
from rftconf.schemas.guess import Guess, guess
from rftconf.text.document import Document
from rftconf.text.launches import main_of

_FEWEST_KNOWN = 2
"""Keys of a framework that a file without a launch must have to count as its config."""


def recognised(document: Document, framework: str | None, release: str | None) -> Guess | None:
    """What the rules over the plan may take `document` for, None where its keys are not a catalogued config's."""
    if not document.leaves:
        return None
    program = document.launch.program if document.launch else ""
    own = registry.started_by(program, registry.variants(framework)) if main_of(program) else ()
    if release is not None and own and not any(registry.has(one, release) for one in own):
        return None
    best = guess_of(document, framework, release)
    unread = registry.framework(best.framework).unread_sections
    if any(leaf.key.split(".")[0] in unread for leaf in document.leaves):
        return None
    if framework is None and not knows(best, document, 1) and not launches(document, best.framework):
        return None
    return best


def is_config(document: Document) -> bool:
    """True when `document` is a config of a framework that is known: it starts one, or has several of its keys."""
    if not document.leaves:
        return False
    best = guess_of(document, None, None)
    return launches(document, best.framework) or knows(best, document, _FEWEST_KNOWN)


_last: list[tuple[Document, str | None, str | None, Guess]] = []  # three questions about one document follow each other


def guess_of(document: Document, framework: str | None, release: str | None) -> Guess:
    """What `document` is taken for. Raises UsageError for a framework or release that is not known."""
    for known, *asked, best in _last:
        if known is document and asked == [framework, release]:
            return best
    best = _guessed(document, framework, release)
    _last[:] = [(document, framework, release, best)]
    return best


def _guessed(document: Document, framework: str | None, release: str | None) -> Guess:
    launch = document.launch
    keys: dict[str, Value] = {leaf.mode.value + leaf.key: leaf.value for leaf in document.leaves}
    name = launch.options.get("config-name", "") if launch else ""
    look = partial(
        guess,
        keys,
        program=launch.program if launch else "",
        config_name=(name if isinstance(name, str) else "") or " ".join(document.starts_from),
        overrides=document.form != "yaml",
    )
    if release is not None and framework is None:
        framework = look().framework
    return look(framework=framework, release=release)


def knows(best: Guess, document: Document, fewest: int) -> bool:
    """True when the release knows at least `fewest` of the keys."""
    known = catalogue.load(best.framework, best.release, best.trainer)
    return len(list(islice((leaf for leaf in document.leaves if leaf.key in known), fewest))) == fewest


def launches(document: Document, framework: str) -> bool:
    """True when `document` is a launch script of the framework."""
    program = document.launch.program if document.launch else ""
    return bool(registry.started_by(program, (registry.framework(framework),)))
