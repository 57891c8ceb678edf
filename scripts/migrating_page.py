"""The figures of docs/migrating.md, from the newest results of `make migrations`; the rest of the page is written by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "migrating.md"
RESULTS = ROOT / "benches" / "results"
START, END = "<!-- figures: written by make generate -->", "<!-- end of figures -->"
Row = Callable[..., str]
LONGEST = 240
COLUMNS = {
    "accepted by its own release": "accepted by their own release",
    "by the newest, before": "accepted before",
    "after": "accepted after",
    "after, the same plan and nothing lost": "right",
    "keys unknown or ignored": "unknown or ignored keys",
}
BACK = {
    "accepted again": "accepted there and back",
    "the same plan": "there and back, the same plan",
    "the same, or each difference named": "there and back, all differences said",
}


def newest() -> Path:
    """The results of the latest day."""
    return max(RESULTS.glob("migrations-*.json"))


def page(row: Row, head: Row) -> str:
    """The page with the figures of the newest results."""
    before, _, remainder = PAGE.read_text(encoding="utf-8").partition(START)
    _, _, after = remainder.partition(END)
    if not remainder or not after:
        raise ValueError(f"{PAGE.name} has no {START} … {END}")
    return f"{before}{START}\n\n{figures(json.loads(newest().read_text()), row, head)}\n{END}{after}"


def figures(figures_by_name: Mapping[str, Any], row: Row, head: Row) -> str:
    """The tables of one file of results."""
    sets = figures_by_name["sets"]
    text = f"Measured on {figures_by_name['date']}. Counts are runs, of those that their own release accepts.\n\n"
    text += head("set", "files", "runs", *COLUMNS)
    text += "".join(
        row(*_set(row_of_set), *(str(row_of_set[name]) for name in COLUMNS.values())) for row_of_set in sets
    )
    text += "\nWhat is not right after the migration:\n\n" + head("set", "runs", "why")
    text += "".join(
        row(_set(row_of_set)[0], str(many), why) for row_of_set in sets for why, many in _reasons(row_of_set).items()
    )
    back_sets = [row_of_set for row_of_set in sets if "accepted there and back" in row_of_set]
    if back_sets:
        text += "\nMigrated there and back to their own release:\n\n" + head("set", "of", *BACK)
        text += "".join(
            row(
                _set(row_of_set)[0],
                str(row_of_set["accepted by their own release"]),
                *(str(row_of_set[name]) for name in BACK.values()),
            )
            for row_of_set in back_sets
        )
        text += "\n" + "".join(_back(row_of_set) for row_of_set in back_sets)
    return text


def _set(row_of_set: Mapping[str, Any]) -> tuple[str, str, str]:
    """`verl-0.5.0 to verl 0.9.1`, its files and its runs."""
    name, _, files = str(row_of_set["set"]).partition(", ")
    return name, files.partition(" ")[0], str(row_of_set["examples"])


def _reasons(row_of_set: Mapping[str, Any]) -> dict[str, int]:
    """Why runs are not right, the most frequent first."""
    return dict(Counter(why for case in row_of_set["not right"] for why in _whys(case)).most_common())


def _whys(case: Mapping[str, Any]) -> Iterator[str]:
    if case["after"] != "accepted":
        yield _short(f"refused: {case['after']}")
    else:
        yield from map(_short, (*case["lost"], *case["read_back"], *case["unread"]))


def _short(text: str) -> str:
    whole = " ".join(text.split())
    return f"`{whole if len(whole) <= LONGEST else whole[:LONGEST] + '…'}`"


def _back(row_of_set: Mapping[str, Any]) -> str:
    """What differs then: by name, and what nobody named."""
    named = ", ".join(f"`{name}` ({many})" for name, many in row_of_set["said there and back"].items())
    text = f"* {_set(row_of_set)[0]}: differences that `migrate` names: {named or 'none'}.\n"
    for case in row_of_set["silent"]:
        why = case["back"] if case["back"] != "accepted" else "; ".join(case["silent"])
        text += f"  Not restored and not named: {case['name']}: {_short(why)}.\n"
    return text
