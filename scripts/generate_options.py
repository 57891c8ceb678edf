"""Writes rftconf/text/launch/option_names.json: every option of the parsers that take shortened ones, over all releases.

`python -m scripts.generate_options` writes it, `--check` fails when it is stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rftconf.schemas import catalogue
from rftconf.schemas.registry import framework
from rftconf.text.launch.accelerate import OPTIONS
from rftconf.text.launch.option_names import FILE
from rftconf.text.launch.programs import MAINS, Style

sys.path.insert(0, str(Path(__file__).parent))
from generated import write_or_compare


def render() -> str:
    """The names by framework, without those of TRL's launcher, which the program's own parser does not have."""
    frameworks = sorted({main.framework for main in MAINS if main.style is Style.ARGPARSE})
    return json.dumps({name: names_of(name) for name in frameworks}, indent=0) + "\n"


def names_of(name: str) -> list[str]:
    """Return the options of a framework's parser, over all releases."""
    known = framework(name)
    catalogues = [
        catalogue.load(name, release, trainer) for release in known.releases for trainer in known.trainers_of(release)
    ]
    launchers = OPTIONS.keys() if known.for_scripts else frozenset[str]()
    return sorted({key for each in catalogues for key in each.keys if not set("[<") & set(key)} - launchers)


if __name__ == "__main__":
    sys.exit(write_or_compare(FILE, render(), "generate_options"))
