"""The figures of a run over strangers' configs, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benches.refusal_kinds import RefusalKind
from rftconf.schemas.registry import FRAMEWORKS


def render_table(figures: dict[str, Any]) -> str:
    """The figures as lines for a terminal."""
    lines = [
        f"{figures['files']} files" + (f" of {figures['repositories']} repositories" if figures["repositories"] else "")
    ]
    lines += [f"  {outcome:<12}{count:>6}" for outcome, count in sorted(figures["outcomes"].items())]
    lines += [f"{figures['configs']} configs, {figures['read_share']:.1%} of them read", ""]
    lines += ["converted, of those that the target's own code can run, and of all that were read"]
    for target, row in figures["targets"].items():
        lines += _target_lines(FRAMEWORKS[target].title, row)
    keys = figures["keys"]
    lines += ["", f"{keys['occurrences']} occurrences of keys, over all conversions"]
    lines += [
        f"  {name.replace('_', ' '):<22}{keys[name]:>7.2%}"
        for name in ("translated", "without_counterpart", "open", "unknown")
    ]
    lines += [
        f"    {keys['unknown_of_the_framework']:>7.2%}  the framework has the key and does nothing with it in such a run; the fork may",
        f"    {keys['unknown_to_everybody']:>7.2%}  no release of the framework has it, and no declaration of a fork",
    ]
    lines += [f"      {count:>4}  {key}" for key, count in keys["most_often_unknown"].items()]
    for title in ("unreadable_by_reason", "refused_whole_by_reason", "passed_over_by_reason"):
        if figures[title]:
            lines += ["", title.replace("_", " ")]
            lines += [f"      {count:>4}  {reason}" for reason, count in figures[title].items()]
    lines += ["", f"{figures['seconds']} s; slowest: " + ", ".join(f"{p} {s} s" for p, s in figures["slowest"].items())]
    return "\n".join(lines) + "\n"


def _target_lines(title: str, row: dict[str, Any]) -> Iterator[str]:
    """A target's figures, and why it got the others not, by kind and reason."""
    converted = f"{row['converted']} of {row['target_can_hold']} ({row['share_of_those']:.1%})"
    yield f"  to {title:<12}{converted:<22}{row['converted']} of {row['of']} ({row['share']:.1%})"
    for name, reasons in row["refused"].items():
        yield f"    {RefusalKind[name.upper()].value}: {sum(reasons.values())}"
        yield from (f"      {count:>4}  {reason}" for reason, count in reasons.items())
