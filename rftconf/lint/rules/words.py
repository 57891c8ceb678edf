"""KEY, second part: words of closed lists that only the framework's code knows."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, Family, Findings, Put, finding, trinity
from rftconf.lint.subject import Subject
from rftconf.mappers.paths import without_indices
from rftconf.schemas.closed_words import ENGINE, takes_word, words_of

FAMILY = Family("KEY")
rule = FAMILY.rule


@rule(
    15, ERROR, "a word that the framework does not know",
    bad=trinity("explorer.concurrent_mode=asynchronus"), good=trinity("explorer.concurrent_mode=asynchronous"),
    advice="take one of the words named",
    source="Trinity-RFT config_validator.py, models/__init__.py; veRL workers/config/actor.py; ROLL agentic_actor_pg_worker.py",
    fixable=True,
)  # fmt: skip
def _unknown_word(s: Subject) -> Findings:
    """The list of words is closed, but the loader takes any text: the framework's own check, or the code that looks the
    word up when the run has started, refuses all others."""
    for key, leaf in s.written_keys():
        known = () if key == ENGINE else words_of(s.framework, s.best.release, without_indices(key))
        got = leaf.value
        plain = isinstance(got, str) and "${" not in got and got != "???"
        if not known or not plain or takes_word(known, key, str(got)):
            continue
        from difflib import get_close_matches

        near = get_close_matches(str(got), known, n=1)
        yield finding(
            f"{s.title} has no {leaf.key} {got}: {', '.join(known)}", key, fix=Put(key, near[0]) if near else ()
        )
