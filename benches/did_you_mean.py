"""How often the right key is named first for a misspelt one, over seeded typos of every framework's keys.

python -m benches.did_you_mean --count 10000
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone

from rftconf.schemas import catalogue, registry, suggest
from rftconf.schemas.catalogue import Catalogue

LETTERS = "abcdefghijklmnopqrstuvwxyz_"


@dataclass(frozen=True, slots=True)
class Typo:
    """A key, and what somebody wrote for it."""

    known: Catalogue
    key: str
    typed: str
    edits: int


def misspelt(name: str, edits: int, chance: random.Random) -> str:
    """`name` with so many letters left out, doubled, hit beside or swapped; dots stay, and so do list marks."""
    for _ in range(edits):
        places = [index for index, char in enumerate(name) if char.isalpha() or char == "_"]
        position = chance.choice(places)
        match chance.randrange(4):
            case 0:
                name = name[:position] + name[position + 1 :]
            case 1:
                name = name[:position] + chance.choice(LETTERS) + name[position:]
            case 2:
                name = name[:position] + chance.choice(LETTERS) + name[position + 1 :]
            case _:
                name = name[:position] + name[position + 1 : position + 2] + name[position] + name[position + 2 :]
    return name


def typos(count: int, seed: int = 20261122) -> Iterator[Typo]:
    """So many typos, framework by framework in turn, half of them with one edit and half with two.

    What is a known key again is no typo; nobody could tell.
    """
    chance = random.Random(seed)
    pages = [catalogue.load(name) for name in registry.FRAMEWORKS]
    names = {page.framework: list(page.keys) for page in pages}
    typo_count = 0
    while typo_count < count:
        known = pages[typo_count % len(pages)]
        key, edits = chance.choice(names[known.framework]), 1 + typo_count // len(pages) % 2
        typed = misspelt(key, edits, chance)
        if typed not in known and known.canonical(typed) == typed and typed.strip("."):
            typo_count += 1
            yield Typo(known, key, typed, edits)


def first(typo: Typo) -> str:
    """The key that is named first, empty when none is."""
    return next(iter(suggest.nearest(typo.known, typo.typed, 1)), "")


def main() -> None:
    """Print the share that is right, by framework and edits, and some that are not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=20261122)
    args = parser.parse_args()
    typos_made, right, wrong = Counter[tuple[str, int]](), Counter[tuple[str, int]](), list[str]()
    for typo in typos(args.count, args.seed):
        key = typo.known.framework, typo.edits
        suggestion = first(typo)
        typos_made[key] += 1
        right[key] += suggestion == typo.key
        if suggestion != typo.key:
            wrong.append(f"{typo.typed}: {typo.key}, not {suggestion}")
    shares = {
        f"{name}, {edits} edit{'s' * (edits > 1)}": round(right[name, edits] / typos_made[name, edits], 4)
        for name, edits in sorted(typos_made)
    }
    print(
        json.dumps(
            {
                "date": datetime.now(timezone.utc).date().isoformat(),
                "typos": typos_made.total(),
                "right first": right.total(),
                "share": round(right.total() / typos_made.total(), 4),
                "by framework": shares,
                "wrong, the first 20": wrong[:20],
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
