"""Writes docs/false-alarms.md: which keys of real configs are taken for secrets, and of how many.

The configs are the corpus that lies beside a checkout; without it there is nothing to write or to compare. Run without
arguments to write, with `--check` to fail when the file on disk differs. Values are never shown.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rftconf.base.secrets import is_secret
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.corpus import Real, corpora

FILE = Path(__file__).parents[3] / "docs" / "false-alarms.md"
ASKED = 1_000
"""Keys in which at most one may be taken for a secret."""
_HEAD = """<!-- Written by python -m tests.base.secrets.false_alarms. -->

# False alarms

What has the name, the form or the randomness of a credential is withheld from every output. Nobody wrote a credential into the
public configs that rftconf is tried on, so each key of them that is withheld is a false alarm. At most 1 key in {asked:,} may be.

| configs of | files | keys | taken for secrets |
| --- | ---: | ---: | ---: |
"""


def alarms_in(real: Real) -> tuple[int, list[str]]:
    """How many keys a config has, and which of them are taken for secrets."""
    leaves = read(Source(f"run{real.suffix}", real.text), ReadOptions(sources=dict(real.beside))).leaves
    return len(leaves), [leaf.key for leaf in leaves if is_secret(leaf.key, leaf.value)]


def page() -> str:
    """The page as it should be."""
    rows, listed, keys, alarms = [], list[str](), 0, 0
    for name, reals in corpora().items():
        values = [(real, *alarms_in(real)) for real in reals]
        of_name = sum(count for _, count, _ in values), sum(len(taken) for *_, taken in values)
        rows.append(f"| {name} | {len(reals):,} | {of_name[0]:,} | {of_name[1]:,} |\n")
        keys, alarms = keys + of_name[0], alarms + of_name[1]
        listed += [f"- `{key}` in {name}, {real.name}\n" for real, _, taken in values for key in taken]
    rows.append(f"| all | {sum(map(len, corpora().values())):,} | {keys:,} | {alarms:,} |\n")
    return (
        _HEAD.format(asked=ASKED) + "".join(rows) + "\n" + ("".join(listed) or "None of them is taken for a secret.\n")
    )


def main() -> int:
    """Write the page, or compare it; 1 where it is stale."""
    if not any(corpora().values()):
        print("no corpus lies beside this checkout: nothing is compared")
        return 0
    text = page()
    if "--check" not in sys.argv[1:]:
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.read_text(encoding="utf-8") != text:
        print(f"{FILE.name} is stale: make false-alarms")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
