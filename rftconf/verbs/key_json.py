"""The facts about a key or a plan field, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rftconf.explain.field import FieldFacts, field_facts, hazards_of, rules_of
from rftconf.explain.fields import FieldSupport, fields_at, fields_by_key
from rftconf.explain.find import Match
from rftconf.explain.hazards import Hazard
from rftconf.explain.key import KeyFacts, key_facts
from rftconf.explain.spans import Span
from rftconf.report.values import value_json


def brief_json(match: Match) -> dict[str, Any]:
    """One of several matches: whose it is, and the plan fields it stands for."""
    if match.framework is None:
        return {"plan_field": match.name.removeprefix("stage.")}
    plans = fields_at(fields_by_key(match.framework.name), match.name)
    return {"key": match.name, "framework": match.framework.name, "plan": list(plans)}


def match_json(match: Match, release: str | None = None) -> dict[str, Any]:
    """The whole page of one match as JSON data."""
    if match.framework is None:
        facts = field_facts(match.name)
        return {
            "plan_field": facts.field,
            **_field(facts),
            "hazards": _hazards(hazards_of(match.name)),
            "rules": _rules(rules_of(match.name)),
        }
    return _key(key_facts(match.framework.name, match.name, release))


def _key(facts: KeyFacts) -> dict[str, Any]:
    return {
        "key": facts.key,
        "framework": facts.framework.name,
        "trainer": facts.trainer,
        "meaning": facts.meaning,
        "unit": facts.unit,
        "releases": [_span(span) for span in facts.spans],
        "newest_names": list(facts.named),
        "history": facts.history,
        "takes": list(facts.takes),
        "words": dict(facts.words),
        "plus_only": facts.plus_only,
        "automatic": facts.automatic,
        "unread": facts.unread,
        "acts_unless": facts.acts,
        "state": facts.reason[0],
        "reason": facts.reason[1],
        "other_trainers": {trainer: value_json(default) for trainer, default in facts.trainers},
        "formulas": dict(facts.formulas),
        "plan": [
            {"field": field.field, "own": index < facts.own, **_field(field)}
            for index, field in enumerate(facts.fields)
        ],
        "kinds": {
            kind.kind: [{"field": field.field, **_field(field)} for field in kind.fields] for kind in facts.kinds
        },
        "hazards": _hazards(facts.hazards),
        "rules": _rules(facts.rules),
    }


def _span(span: Span) -> dict[str, Any]:
    return {
        "releases": list(span.releases),
        "name": span.name,
        "type": span.type,
        "default": value_json(span.default),
        "interpolation": span.interpolation,
        "choices": [value_json(choice) for choice in span.choices],
        "mandatory": span.mandatory,
        "no_effect": span.dead,
        "newest_names": list(span.became),
    }


def _field(field: FieldFacts) -> dict[str, Any]:
    return {
        "section": field.section,
        "type": field.type,
        "choices": list(field.choices),
        "unit": field.unit,
        "role": field.role,
        "frameworks": {support.framework: _support_json(support) for support in field.held},
    }


def _support_json(support: FieldSupport) -> dict[str, Any]:
    return {
        "state": support.state,
        "keys": list(support.keys),
        "how": support.how,
        "formula": support.formula,
        "acts_unless": support.when,
        "words": dict(support.words),
    }


def _hazards(hazards: Iterable[Hazard]) -> dict[str, str]:
    return {hazard.name: hazard.says for hazard in hazards}


def _rules(rules: Iterable[tuple[str, str]]) -> dict[str, str]:
    return dict(rules)
