"""How much of the corpus's keys rftconf knows, and how much of them each direction translates, beside what it could.

`python -m benches.known_keys [-o FILE.json]`. *known*: every state of the ledger but `unknown`. *translated*: a value
that the plan holds and the target got. *ceiling*: the leaves that stand for a plan field which the target has a key
for, or fixes, by the tables behind docs/support. Leaves of refused conversions are counted in neither.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from rftconf.base.errors import RftconfError
from rftconf.base.ledger import Ledger, State
from rftconf.convert.convert import convert
from rftconf.mappers.paths import without_indices
from rftconf.mappers.tables import table_of
from rftconf.schemas.registry import FRAMEWORKS
from tests.corpus import ROWS, Real, corpora

docs = import_module("scripts.generate_docs")
"""The tables behind docs/support."""
TRANSLATED = (State.EXACT, State.DERIVED, State.DEFAULT, State.ROUNDED, State.NARROWED)


@cache
def held(framework: str) -> frozenset[str]:
    """Plan fields that a framework has a key for or fixes."""
    table = table_of(framework)
    keys = docs.keys_for(table)
    fields = {
        path for framework in FRAMEWORKS for paths in docs.plans_for(table_of(framework)).values() for path in paths
    }
    return frozenset(
        path
        for path in fields
        for full in (path, f"stage.{path}")
        if (text := docs.support_of(table, keys, full)) and not text.startswith("*none*")
    )


@cache
def stands_for(framework: str) -> dict[str, tuple[str, ...]]:
    """Native key to plan fields."""
    return {key: tuple(paths) for key, paths in docs.plans_for(table_of(framework)).items()}


def could(line_plan: tuple[str, ...], key: str, source: str, to: str) -> bool:
    """True when the target can hold one of the plan fields that a leaf stands for."""
    paths = {without_indices(path).removeprefix("stage.") for path in line_plan}
    paths |= set(stands_for(source).get(without_indices(key), ()))
    return bool(paths & held(to))


def ledgers(real: Real, to: str) -> Ledger | None:
    """The ledger of one conversion; None when it is refused or the config is not read."""
    own = real.release if to == real.framework else None
    try:
        return convert(
            real.document(), to, framework=real.framework, release=real.release, to_release=own, rows=ROWS
        ).ledger
    except RftconfError:
        return None


def figures() -> Iterator[tuple[str, dict[str, Any]]]:
    """`source` for what is known, `source -> target` for what is translated."""
    for source in FRAMEWORKS:
        reals_of_source = [real for reals in corpora().values() for real in reals if real.framework == source]
        for to in (source, *(name for name in FRAMEWORKS if name != source)):
            counts: Counter[str] = Counter()
            unknown: Counter[str] = Counter()
            for real in reals_of_source:
                ledger = ledgers(real, to)
                counts["configs"] += ledger is not None
                for line in ledger.sources if ledger is not None else ():
                    counts["leaves"] += 1
                    counts["known"] += line.state is not State.UNKNOWN
                    counts["translated"] += line.state in TRANSLATED and bool(line.plan)
                    counts["ceiling"] += (line.state in TRANSLATED and bool(line.plan)) or could(
                        line.plan, line.key, source, to
                    )
                    if line.state is State.UNKNOWN:
                        unknown[without_indices(line.key)] += 1
            yield (
                (source if to == source else f"{source} -> {to}"),
                figure(counts, len(reals_of_source), unknown, to == source),
            )


def figure(counts: Counter[str], total: int, unknown: Counter[str], itself: bool) -> dict[str, Any]:
    """Counts with their shares."""
    leaves = counts["leaves"] or 1
    row: dict[str, Any] = {"configs": counts["configs"], "of": total, "leaves": counts["leaves"]}
    if itself:
        return row | {
            "known": counts["known"],
            "known_share": round(counts["known"] / leaves, 5),
            "unknown": dict(unknown.most_common(20)),
        }
    return row | {
        "translated": counts["translated"],
        "translated_share": round(counts["translated"] / leaves, 4),
        "ceiling": counts["ceiling"],
        "ceiling_share": round(counts["ceiling"] / leaves, 4),
        "of_ceiling": round(counts["translated"] / (counts["ceiling"] or 1), 4),
    }


def overall(figures_by_source: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What is known of all leaves of the corpus together."""
    own = [row for name, row in figures_by_source.items() if "->" not in name]
    leaves, known = (sum(row[key] for row in own) for key in ("leaves", "known"))
    configs, total = (sum(row[key] for row in own) for key in ("configs", "of"))
    return {"configs": configs, "of": total, "leaves": leaves, "known": known, "known_share": round(known / leaves, 5)}


def main() -> None:
    """Command line: where the figures go, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    output = parser.parse_args().output
    started = time.monotonic()
    figures_by_source = {}
    for name, row in figures():
        figures_by_source[name] = row
        shares = "  ".join(f"{key} {value:.2%}" for key, value in row.items() if "share" in key or key == "of_ceiling")
        print(f"{name:<24}{row['configs']:>4}/{row['of']:<4} configs {row['leaves']:>6} leaves  {shares}", flush=True)
    figures_by_source["all"] = overall(figures_by_source)
    print(f"all: {figures_by_source['all']}\n{time.monotonic() - started:.0f} s")
    if output:
        output.write_text(
            json.dumps({"date": time.strftime("%Y-%m-%d"), "figures": figures_by_source}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
