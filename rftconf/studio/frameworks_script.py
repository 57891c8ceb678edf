"""The page's list of frameworks as a script, written from the registry: no file of the page names one."""

from __future__ import annotations

import json

from rftconf.schemas.framework import Framework
from rftconf.schemas.registry import FRAMEWORKS

NAME = "frameworks.js"
_CALLED = {"sh": "script", "yaml": "YAML"}
"""The forms that the page calls otherwise than the command line does."""


def frameworks_script() -> str:
    """Return a module with each framework's name and title, the forms that it can be written in, and those with two forms of a rollout period"""
    titles = [[known.name, known.title] for known in FRAMEWORKS.values()]
    styles = {known.name: _styles(known) for known in FRAMEWORKS.values() if len(known.forms) > 1}
    two_forms = [known.name for known in FRAMEWORKS.values() if known.two_forms]
    constants = {"FRAMEWORKS": titles, "STYLES": styles, "TWO_FORMS": two_forms}
    return "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in constants.items())


def _styles(known: Framework) -> list[list[str]]:
    """List the forms, the usual one first and without a word, because it needs none."""
    forms = [known.usual_form, *(form for form in known.forms if form != known.usual_form)]
    return [["" if form == known.usual_form else form, _CALLED.get(form, form)] for form in forms]
