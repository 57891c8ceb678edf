"""Codes and hazards have pages, and whatever a subject of `explain` names has JSON data."""

from __future__ import annotations

from typing import Any

from rftconf.explain import find
from rftconf.explain.hazards import Hazard, by_number
from rftconf.lint.codes import about
from rftconf.schemas import registry
from rftconf.verbs.key_json import brief_json, match_json
from rftconf.verbs.read_arguments import framework_name


def code_json(subject: str) -> dict[str, str] | None:
    """Return the page of a diagnostic's code as JSON data; None for anything else."""
    code = subject.upper()
    entry = about(code)
    if entry is None:
        return None
    return {"code": code, "title": entry.title, "why": entry.why, "advice": entry.advice, "example": entry.example}


def hazard_named(subject: str) -> Hazard | None:
    """Return the hazard that a subject such as `H28` names; None for anything else."""
    code = subject.upper()
    if not (code.startswith("H") and code[1:].isascii() and code[1:].isdecimal() and len(code) < 5):
        return None
    return by_number().get(int(code[1:]))


def hazard_text(subject: str) -> str | None:
    """Return the page of a hazard; None for anything else."""
    hazard = hazard_named(subject)
    if hazard is None:
        return None
    concerns = "".join(f"  {name}\n" for name in hazard.concerns)
    return f"{hazard.name}: {hazard.says}\n" + (f"\nConcerns\n{concerns}" if concerns else "")


def matches_of(subject: str, framework: str | None, release: str | None) -> list[find.Match]:
    """Return the keys and plan fields that a subject names. Raises UsageError where it names none."""
    known = registry.framework(framework_name(framework)) if framework else None
    matches = find.matches(subject, known, release) or find.below(subject, known)
    if not matches:
        raise find.unknown(subject, known, release)
    return matches


def is_one_name(matches: list[find.Match]) -> bool:
    """True where all matches are one name of one framework, and of programs that belong to it."""
    return len({(match.framework.family if match.framework else "", match.name) for match in matches}) == 1


def matches_json(matches: list[find.Match], release: str | None) -> dict[str, Any] | list[dict[str, Any]]:
    """Return an object for one match, a list of names for several."""
    if not is_one_name(matches):
        return [brief_json(match) for match in matches]
    return match_json(matches[0], release) | {"also": [brief_json(match) for match in matches[1:]]}
