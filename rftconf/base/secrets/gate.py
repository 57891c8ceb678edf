"""The one gate through which every text leaves this process: secrets that were read, or that look so, become `*`.

The secrets of every config that is read are remembered for as long as the process lives, and looked for in everything
that is shown or written. Only masking asks this memory: what becomes of a config depends on that config alone.
"""

from __future__ import annotations

import re
from collections import OrderedDict

from rftconf.base.secrets.config_secrets import Secrets
from rftconf.base.secrets.detection import secret_spans

_CLOSING = re.compile(r'(?<!\\)"\s*[,:\]}]')
"""The end of a text in JSON."""
_MOST = 10_000
"""Values that are remembered, the last ones that were read: more than any config has."""
_values: OrderedDict[str, bool] = OrderedDict()
"""One whose first entry is taken out at once, however many there were."""


def remember(secrets: Secrets) -> None:
    """Mask these in all that this process shows or writes from now on."""
    for value, stands_alone in secrets.values.items():
        _values.pop(value, None)
        _values[value] = stands_alone
    while len(_values) > _MOST:
        _values.popitem(last=False)


def forget() -> None:
    """Forget every value, as a process that begins anew would."""
    _values.clear()


def masked(text: str) -> str:
    """Return `text` with as many characters, each character of a secret as `*`."""
    spans = [*secret_spans(text), *Secrets(_values).spans(text)]
    if not spans:
        return text
    if text.lstrip()[:1] in ("{", "["):
        spans = [(start, _end_in_json(text, start, end)) for start, end in spans]
    parts, behind = [], 0
    for start, end in sorted(spans):
        if end <= behind:
            continue
        start = max(start, behind)
        parts += [text[behind:start], "\n".join("*" * len(line) for line in text[start:end].split("\n"))]
        behind = end
    return "".join([*parts, text[behind:]])


def _end_in_json(text: str, start: int, end: int) -> int:
    """Return where a secret ends: no later than the JSON text that it begins in, so that the JSON can still be read."""
    closing = _CLOSING.search(text, start, end)
    return closing.start() if closing else end
