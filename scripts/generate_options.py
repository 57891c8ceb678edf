"""Writes rftconf/text/launch/trl_options.json: every option of TRL's parser, over all releases, one a line.

`python -m scripts.generate_options` writes it, `--check` fails when it is stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rftconf.schemas import catalogue
from rftconf.schemas.registry import framework
from rftconf.text.launch.accelerate import OPTIONS
from rftconf.text.launch.trl_options import FILE

sys.path.insert(0, str(Path(__file__).parent))
from generated import write_or_compare


def render() -> str:
    """The names, without those of the launcher, which the program's own parser does not have."""
    trl = framework("trl")
    known = [
        catalogue.load(trl.name, release, trainer).keys
        for release in trl.releases
        for trainer in trl.trainers_of(release)
    ]
    names = {key for keys in known for key in keys if "." not in key} - OPTIONS.keys()
    return json.dumps(sorted(names), indent=0) + "\n"


if __name__ == "__main__":
    sys.exit(write_or_compare(FILE, render(), "generate_options"))
