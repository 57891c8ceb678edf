"""The JSON Schema of certificates, for readers in other languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rftconf.plan.schema import DIALECT

PATH = Path(__file__).with_name("schema.json")
"""The committed schema; a test holds that it is what `certificate_schema` gives."""


def certificate_schema() -> dict[str, Any]:
    """The schema of what `rftconf convert --certify` writes."""
    from rftconf.certificate.model import Certificate

    return {"$schema": DIALECT, **_untitled(Certificate.model_json_schema(mode="serialization"))}


def _untitled(node: Any, *, named: bool = False) -> Any:
    """`node` without titles that only repeat names."""
    if isinstance(node, dict):
        return {k: _untitled(v, named=k in ("properties", "$defs")) for k, v in node.items() if named or k != "title"}
    return [_untitled(value) for value in node] if isinstance(node, list) else node
