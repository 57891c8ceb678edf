"""Writes rftconf/certificate/schema.json, the JSON Schema of certificates, from their model.

Run without arguments to write, with `--check` to fail when the file on disk differs (CI does).
"""

from __future__ import annotations

import json
import sys

from rftconf.certificate.schema import PATH, certificate_schema


def text() -> str:
    """The schema as it lies in the repository."""
    return json.dumps(certificate_schema(), indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Write the schema, or compare it (`--check`)."""
    if "--check" not in sys.argv:
        PATH.write_text(text(), encoding="utf-8")
        return 0
    stale = not PATH.exists() or PATH.read_text(encoding="utf-8") != text()
    if stale:
        print("stale, run python -m scripts.generate_certificate_schema:", PATH.name)
    return int(stale)


if __name__ == "__main__":
    raise SystemExit(main())
