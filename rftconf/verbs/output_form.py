"""The form in which a config is written, where the name of its file says one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.base.errors import UsageError
from rftconf.text.suffixes import OF_NO_CONFIG, SHELL, TEXT, YAML, suffix_of

if TYPE_CHECKING:
    from rftconf.schemas.framework import Framework

SUFFIXES = {"sh": ".sh", "yaml": ".yaml", "overrides": TEXT}
"""The suffix under which a form is written."""
WORDS = {"sh": "a script", "yaml": "YAML", "overrides": "override lines"}


def form_of_output(output: Path | None, style: str | None, target: Framework) -> str | None:
    """Return the form that is asked for, by name (`style`) or by the suffix of the output; None where nothing asks.

    Any content may stand under `.txt` and under suffixes that nobody knows. Raises UsageError for a suffix of a form that
    is not asked for or that the target does not have.
    """
    suffix = "" if output is None or output.is_dir() else suffix_of(output.name)
    if suffix in OF_NO_CONFIG:
        raise UsageError(f"-o {output}: {_written_as(target)}, and not {suffix} ({_names(output, target.forms)})")
    form = "sh" if suffix in SHELL else "yaml" if suffix in YAML else None
    if form is not None and form not in target.forms:
        raise UsageError(f"-o {output}: {_written_as(target)}, and not {WORDS[form]} ({_names(output, target.forms)})")
    if form is not None and style not in (None, form):
        raise UsageError(f"-o {output}: this is the name of {WORDS[form]}, and --as {style} writes {WORDS[str(style)]}")
    if style is None and suffix == TEXT and "overrides" in target.forms:
        return "overrides"
    return style or form


def refuse_unusual_form(output: Path | None, target: Framework) -> None:
    """Raise UsageError for an output whose suffix says another form than the one a new config has."""
    form = form_of_output(output, None, target)
    if form not in (None, target.usual_form):
        usual = (target.usual_form,)
        raise UsageError(f"-o {output}: a new {target.title} config is {WORDS[usual[0]]} ({_names(output, usual)})")


def _written_as(target: Framework) -> str:
    return f"a {target.title} config is written as {' or '.join(WORDS[form] for form in target.forms)}"


def _names(output: Path | None, forms: tuple[str, ...]) -> str:
    assert output is not None
    return f"name it {' or '.join(output.with_suffix(SUFFIXES[form]).name for form in forms)}"
