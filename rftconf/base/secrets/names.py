"""Names of credentials are recognised by their words, so that `hf_token`, `hfToken` and `HF-TOKEN` are one name."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from itertools import pairwise


class Kind(Enum):
    """A name is a credential's surely, perhaps, or not at all."""

    NONE = 0
    PERHAPS = 1
    """`key`, `token`, `auth_type`: a credential where the value looks like one."""
    CREDENTIAL = 2
    """`password`, `api_key`: whatever the value is."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SURELY = _words(
    "secret secrets password passwords passwort passwd passphrase passcode pwd pw credential credentials creds bearer authorization"
    " apikey apikeys accesskey secretkey privatekey authtoken accesstoken apitoken apisecret"
)
"""Words that make a name a credential's wherever they stand in it."""
_RUN_TOGETHER = (
    "password",
    "passwd",
    "secret",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "encryptionkey",
    "signingkey",
    "authkey",
)
"""Ends of words that are two: `PGPASSWORD`."""
SURELY_LAST = _words("pass auth")
"""Words that do so at the end: `DB_PASS`, not `pass_order`."""
BEFORE_KEY = _words("api access private secret encryption signing ssh account auth license master service")
"""Words that make a credential's name of a `key` that follows."""
BEFORE_TOKEN = _words(
    "auth access api hf hub huggingface face github gitlab wandb refresh session bot personal bearer id security user"
    " service swanlab secret modelscope registry pypi npm slack"
)
"""Words that make a credential's name of a `token` that follows."""
PERHAPS = _words(
    "key keys token tokens jwt pat sig sign signature salt cookie cookies sas otp pin webhook hook session nonce pass auth"
)
"""Words that name a credential where the value looks drawn by chance."""
ABOUT = _words(
    "env var variable name names file files path dir folder id ids type kind field column len length size count num max min"
    " url uri host endpoint mode method manager scheme provider class cls fn func function ratio rate rates level levels"
    " enabled enable required timeout ttl only at k n"
)
"""Last words of names that are about a credential: `secret_name`, `token_path`, `pass_at_k`."""
ABOUT_ENTRY = ABOUT | _words(
    "user username users account owner email version description comment note region service role roles scope scopes"
)
"""Last words of entries below a credential's name that are about it: `secret.version`."""
_ABOUT_ONE = _words("auth credential credentials creds authorization bearer login")
"""Last words of names that have several things below them: a user, a scheme, a password."""
_GENERIC = _words("value values data b64 base64 content text string raw default plain")
"""Last segments that say nothing; the one before them names the value."""
_SPECIAL_TOKEN = _words("eos bos pad unk sep cls mask stop start end special image video think tool begin")
"""Words before `token` that name one of a tokenizer's."""
_OF_THE_SHELL = frozenset({"PWD", "OLDPWD"})
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_PLAIN_COUNT = re.compile(r"(?i)(?:^|[._-])(?:max|min|num|prompt|response|total|batched)[._-](?:\w+_)?tokens$")
_LONGEST = 120


def kind_of(name: str) -> Kind:
    """Classify `name` (a config key with its dots, a shell variable, an option, a header) as a credential's or not."""
    segments = [part for part in re.split(r"[.\[\]/:]+", name[-_LONGEST:]) if part and not part.isdigit()]
    if not segments or segments[-1] in _OF_THE_SHELL or _PLAIN_COUNT.search(name):
        return Kind.NONE
    words = words_of(segments[-1])
    while len(segments) > 1 and words and set(words) <= _GENERIC:
        segments.pop()
        words = words_of(segments[-1])
    kind = _kind(tuple(words))
    if kind is not Kind.CREDENTIAL and len(segments) > 1 and not ABOUT_ENTRY.intersection(words[-1:]):
        holds = any(_holds_one(tuple(words_of(segment))) for segment in segments[:-1])
        kind = Kind.CREDENTIAL if holds else kind
    return kind


def may_hold(name: str) -> bool:
    """True for a name that is a credential's and not that of several things about one, as `auth` or `credentials` is."""
    segments = [part for part in re.split(r"[.\[\]/:]+", name[-_LONGEST:]) if part and not part.isdigit()]
    return bool(segments) and _holds_one(tuple(words_of(segments[-1])))


@lru_cache(maxsize=10_000)
def _holds_one(words: tuple[str, ...]) -> bool:
    return bool(words) and words[-1] not in _ABOUT_ONE and _kind(words) is Kind.CREDENTIAL


def is_credential(name: str) -> bool:
    """True for a credential's name, whatever its value is."""
    return kind_of(name) is Kind.CREDENTIAL


def words_of(segment: str) -> list[str]:
    """The words of one segment of a name, in lower case."""
    return [word.lower() for word in _WORD.findall(segment) if not word.isdigit()]


@lru_cache(maxsize=10_000)
def _kind(words: tuple[str, ...]) -> Kind:
    if not words:
        return Kind.NONE
    pairs = list(pairwise(words))
    if any(second.startswith("token") and first in _SPECIAL_TOKEN for first, second in pairs):
        return Kind.NONE
    sure = any(word in SURELY or word.endswith(_RUN_TOGETHER) for word in words) or words[-1] in SURELY_LAST
    sure |= any(first in BEFORE_KEY and second in ("key", "keys") for first, second in pairs)
    sure |= any(first in BEFORE_TOKEN and second in ("token", "tokens") for first, second in pairs)
    if sure:
        return Kind.PERHAPS if words[-1] in ABOUT else Kind.CREDENTIAL
    return Kind.PERHAPS if any(word in PERHAPS or _misspelt(word) for word in words) else Kind.NONE


def _misspelt(word: str) -> bool:
    """Tell whether `word` is one of the long words with two letters exchanged, or one letter too few or too many."""
    if not 3 <= len(word) <= 14:
        return False
    return any(_differs_by_one_letter(word, right) for right in _LONG if abs(len(word) - len(right)) <= 1)


_LONG = frozenset(word for word in SURELY | PERHAPS if len(word) >= 5) | {"key"}
_OTHERS = _words("kay kea hey ken keen take taken tokenize tokenizer cooking seating sending session")
"""Words of their own that look like misspelt ones."""


def _differs_by_one_letter(word: str, right: str) -> bool:
    if word in _OTHERS or word == right:
        return False
    if len(word) == len(right):  # two neighbours exchanged
        wrong = [index for index in range(len(word)) if word[index] != right[index]]
        return (
            len(wrong) == 2
            and wrong[1] == wrong[0] + 1
            and word[wrong[0]] == right[wrong[1]]
            and word[wrong[1]] == right[wrong[0]]
        )
    if len(right) < 5:
        return False
    longer, shorter = (word, right) if len(word) > len(right) else (right, word)
    return any(longer[:index] + longer[index + 1 :] == shorter for index in range(len(longer)))
