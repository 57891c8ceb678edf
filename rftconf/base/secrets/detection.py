"""Secrets in a text and in values of keys are recognised by name, by form, and by randomness under a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from rftconf.base.secrets.forms import FORMS
from rftconf.base.secrets.named_values import named_values
from rftconf.base.secrets.names import Kind, kind_of, may_hold
from rftconf.base.secrets.randomness import is_random_part, looks_random
from rftconf.base.secrets.values_below import values_below
from rftconf.base.symbols import Expr, formula

_STEMS = ("key", "kye", "tok", "secret", "pass", "pwd", "pw", "cred", "auth", "bearer", "jwt", "pat", "sig", "salt",
          "cookie", "sas", "otp", "webhook", "session", "nonce", "pin")  # fmt: skip
"""Every name that may be a credential's, rightly spelt, contains one of these; other misspelt names are seen as keys."""
_STEM = re.compile("|".join(_STEMS))
_STEM_IN_ANY_CASE = re.compile("|".join(_STEMS), re.IGNORECASE)
_NAME_BACKWARDS = re.compile(r"[\w.\-\]\[]{0,128}")
_VALUE = (
    r"""(?P<value>\\"(?:[^"\\\n]|\\[^"]){1,4096}\\?"|"(?:[^"\\\n]|\\.){1,4096}"|\$?'[^'\n]{1,4096}'|[^\s"'\\]{1,4096}"""
    r"""|"[^"\n]{1,4096}|'[^"'\n]{1,4096})"""
)
_SET = re.compile(
    r"""[\w.\-]{0,128}(?:\\?["'])?\]?[ \t]*(?:=>|:=|:-|\+=|[=:,＝：]|(?<=[\w])[ \t]|\n[ \t]*-[ \t])[ \t]*(?:\\\n[ \t]*)?"""
    r"""(?:[&!][\w!.-]*[ \t]+){0,3}(?:""(?=")|\'\'(?=\'))?""" + _VALUE
)
"""This is what follows a stem: the rest of the name, `=`, `:`, a comma or (behind an option) a space, and a value, quoted or
not; a quote that is never closed ends with its line. YAML's anchor or tag may stand before it."""
_BEFORE_COMMA = re.compile(r"""env:\Z|(?:get|getenv|setdefault)\(\s{0,20}\\?["']\Z""")
"""A value stands behind a comma in `${oc.env:NAME,value}` and in `setdefault("NAME", "value")`."""
_NAME_END = re.compile(r"[\w.\-]*")
_ITEM = re.compile(
    r"""(?<![\w"'.])(?:'(?P<single>[^'\n]{1,4096})'|"(?P<double>[^"$\n]{1,4096})"|(?P<plain>[\w!@#%^&*.+/=-]{1,4096}))(?=[\s,)\]])"""
)
_SHORTEST_ITEM = 6
_LONGEST_NAME, _LONGEST_LIST = 256, 8192
_REST = re.compile(r"""(?:'[^'\n]{0,4096}'|"[^"\n]{0,4096}"|\w){1,4096}""")
"""A shell joins this to the quoted text that it follows without a space."""
_OPTION = re.compile(r"(?:^|[\s\"'])--?[\w-]+\Z")
_CLOSING = ",;:)]}"
_REFERENCE = re.compile(
    r"\$\{.*\}|\$\w+|\$\(.*\)|`.*`|%(?![0-9A-Fa-f]{2})\w+%|%[A-Z_]{4,}%|\{\{.*\}\}|<[^<>]*>", re.DOTALL
)
_STAND_IN = re.compile(
    r"(?i)empty|null|none|true|false|yes|no|on|off|\?{3}|\*+|\.{3,}|-+|_+|(?P<same>.)(?P=same){2,}|test|todo|fixme|tbd|changeme|change[_-]?me|dummy"
    r"|…+|placeholder|to[_-]be[_-]\w+|your?[_-].*|.*[_-]here|[*&]\w+|-?\d{1,5}(?:\.\d+)?|(?:basic|digest|bearer|oauth2?|kerberos|ldap|token|password|passwd|secret|key"
    r"|api[_-]?key|auth|default|auto|env|file|anonymous|disabled|enabled)"
)
_WORD = re.compile(r"[\w-]{20,}")
_LONG_PART = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{20,512}(?![A-Za-z0-9])")
_ANY_MARK = re.compile("|".join(re.escape(mark) for form in FORMS for mark in form.marks))
_LONG_TEXT = 2_000
"""Texts of this many characters and more are searched for each mark by itself, which is faster for long ones."""
_MOST_ASSIGNED = 2_000
_SHORTEST_FORM = 12
"""Characters of the shortest text that a provider's form matches."""


def is_secret(key: str, value: Any) -> bool:
    """Tell whether `key` names a credential that is set, or something in `value` has the form of one."""
    if isinstance(value, str):
        return (_says_short if len(value) < _LONG_TEXT else _long_says)(key, value)
    if isinstance(value, bool) or value is None:
        return bool(key_that_is_secret(key))
    if isinstance(value, int):
        return kind_of(key) is Kind.CREDENTIAL and _is_set(Kind.CREDENTIAL, str(value))
    if isinstance(value, Expr):
        return bool(secret_spans(formula(value)))
    if isinstance(value, dict):
        return any(is_secret(f"{key}.{name}", item) for name, item in value.items())
    return isinstance(value, list) and any(is_secret(key, item) for item in value)


def key_that_is_secret(key: str) -> str:
    """Return the last part of `key` where it is the credential that the part before it names: `password: {hunter2x: null}`."""
    name, _, last = key.rpartition(".")
    return last if name and _is_key_of(name, last) else ""


def is_named(key: str, value: str) -> bool:
    """Tell whether `key` names a credential and `value` sets it, whatever form that has."""
    return _is_set(kind_of(key), value)


def _says(key: str, value: str) -> bool:
    return _is_set(kind_of(key), value) or next(_forms(value), None) is not None or _assigned_in(value)


_says_short = lru_cache(maxsize=4_000)(_says)
"""The same key and text are asked for where they are read, withheld and written."""


def _long_says(key: str, value: str) -> bool:
    """Tell whether a long text holds a secret; it is searched once, and every key and rule gets that answer."""
    return _is_set(kind_of(key), value) or bool(_spans_of_long_text(value))


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of every secret in `text`, in order and without overlaps."""
    return list(_spans_of_long_text(text)) if len(text) >= _LONG_TEXT else _spans(text)


@lru_cache(maxsize=4)
def _spans_of_long_text(text: str) -> tuple[tuple[int, int], ...]:
    """A file is looked through by its reader, by the cache of findings and by the gate of outputs."""
    return tuple(_spans(text))


def _spans(text: str) -> list[tuple[int, int]]:
    ranges = sorted({*_forms(text), *((start, end) for start, end, _ in assignments(text))})
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def assignments(text: str) -> Iterable[tuple[int, int, str]]:
    """Give start and end of values that a text gives to names of credentials, with the name."""
    return _assigned_in_long_text(text) if len(text) >= _LONG_TEXT else _assigned_values(text)


@lru_cache(maxsize=4)
def _assigned_in_long_text(text: str) -> tuple[tuple[int, int, str], ...]:
    """A rule asks for the names of what was searched for already. What follows a great many values is one secret to its end:
    nobody writes so many, and each costs time."""
    assigned = tuple(islice(_assigned_values(text), _MOST_ASSIGNED))
    if len(assigned) < _MOST_ASSIGNED:
        return assigned
    start, _, name = assigned[-1]
    return (*assigned[:-1], (start, len(text), name))


def _assigned_values(text: str) -> Iterator[tuple[int, int, str]]:
    behind, folded = 0, text.casefold()
    # a pattern that minds the case is several times faster; few letters fold to more than one
    stems = _STEM.finditer(folded) if len(folded) == len(text) else _STEM_IN_ANY_CASE.finditer(text)
    for stem in stems:
        if stem.start() < behind:
            continue
        # a match of the text turned round costs one step for each character of the name
        before = text[max(0, stem.start() - 128) : stem.start()][::-1]
        start = stem.start() - _NAME_BACKWARDS.match(before).end()  # type: ignore[union-attr]
        if below := list(_below(text, start, stem.end())):
            yield from below
            behind = below[0][0]
            continue
        match = _SET.match(text, stem.end())
        if match is None:
            continue
        sign = text[stem.end() : match.start("value")]
        end = stem.end() + len(re.match(r"[\w.\-]*", sign)[0])  # type: ignore[index]
        name = text[start:end]
        sign = sign[end - stem.end() :]
        if not _assigns(text, start, end, sign):
            continue
        first, last = _bare(text, *match.span("value"), before=text[max(0, start - 2) : start])
        behind = end
        if text[first : first + 1] in ("(", "["):
            yield from _items(text, first, name)
            continue
        if text.startswith("-", first) and not any(c in "=:＝：" for c in sign):
            continue  # the next option
        if _is_set(kind_of(name), text[first:last]):
            behind = last = _with_rest(text, last)
            yield first, last, name
    for first, last, name in named_values(text):
        if _is_set(kind_of(name), text[first:last]):
            yield first, last, name


def _below(text: str, start: int, stem_end: int) -> Iterator[tuple[int, int, str]]:
    """Yield the values on the lines below a name, where they make it a credential's."""
    line_end = text.find("\n", stem_end, stem_end + _LONGEST_NAME)
    if line_end < 0 or ":" not in text[stem_end:line_end]:
        return
    end = _NAME_END.match(text, stem_end).end()  # type: ignore[union-attr]
    name = text[start:end]
    for first, last, entry in values_below(text, start, end):
        value = text[first:last]
        if _is_key_of(name, value) if entry == "?" else _is_set(kind_of(f"{name}.{entry}"), value):
            yield first, last, name


def _items(text: str, first: int, name: str) -> Iterator[tuple[int, int, str]]:
    """Yield the items of a list in brackets that are credentials."""
    closing = text.find(")" if text[first] == "(" else "]", first, first + _LONGEST_LIST)
    for item in (
        _ITEM.finditer(text, first + 1, closing + 1) if closing > 0 and kind_of(name) is Kind.CREDENTIAL else ()
    ):
        start, end = next(item.span(group) for group in ("single", "double", "plain") if item[group])
        if end - start >= _SHORTEST_ITEM and _is_set(Kind.CREDENTIAL, text[start:end]):
            yield start, end, name


def _is_key_of(name: str, key: str) -> bool:
    """Tell whether `key`, which stands below `name` without a value, can only be the credential itself."""
    return may_hold(name) and len(key) >= _SHORTEST_ITEM and kind_of(key) is Kind.NONE and _is_set(Kind.CREDENTIAL, key)


def _assigns(text: str, start: int, end: int, sign: str) -> bool:
    """True where `sign` behind the name from `start` to `end` gives it what follows: a space or the next item of a list does so
    behind an option only."""
    option = text[start] == "-" and _OPTION.search(text, max(0, start - 1), end) is not None
    if "," in sign:
        return (option and sign[0] in "\\\"'") or _BEFORE_COMMA.search(text, max(0, start - 40), start) is not None
    if sign.lstrip("\"'] \t").startswith("\n"):
        return option and text[max(0, start - 2) : start] == "- "
    return option or bool(sign.strip("\\\"']\t \n"))


def _with_rest(text: str, last: int) -> int:
    """The end of a value with what stands behind its closing quote without a space, as in `'a''b'`."""
    quote = text[last : last + 1]
    if (
        quote not in ("'", '"')
        or text[last - 1] == "\\"
        or not (text[last + 1 : last + 2] == quote or _is_word(text, last + 1))
    ):
        return last
    rest = _REST.match(text, last + 1)
    return last if rest is None else rest.end()


def _is_word(text: str, position: int) -> bool:
    return text[position : position + 1].isalnum()


def _is_set(kind: Kind, value: str) -> bool:
    if kind is Kind.NONE or not value or _REFERENCE.fullmatch(value) or _STAND_IN.fullmatch(value):
        return False
    if value[0] in "${[(<" or "<|" in value or not any(c.isalnum() for c in value):
        return False
    return looks_random(value) or (kind is Kind.CREDENTIAL and "${" not in value)


def _assigned_in(value: str) -> bool:
    return any(c in value for c in "=: ,＝：") and next(iter(assignments(value)), None) is not None


def _forms(text: str) -> Iterator[tuple[int, int]]:
    if len(text) < _SHORTEST_FORM:
        return
    yield from _random_tokens(text)
    low = text.lower()
    if len(text) < _LONG_TEXT and not _ANY_MARK.search(low):
        return
    letters = frozenset(low)
    for form in FORMS:
        # a mark with a letter that the text lacks is not in it, which is known without looking through the text
        if not any(letters.issuperset(mark) and mark in low for mark in form.marks):
            continue
        for match in form.pattern.finditer(text):
            start, end = match.span("value") if "value" in form.pattern.groupindex else match.span()
            if not (
                _REFERENCE.search(text, start, end)
                or text[start:end].startswith("$")
                or _STAND_IN.fullmatch(text[start:end])
            ):
                yield start, end


def _random_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Yield words that hold a long part of both cases and digits which nobody would type: most providers' tokens, whatever
    stands before that part."""
    for word in _WORD.finditer(text):
        if any(is_random_part(part[0]) for part in _LONG_PART.finditer(text, *word.span())):
            yield word.span()


def _bare(text: str, start: int, end: int, *, before: str) -> tuple[int, int]:
    """The value without its quotes, and without what closes a list or begins the next argument of a URL.

    In `${NAME:-value}` the value is a default; behind `:?` and `:+` stands none.
    """
    if before == "${" and end > start and text[start] in "?+":
        return start, start
    if text[start] == "#":  # a comment behind nothing
        return start, start
    if text[start : start + 2] == "$'":
        start += 1
    while start < end and text[start] in "\\\"'":
        start += 1
    while end > start and text[end - 1] in "\\\"'":
        end -= 1
    if before.endswith(("?", "&")):
        end = min(
            position for position in (text.find("&", start, end), text.find("#", start, end), end) if position >= 0
        )
    while end > start and text[end - 1] in _CLOSING:
        end -= 1
    return start, end
