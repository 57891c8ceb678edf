"""A maintained detector (Yelp's detect-secrets) as a second judge: what it takes for a secret in a text, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

RANDOM = ("Base64HighEntropyString", "HexHighEntropyString")
"""Left out: digests and paths are random, too, and these ask for no name beside them."""
_FILTERS = "is_templated_secret", "is_not_alphanumeric_string", "is_indirect_reference", "is_sequential_string"


@contextmanager
def _settings() -> Iterator[None]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.settings import transient_settings

    known: dict[str, Any] = get_mapping_from_secret_type_to_class()
    names = sorted(plugin.__name__ for plugin in known.values())
    plugins: list[dict[str, Any]] = [{"name": name} for name in names if name not in RANDOM]
    filters = [{"path": f"detect_secrets.filters.heuristic.{name}"} for name in _FILTERS]
    with transient_settings({"plugins_used": plugins, "filters_used": filters}):
        yield


def detected(text: str) -> set[str]:
    """The lines of a text that hold a secret by the detector, each with what it is called."""
    from detect_secrets.core.scan import scan_line

    with _settings():
        return {f"{secret.type}: {line[:160]}" for line in set(text.splitlines()) for secret in scan_line(line)}
