"""The page of a key or of a plan field, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rftconf.base.enumeration import enumerate_words
from rftconf.explain.field import FieldFacts, field_facts, hazards_of, rules_of
from rftconf.explain.fields import FieldSupport, fields_at, fields_by_key
from rftconf.explain.find import Match
from rftconf.explain.hazards import Hazard
from rftconf.explain.key import KeyFacts, key_facts
from rftconf.explain.spans import Span
from rftconf.report.screen import Screen, joined
from rftconf.report.values import render_value
from rftconf.schemas import registry

_WIDE = 11
_MOST_FIELDS, _MOST_KEYS, _MOST_NAMES = 6, 3, 30
_STATES = {"exact": "exact", "derived": "derived", "fixed": "fixed", "none": "no counterpart"}


def page(match: Match, screen: Screen, release: str | None = None) -> str:
    """Return the whole page of one match. Raises UsageError for a key that the release does not have."""
    if match.framework is None:
        return joined(_of_field(match.name, screen))
    return joined(_of_key(key_facts(match.framework.name, match.name, release), screen))


def listing(matches: Iterable[Match], screen: Screen) -> str:
    """One line a match: the name, whose it is, and the plan fields it stands for."""
    rows = [(m, _brief(m)) for m in matches]
    wide = min(max((len(_shown_name(m)) for m, _ in rows), default=0), 70)
    return "".join(f"{_shown_name(m):<{wide}}  {screen.style(m.title, 'dim')}{text}\n" for m, text in rows)


def _shown_name(match: Match) -> str:
    return match.name if match.framework else f"plan.{match.name.removeprefix('stage.')}"


def _brief(match: Match) -> str:
    if match.framework is None:
        return ""
    plans = fields_at(fields_by_key(match.framework.name), match.name)
    return f"  {', '.join(plans[:2])}{', …' if len(plans) > 2 else ''}" if plans else ""


def _entry(name: str, text: str, screen: Screen) -> Iterator[str]:
    """A name and its text beside it, wrapped."""
    first, *more = screen.wrap(text, _WIDE + 2)
    yield f"  {screen.style(f'{name:<{_WIDE - 1}}', 'dim')} {first}"
    yield from (f"{' ' * (_WIDE + 2)}{line}" for line in more)


def _of_key(facts: KeyFacts, screen: Screen) -> Iterator[str]:
    known = facts.framework
    only = f" ({facts.trainer} trainer)" if facts.trainer and facts.trainer != known.trainer else ""
    yield f"{screen.style(facts.key, 'bold')}: a key of {known.title}{only}"
    if facts.meaning:
        yield from _entry("meaning", facts.meaning, screen)
    if facts.unit:
        yield from _entry("counts", facts.unit, screen)
    yield from _releases(facts, screen)
    names = list(dict.fromkeys([*map(render_value, facts.spans[-1].choices), *facts.takes]))
    if names:
        more = f", … ({len(names)})" if len(names) > _MOST_NAMES else ""
        yield from _entry("takes", ", ".join(names[:_MOST_NAMES]) + more, screen)
    if facts.words:
        yield from _entry("words", ", ".join(f"{native} is {plan}" for native, plan in facts.words), screen)
    yield from _standing(facts, screen)
    for formula_field, formula in facts.formulas:
        yield from _entry("formula", f"plan.{formula_field} = {formula}", screen)
    yield from _fields(facts.fields, facts.own, screen)
    for kind in facts.kinds:
        plans = ", ".join(field.field for field in kind.fields)
        yield from _entry(f"in {kind.kind}", plans, screen)
        yield from _other_keys(kind.fields, screen)
    yield from _warnings(facts.hazards, facts.rules, screen)


def _releases(facts: KeyFacts, screen: Screen) -> Iterator[str]:
    """Type and default, one line a span of releases that agree."""
    for span in facts.spans:
        yield from _entry(_span_text(span), _says(span, facts.key), screen)
    for trainer, default in facts.trainers:
        yield from _entry(trainer, f"default {render_value(default)}", screen)
    if facts.history:
        yield from _entry("history", facts.history, screen)


def _span_text(span: Span) -> str:
    return span.releases[0] if len(span.releases) == 1 else f"{span.releases[0]}–{span.releases[-1]}"


def _says(span: Span, key: str) -> str:
    default = "must be given" if span.mandatory else f"default {render_value(span.default)}"
    follows = f" (as {span.interpolation})" if span.interpolation else ""
    name = f"{span.name}: " if span.name != key else ""
    dead = f"; no effect: {span.dead}" if span.dead else ""
    became = f"; now {', '.join(span.became)}" if span.became and key not in span.became else ""
    return f"{name}{span.type}, {default}{follows}{became}{dead}"


def _standing(facts: KeyFacts, screen: Screen) -> Iterator[str]:
    """List a page's lines on the key's readers: whether any code reads it, and who sets it."""
    if facts.plus_only:
        yield from _entry("note", f"not in the config as shipped: write +{facts.key}=…", screen)
    if facts.automatic:
        yield from _entry("note", "set by the framework itself", screen)
    if facts.unread:
        yield from _entry("unread", facts.unread, screen)
    elif facts.reason[1]:
        yield from _entry(facts.reason[0], facts.reason[1], screen)
    if facts.named and facts.named != (facts.key,):
        yield from _entry("now", ", ".join(facts.named), screen)
    elif not facts.fields and not facts.named:
        yield from _entry("unread", "the newest release has nothing in its place", screen)
    if facts.acts:
        yield from _entry("acts", f"not always: {facts.acts}", screen)


def _fields(facts: tuple[FieldFacts, ...], own: int, screen: Screen) -> Iterator[str]:
    """The key's own plan fields with what others have for them; of those that it shares, the names."""
    most = min(own or len(facts), _MOST_FIELDS)
    for field in facts[:most]:
        unit = f" [{field.unit}]" if field.unit else ""
        yield from _entry("plan", f"{field.field}{unit}, {field.role}: {field.section}", screen)
        yield from _other_keys((field,), screen)
    if len(facts) > most:
        names = ", ".join(field.field for field in facts[most:])
        yield from _entry("plan also", f"{names} (plan.FIELD explains each)", screen)


def _other_keys(facts: Iterable[FieldFacts], screen: Screen) -> Iterator[str]:
    for field in facts:
        for held_by in field.held:
            yield from _support_text(held_by, screen)


def _support_text(held_by: FieldSupport, screen: Screen) -> Iterator[str]:
    title = registry.framework(held_by.framework).title
    keys = enumerate_words(held_by.keys, _MOST_KEYS)
    formula = f"; the field is {held_by.formula}" if held_by.formula and held_by.formula not in held_by.keys else ""
    when = f"; not always: {held_by.when}" if held_by.when else ""
    words = "; " + ", ".join(f"{native} is {plan}" for native, plan in held_by.words) if held_by.words else ""
    text = f"{keys}{formula}{words}{when}" if keys else held_by.how
    yield from _entry("", f"{title} [{_STATES[held_by.state]}] {text}", screen)


def _warnings(hazards: tuple[Hazard, ...], rules: tuple[tuple[str, str], ...], screen: Screen) -> Iterator[str]:
    for hazard in hazards:
        yield from _entry(hazard.name, hazard.says, screen)
    for code, title in rules:
        yield from _entry(code, title, screen)


def _of_field(path: str, screen: Screen) -> Iterator[str]:
    facts = field_facts(path)
    yield f"{screen.style(f'plan.{facts.field}', 'bold')}: a field of the plan"
    yield from _entry("section", facts.section, screen)
    kind = facts.type + (f"{' or ' if facts.type else ''}{', '.join(facts.choices)}" if facts.choices else "")
    yield from _entry("type", kind, screen)
    if facts.unit:
        yield from _entry("counts", facts.unit, screen)
    yield from _entry("role", facts.role, screen)
    yield from _other_keys((facts,), screen)
    yield from _warnings(hazards_of(path), rules_of(path), screen)
