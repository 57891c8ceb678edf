"""A page with refusals drawn by chance from a run over strangers' configs, each beside what the target's code does.

`python -m benches.refusal_sample DETAILS.jsonl -o docs/refusals.md` takes the details of `make real-world … DETAILS=…`. The
judgements are in `benches/data/refusal_verdicts.toml`, one for each kind of refusal and target, with the place in the code
that was read for it; a refusal without one is marked as not judged.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.refusal_kinds import kind_of_refusal, matches
from rftconf.schemas.registry import FRAMEWORKS
from rftconf.text import toml

VERDICTS = Path(__file__).parent / "data" / "refusal_verdicts.toml"
SEED, SIZE = 79400783, 30


@dataclass(frozen=True)
class Refusal:
    """One config that was not converted to one framework."""

    place: str
    target: str
    sentence: str


def read_refusals(details: Path) -> list[Refusal]:
    """Every refusal of a run, in the order of its files."""
    refusals = []
    for line in details.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        path = row["path"].partition("/")[2]
        place = f"{row['repository']}/{path}@{row['commit'][:9]}"
        refused = ((target, result) for target, result in row["targets"].items() if result != "converted")
        refusals += [Refusal(place, target, result) for target, result in refused]
    return refusals


def verdict_on(refusal: Refusal, verdicts: Sequence[dict[str, str]]) -> tuple[str, str]:
    """What the code does, and whether the refusal is right; what was found of one config (`config`) stands first."""
    mine = (v for v in verdicts if v.get("config", "") in refusal.place)
    own = (v for v in mine if v["target"] in (refusal.target, "any") and matches(v["refusal"], refusal.sentence))
    verdict = next(own, {"code": "", "verdict": "not judged"})
    return verdict["code"], verdict["verdict"]


def render_page(drawn: Sequence[Refusal], whole: int, verdicts: Sequence[dict[str, str]]) -> str:
    """The page, a row a refusal."""
    lines = [
        "<!-- Written by python -m benches.refusal_sample; the judgements are in benches/data/refusal_verdicts.toml. -->",
        "",
        "# A sample of refusals, judged",
        "",
        f"`make real-world` over configs of other people's repositories ended in {whole} refusals. {len(drawn)} of them, drawn by chance",
        f"(seed {SEED}), stand here with what the code of the target does, read once for each kind of refusal.",
        "No config is copied: repository, path and commit say where it is. Judging all refusals of an earlier run, kind by kind, found",
        "wrong ones: of forks whose update counts steps of episodes (verl-agent, TCOD), of configs with which veRL itself stops, of GPUs",
        "that could be split otherwise, of updates that veRL's ranks round down, of demonstrations counted as answers. All are mended,",
        "and the seed was drawn after that.",
        "",
        "| config | to | what rftconf says | what the code does | judged |",
        "| --- | --- | --- | --- | --- |",
    ]
    for refusal in drawn:
        code, verdict = verdict_on(refusal, verdicts)
        kind = kind_of_refusal(refusal.sentence, refusal.target).value
        cells = (refusal.place, FRAMEWORKS[refusal.target].title, refusal.sentence, code, f"{verdict} ({kind})")
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    judged = [verdict_on(refusal, verdicts)[1] for refusal in drawn]
    lines += ["", f"Right: {judged.count('right')} of {len(drawn)}."]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the sample and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("details", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    args = parser.parse_args(arguments)
    refusals = read_refusals(args.details)
    drawn = random.Random(SEED).sample(refusals, min(SIZE, len(refusals)))
    verdicts = toml.loads(VERDICTS.read_text(encoding="utf-8"))["verdict"]
    args.output.write_text(render_page(drawn, len(refusals), verdicts), encoding="utf-8")


if __name__ == "__main__":
    main()
