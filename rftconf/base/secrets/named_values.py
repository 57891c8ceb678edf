"""Places that give a value to a name, where neither `=` nor `:` stands between the two, as data."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.base.secrets.form import Form

_NAME = r"(?P<name>[A-Za-z_][\w.\-]{1,80})"
_WORD = r"""(?:\$?'(?P<single>[^'\n]+)'|"(?P<double>[^"\n]+)"|(?P<value>[^\s"'\\$|;&<>()-][^\s"'\\|;&<>()]*))"""

_OF_KUBERNETES = (
    r"""(?<!\w)(?:name|key)\\?["']?\s{0,8}[:=]\s{0,8}\\?["']?(?P<name>[A-Za-z_][\w.\-]{1,80})\\?["']?[ \t]{0,8},?\s{0,40}"""
    r"""\\?["']?value\\?["']?\s{0,8}[:=]\s{0,8}"""
    r"""(?:\\"(?P<escaped>(?:[^"\\\n]+|\\[^"])+)|"(?P<double>(?:[^"\\\n]+|\\.)+)|'(?P<single>[^'\n]+)"""
    r"""|(?P<value>[^\s"'\\]+))"""
)
"""A variable of Kubernetes: `name: HF_TOKEN`, and `value: …` behind it."""
_FORMAT = r"""(?:'[^'\n]{0,200}%[^'\n]{0,200}'|"[^"\n]{0,200}%[^"\n]{0,200}"|%[^\s"']{1,20})"""

_PLACES = (
    Form("a place that names it", "value", _OF_KUBERNETES),
    Form(
        "a place that names it", "printf", rf"""\bprintf[ \t]+-v[ \t]*["']?{_NAME}["']?[ \t]+{_FORMAT}[ \t]+{_WORD}"""
    ),
    Form("a place that names it", "printf", rf"""\bprintf[ \t]+-v[ \t]*["']?{_NAME}["']?[ \t]+(?![^\s]*%){_WORD}"""),
    Form("a place that names it", "<<<", rf"""\bread\b[^\n|;&<]{{0,200}}[ \t]{_NAME}[ \t]*<<<[ \t]*{_WORD}"""),
    Form(
        "a place that names it",
        "setenv env arg",
        rf"""(?m:^|[;&|])[ \t]*(?:setenv|ENV|ARG)[ \t]+{_NAME}[ \t]+{_WORD}""",
    ),
    Form(
        "a place that names it",
        "config",
        rf"""\bconfig(?:ure)?[ \t]+(?:--?[\w-]{{1,40}}[ \t]+){{0,4}}(?:set[ \t]+)?(?:[\w./:@-]{{0,100}}[.:/])?{_NAME}[ \t]+{_WORD}""",
    ),
    Form(
        "a place that names it",
        "</",
        rf"""<(?:\w{{1,40}}:)?{_NAME}(?:\s[^<>]{{0,200}})?>(?P<value>[^<>]+)</""",
    ),
    Form(
        "a place that names it",
        "cdata",
        rf"""(?i:<{_NAME}(?:\s[^<>]{{0,200}})?>\s{{0,40}}<!\[CDATA\[(?P<value>[^<>\]]+)\])""",
    ),
    Form(
        "a place that names it",
        "<value>",
        rf"""<name>\s{{0,40}}{_NAME}\s{{0,40}}</name>\s{{0,200}}<value>(?P<value>[^<>]+)<""",
    ),
)


_CLOSING = " \t\n,;:)]}"
"""Marks that stand behind a value without quotes and are no part of it."""
_GROUPS = ("value", "single", "double", "escaped")


def named_values(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and name of each value that one of these places holds; whether the name is a credential's, is not asked."""
    low = text.lower()
    for place in _PLACES:
        if not any(mark in low for mark in place.marks):
            continue
        groups = [group for group in _GROUPS if group in place.pattern.groupindex]
        for match in place.pattern.finditer(text):
            group = next(group for group in groups if match[group])
            start, end = match.span(group)
            bare = match[group].rstrip(_CLOSING) if group == "value" else match[group]
            yield end - len(match[group].lstrip()), start + len(bare), match["name"]
