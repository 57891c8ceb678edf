"""Values that a text gives to names of credentials: by a sign, behind an option, in a list, on the lines below."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from rftconf.base.secrets.named_values import named_values
from rftconf.base.secrets.names import Kind, kind_of, may_hold
from rftconf.base.secrets.stand_ins import is_set
from rftconf.base.secrets.values_below import values_below

_STEMS = ("key", "kye", "tok", "secret", "pass", "pwd", "pw", "cred", "auth", "bearer", "jwt", "pat", "sig", "salt",
          "cookie", "sas", "otp", "webhook", "session", "nonce", "pin")  # fmt: skip
"""Every name that may be a credential's, rightly spelt, contains one of these; other misspelt names are seen as keys."""
_STEM = re.compile("|".join(_STEMS))
_STEM_IN_ANY_CASE = re.compile("|".join(_STEMS), re.IGNORECASE)
_NAME_BACKWARDS = re.compile(r"[\w.\-\]\[]{0,128}")
_VALUE = (
    r"""(?P<value>\\"(?:[^"\\\n]|\\[^"]){1,4096}(?:\\?")?|"(?:[^"\\\n]|\\.){1,4096}"|\$?'[^'\n]{1,4096}'|[^\s"'\\]{1,4096}"""
    r"""|"[^"\n]{1,4096}|\$?'[^"'\n]{1,4096})"""
)
_SET = re.compile(
    r"""[\w.\-]{0,128}(?:\\?["'])?\]?[ \t]*(?:=>|:=|:-|\+=|[=:,＝：]|(?<=[\w])[ \t]|\n[ \t]*-[ \t])[ \t]*(?:\\\n[ \t]*)?"""
    r"""(?:[&!][\w!.-]*[ \t]+){0,3}(?:""(?=")|\'\'(?=\'))?""" + _VALUE
)
"""This is what follows a stem: the rest of the name, `=`, `:`, a comma or (behind an option) a space, and a value, quoted or
not; a quote that is never closed ends with its line. YAML's anchor or tag may stand before it."""
_BEFORE_COMMA = re.compile(r"""env:\Z|(?:get|getenv|setdefault)\(\s{0,20}\\?["']\Z""")
"""A value stands behind a comma in `${oc.env:NAME,value}` and in `setdefault("NAME", "value")`."""
_LONGEST_VALUE = 4096
"""Characters of a value that are looked at for each name; only of one that is a secret the rest is looked for."""
_UNTIL = {'"': re.compile(r"""(?:[^"\\\n]|\\.)*"""), "'": re.compile(r"[^'\n]*"), "": re.compile(r"""[^\s"'\\]*""")}
_NAME_END = re.compile(r"[\w.\-]*")
_ITEM = re.compile(
    r"""(?<![\w"'.])(?:'(?P<single>[^'\n]+)'|"(?P<double>[^"$\n]+)"|(?<![!@#%^&*+/=-])(?P<plain>[\w!@#%^&*.+/=-]+))"""
    r"(?=[\s,)\]])"
)
"""An item of a list. A plain one begins where no sign of a plain one stands before it, so that a long one is looked through once."""
_SHORTEST_ITEM = 6
_LONGEST_NAME, _LONGEST_LIST = 256, 100_000
_REST = re.compile(r"""(?:'[^'\n]*'|"[^"\n]*"|\w){1,4096}""")
"""A shell joins this to the quoted text that it follows without a space."""
_OPTION = re.compile(r"(?:^|[\s\"'])--?[\w-]+\Z")
_CLOSING = ",;:)]}"
LONG_TEXT = 2_000
"""Texts of this many characters and more are searched for each mark by itself, which is faster for long ones."""
_MOST_ASSIGNED = 2_000


def assignments(text: str) -> Iterable[tuple[int, int, str]]:
    """Give start and end of values that a text gives to names of credentials, with the name."""
    return _assigned_in_long_text(text) if len(text) >= LONG_TEXT else _assigned_values(text)


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
    behind, listed, folded = 0, 0, text.casefold()
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
            if first >= listed and kind_of(name) is Kind.CREDENTIAL:  # a list in a list was looked through with it
                listed = _closing(text, first)
                yield from _items(text, first, listed, name)
            continue
        if text.startswith("-", first) and not any(c in "=:＝：" for c in sign):
            continue  # the next option
        if is_set(kind_of(name), text[first:last]):
            behind = last = _with_rest(text, _to_its_end(text, match, last))
            yield first, last, name
    for first, last, name in named_values(text):
        if is_set(kind_of(name), text[first:last]):
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
        if is_key_of(name, value) if entry == "?" else is_set(kind_of(f"{name}.{entry}"), value):
            yield first, last, name


def _closing(text: str, first: int) -> int:
    """Return where the list ends that the bracket at `first` begins; `first` itself where it does not."""
    return max(first, text.find(")" if text[first] == "(" else "]", first, first + _LONGEST_LIST))


def _items(text: str, first: int, closing: int, name: str) -> Iterator[tuple[int, int, str]]:
    """Yield the items of a list in brackets that are credentials."""
    for item in _ITEM.finditer(text, first + 1, closing + 1):
        start, end = next(item.span(group) for group in ("single", "double", "plain") if item[group])
        if end - start >= _SHORTEST_ITEM and is_set(Kind.CREDENTIAL, text[start:end]):
            yield start, end, name


def is_key_of(name: str, key: str) -> bool:
    """Tell whether `key`, which stands below `name` without a value, can only be the credential itself."""
    return may_hold(name) and len(key) >= _SHORTEST_ITEM and kind_of(key) is Kind.NONE and is_set(Kind.CREDENTIAL, key)


def _assigns(text: str, start: int, end: int, sign: str) -> bool:
    """True where `sign` behind the name from `start` to `end` gives it what follows: a space or the next item of a list does so
    behind an option only, and a colon behind `$NAME`, which is a variable's value, never does."""
    if text[max(0, start - 1) : start] == "$" and sign.strip() == ":":
        return False
    option = text[start] == "-" and _OPTION.search(text, max(0, start - 1), end) is not None
    if "," in sign:
        return (option and sign[0] in "\\\"'") or _BEFORE_COMMA.search(text, max(0, start - 40), start) is not None
    if sign.lstrip("\"'] \t").startswith("\n"):
        return option and text[max(0, start - 2) : start] == "- "
    return option or bool(sign.strip("\\\"']\t \n"))


def _to_its_end(text: str, match: re.Match[str], last: int) -> int:
    """Return where a value ends that may be longer than the first look at it: at its quote, or at a blank."""
    start, end = match.span("value")
    if end - start < _LONGEST_VALUE:
        return last
    quote = text[start : start + 2].lstrip("$\\")[:1]
    return _UNTIL.get(quote, _UNTIL[""]).match(text, last).end()  # type: ignore[union-attr]


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
