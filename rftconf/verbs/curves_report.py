"""Shows two runs' curves for `rftconf diff --metrics`: as text, as JSON, as sections of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from rftconf.metrics.curves import Points, RunCurves
from rftconf.metrics.overlay import Overlay, Pair
from rftconf.metrics.quantity import title
from rftconf.report.chart import COLOURS, blocks_text, chart_svg
from rftconf.report.screen import Screen, joined, printable
from rftconf.report.values import value_json

_MOST_DRAWN = 500
"""Points of a curve on the page; of a longer one every so many."""


def curves_text(overlay: Overlay, screen: Screen, *, full: bool) -> str:
    """Return the report: the curves that differ and where that begins, then the names of the others; `full` shows these too."""
    lines = ["", screen.style("Curves by prompts seen", "bold")]
    for letter, run in (("A", overlay.a), ("B", overlay.b)):
        lines += screen.hanging(f"  {letter}  ", _run_text(run))
    if overlay.differences:
        lines += [
            "",
            screen.style(f"Curves that differ ({len(overlay.differences)}, the earliest first)", "bold", "red"),
        ]
        for number, pair in enumerate(overlay.differences, 1):
            lines += _pair_text(f"{number:>3}. ", pair, overlay, screen)
        plain = next((pair for pair in overlay.differences if not pair.remarks), None)
        if plain is not None:
            lines += screen.wrap(
                f"{plain.says[0].upper()}{plain.says[1:]} differs first: its cause is nearest there, and what differs later may follow from it.",
                0,
            )
    if overlay.agreements:
        lines += ["", screen.style(f"Curves that agree in the end ({len(overlay.agreements)})", "bold", "green")]
        if full:
            for pair in overlay.agreements:
                lines += _pair_text("  - ", pair, overlay, screen)
        else:
            lines += screen.hanging("  ", "; ".join(pair.says for pair in overlay.agreements))
    lines += _rest_text(overlay, screen, full=full)
    return joined(lines)


def _run_text(run: RunCurves) -> str:
    places = [place for curve in run.curves.values() for place, _ in (curve.points[0], curve.points[-1])]
    updates = run.clock.updates(run.clock.prompts_per_rollout)
    worth = "" if updates is None else f", {updates:g} updates"
    return (
        f"{run.file}: {title(run.framework)}, {run.lines} lines, {min(places):,.0f} to {max(places):,.0f} prompts; "
        f"a period is {run.clock.prompts_per_rollout} prompts{worth}"
    )


def _pair_text(lead: str, pair: Pair, overlay: Overlay, screen: Screen) -> Iterator[str]:
    unit = f" [{pair.unit}]" if pair.unit else ""
    yield from screen.hanging(lead, f"{pair.says}{unit}{_from_text(pair, overlay)}")
    low, high = _bounds(pair)
    wide = max(len(printable(pair.a.name)), len(printable(pair.b.name)))
    for letter, curve in (("A", pair.a), ("B", pair.b)):
        means = [window.a if letter == "A" else window.b for window in pair.windows]
        blocks = screen.style(blocks_text(means, low, high), "blue" if letter == "A" else "yellow")
        name = printable(curve.name).ljust(wide)
        yield f"     {letter} {name}  {blocks}  {means[0]:.4g} to {means[-1]:.4g}"
    for remark in pair.remarks:
        yield from screen.hanging("     ", f"Equal runs log different numbers here: {remark}.")


def _from_text(pair: Pair, overlay: Overlay) -> str:
    if pair.differs_from is None:
        return ""
    updates = [run.clock.updates(pair.differs_from) for run in (overlay.a, overlay.b)]
    counted = "" if None in updates else f" (update {updates[0]:,.0f} of A, {updates[1]:,.0f} of B)"
    return f": they differ from {pair.differs_from:,.0f} prompts on{counted}, by {pair.gap:.0%} at the end"


def _bounds(pair: Pair) -> tuple[float, float]:
    means = [mean for window in pair.windows for mean in (window.a, window.b)]
    return min(means), max(means)


def _rest_text(overlay: Overlay, screen: Screen, *, full: bool) -> Iterator[str]:
    if overlay.without_overlap:
        yield ""
        yield from screen.hanging(
            "", f"Both runs log these, but never within the same range of prompts: {_listed(overlay.without_overlap)}"
        )
    for letter, names in (("A", overlay.only_a), ("B", overlay.only_b)):
        if names:
            listed = f": {_listed(names)}" if full else "; -v names them"
            yield from screen.hanging(
                "", f"The other file has no counterpart for {_names_text(names)} of {letter}{listed}"
            )


def _names_text(names: Sequence[str]) -> str:
    return "1 name" if len(names) == 1 else f"{len(names)} names"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(printable, dict.fromkeys(names)))


def curves_json(overlay: Overlay) -> dict[str, Any]:
    """Return the curves as JSON data: the means of each run by windows of the prompts that both have seen."""
    return {
        "a": _run_json(overlay.a, overlay.only_a),
        "b": _run_json(overlay.b, overlay.only_b),
        "differ": [_pair_json(pair) for pair in overlay.differences],
        "agree": [_pair_json(pair) for pair in overlay.agreements],
        "without_overlap": list(overlay.without_overlap),
    }


def _run_json(run: RunCurves, only: Sequence[str]) -> dict[str, Any]:
    updates = run.clock.updates(run.clock.prompts_per_rollout)
    return {
        "file": run.file, "logged_by": run.framework, "lines": run.lines,
        "prompts_per_period": run.clock.prompts_per_rollout, "updates_per_period": updates,
        "without_counterpart": list(only), "without_numbers": list(run.left_out),
    }  # fmt: skip


def _pair_json(pair: Pair) -> dict[str, Any]:
    return {
        "quantity": pair.says, "unit": pair.unit, "a": pair.a.name, "b": pair.b.name,
        "differ_from_prompts": pair.differs_from, "gap": value_json(pair.gap), "remarks": list(pair.remarks),
        "windows": [{"from_prompts": w.first, "to_prompts": w.last, "a": w.a, "b": w.b, "differ": w.differs}
                    for w in pair.windows],
    }  # fmt: skip


def curves_html(overlay: Overlay) -> Iterator[str]:
    """Yield sections of a page: a chart for each quantity, those that differ first."""
    colours = {"A": COLOURS[0], "B": COLOURS[1]}
    yield "<h2 class=mathematics>Curves by prompts seen</h2>"
    for letter, run in (("A", overlay.a), ("B", overlay.b)):
        mark = f'<i style="display:inline-block;width:1em;height:.6em;background:{colours[letter]}"></i>'
        yield f"<p>{mark} {letter}: {escape(printable(_run_text(run)))}</p>"
    for pair in (*overlay.differences, *overlay.agreements):
        yield f"<h3>{escape(printable(pair.says))}{escape(_from_text(pair, overlay))}</h3>"
        yield f"<p class=soft>A {escape(printable(pair.a.name))}, B {escape(printable(pair.b.name))}</p>"
        yield from chart_svg(pair.says, {"A": _drawn(pair.a.points), "B": _drawn(pair.b.points)}, colours, "prompt")


def _drawn(points: Points) -> Points:
    every = -(-len(points) // _MOST_DRAWN)
    return (*points[:-1:every], points[-1]) if every else points
