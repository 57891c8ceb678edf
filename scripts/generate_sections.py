"""Writes rftconf/schemas/sections.json: where the keys of each program's catalogues start.

Run without arguments to write, with `--check` to fail when the file on disk differs.
"""

from __future__ import annotations

import json
import sys

from rftconf.schemas import catalogue, registry
from rftconf.schemas.framework import Framework
from rftconf.schemas.sections import FILE, of_catalogue


def sections_of(framework: Framework) -> list[str]:
    """The starts of the keys of all its releases and trainers, and of keys that only a config of another kind has."""
    known = [
        catalogue.load(framework.name, release, trainer)
        for release in framework.releases
        for trainer in framework.trainers_of(release)
    ]
    return sorted(
        set().union(*(of_catalogue(trainer_catalogue.keys) for trainer_catalogue in known), framework.unread_sections)
    )


def text() -> str:
    """The file's text: a line per program."""
    lines = (
        f"{json.dumps(framework.name)}: {json.dumps(sections_of(framework))}" for framework in registry.variants(None)
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> int:
    """Write the file, or say that it is stale."""
    if "--check" not in sys.argv:
        FILE.write_text(text(), encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == text():
        return 0
    print("stale, run python -m scripts.generate_sections:", FILE.name)
    return 1


if __name__ == "__main__":
    sys.exit(main())
