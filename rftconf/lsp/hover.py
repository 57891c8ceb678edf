"""The page that an editor shows for a key: type, default, meaning, unit, the other frameworks' names."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.explain.hazards import concerning
from rftconf.lint import key_help as editor
from rftconf.report.values import render_value
from rftconf.schemas import registry, versions
from rftconf.schemas.catalogue import Catalogue, Key

_MOST_NAMES = 20


def page(known: Catalogue, key: str) -> str:
    """Markdown about `key` (with indices, as a file has it), empty for one that the release does not have."""
    entry = known.get(key)
    title = f"{registry.framework(known.framework).title} {known.release}"
    if entry is None:
        return f"**`{key}`** section of {title}" if key and known.is_node(key) else ""
    return "\n\n".join([f"**`{key}`** {title}", *_facts(known, entry)])


def _facts(known: Catalogue, key: Key) -> Iterator[str]:
    default = "must be given" if key.mandatory else f"default `{render_value(key.default)}`"
    yield f"`{key.type}{' or null' if key.optional and key.type != 'any' else ''}`, {default}"
    choices = tuple(dict.fromkeys([*map(render_value, key.choices), *known.names(key.name)]))
    if choices:
        more = f", … ({len(choices)})" if len(choices) > _MOST_NAMES else ""
        yield f"Takes {', '.join(f'`{name}`' for name in choices[:_MOST_NAMES])}{more}"
    newest = newest_name(known, key.name)
    facts = editor.facts(known.framework, newest)
    if facts.why:
        yield f"{facts.why[:1].upper()}{facts.why[1:]}"
    if facts.unit:
        yield f"Counts {facts.unit}"
    if facts.plan:
        yield f"In the plan: `{facts.plan}`"
    if facts.elsewhere:
        yield "Elsewhere: " + ", ".join(f"{title} `{theirs}`" for title, theirs in facts.elsewhere)
    natives = [f"{known.family}:{name}" for name in dict.fromkeys((key.name, newest))]
    for hazard in concerning([facts.plan] if facts.plan else [], natives, (facts.why,)):
        yield f"{hazard.name}: {hazard.says}"
    dead = versions.dead(known.framework, known.release, key.name, known.trainer)
    if dead:
        yield f"No effect in {known.release}: {dead}"
    past = versions.history(known.framework, key.name, known.trainer)
    if past:
        yield f"History: {past}"


def newest_name(known: Catalogue, name: str) -> str:
    """Return a key's name in the newest release; the same name where nothing else is known."""
    if known.release == registry.framework(known.framework).newest:
        return name
    return versions.name_in_newest(known.framework, name, known.release, known.trainer)
