"""A run's numbers over its periods: a chart for a terminal, and a page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise

from rftconf.budget.as_html import STYLE
from rftconf.report.screen import Screen, joined, printable

BLOCKS = " ▁▂▃▄▅▆▇█"
ROWS, MARGIN, WIDEST = 8, 12, 6
"""Rows of a chart on a terminal, columns beside it, and the most columns that one period is drawn with."""
WIDTH, HEIGHT, LEFT, FOOT = 720, 240, 64, 28
COLOURS = ("#3b6fb6", "#c05746", "#5b9a55", "#c9a13b", "#9b8bb8", "#5fa3c7")
SHOWN = (
    "reward",
    "response_tokens",
    "cut_answers",
    "entropy",
    "kl",
    "loss",
    "gradient_norm",
    "importance",
    "lag",
    "refused",
    "tokens",
    "learning_rate",
    "critic_loss",
)
"""Metrics with a chart of their own on the page, in this order, where a run has them."""

Series = Mapping[str, Sequence[float]]
"""A name for each curve, and a number for each period."""
Points = Sequence[tuple[int, float]]
"""Periods, and the number that each has."""


def curve_text(title: str, values: Sequence[float], screen: Screen) -> str:
    """Columns of blocks under `title`, as wide as the screen allows; neighbours are averaged where there are too many."""
    if not values:
        return ""
    room = max(screen.width - MARGIN, 10)
    wide = min(max(room // len(values), 1), WIDEST)
    columns = [value for value in _averaged(values, room) for _ in range(wide)]
    low, high = min(columns), max(columns)
    steps = [round((value - low) / (high - low or 1) * (ROWS * 8 - 1)) + 1 for value in columns]
    lines = [
        screen.style(f"{printable(title)}, periods 1 to {len(values)}: {values[0]:.4g} to {values[-1]:.4g}", "bold")
    ]
    for row in reversed(range(ROWS)):
        bar = "".join(BLOCKS[min(max(step - row * 8, 0), 8)] for step in steps)
        edge = f"{high:.4g}" if row == ROWS - 1 else f"{low:.4g}" if row == 0 else ""
        lines.append(f"{edge:>{MARGIN - 3}} ┤{screen.style(bar.rstrip(), 'blue')}")
    return joined(lines)


def curves_html(
    title: str, runs: Mapping[str, Series], validations: Mapping[str, Mapping[str, Points]] | None = None
) -> str:
    """The page: a chart for each metric and for each of the figures of validation, with a line for each run."""
    return "\n".join(_page(title, runs, validations or {})) + "\n"


def _page(title: str, runs: Mapping[str, Series], validations: Mapping[str, Mapping[str, Points]]) -> Iterator[str]:
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{_text(title)}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{STYLE}</style></head><body><h1>{_text(title)}</h1>"
    colours = {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(runs)}
    keys = (f'<span><i style="background:{colour}"></i>{_text(name)}</span>' for name, colour in colours.items())
    yield f'<p class="key">{"".join(keys)}</p>'
    for metric in SHOWN:
        series_of = {name: series[metric] for name, series in runs.items() if len(series.get(metric, ())) > 0}
        drawn = {name: [*enumerate(values, 1)] for name, values in series_of.items()}
        yield from _headed(metric.replace("_", " "), drawn, colours)
    for figure in dict.fromkeys(figure for figures in validations.values() for figure in figures):
        of_runs = {name: figures[figure] for name, figures in validations.items() if figures.get(figure)}
        yield from _headed(f"validation: {figure.replace('_', ' ')}", of_runs, colours)
    yield "</body></html>"


def _headed(title: str, drawn: Mapping[str, Points], colours: Mapping[str, str]) -> Iterator[str]:
    if drawn:
        yield f"<h2>{_text(title)}</h2>"
        yield from _chart(title, drawn, colours)


def _chart(metric: str, drawn: Mapping[str, Points], colours: Mapping[str, str]) -> Iterator[str]:
    periods, numbers = ([point[axis] for points in drawn.values() for point in points] for axis in (0, 1))
    low, high, first, last = min(numbers), max(numbers), min(periods), max(periods)
    yield f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{_text(metric)} over periods">'
    for share in (0.0, 0.5, 1.0):
        y = _height(share)
        yield f'<line x1="{LEFT}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{low + share * (high - low):.4g}</text>'
    for name, pairs in drawn.items():
        xs = (LEFT + (WIDTH - LEFT - 8) * (period - first) / max(last - first, 1) for period, _ in pairs)
        ys = (_height((value - low) / (high - low or 1)) for _, value in pairs)
        points = [f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True)]
        if len(points) == 1:
            points *= 2
        shape = f'fill="none" stroke="{colours[name]}" stroke-width="2" stroke-linecap="round"'
        yield f'<polyline points="{" ".join(points)}" {shape}><title>{_text(name)}</title></polyline>'
    yield f'<text x="{LEFT}" y="{HEIGHT - 6}">{first:g}</text>'
    yield f'<text x="{WIDTH - 8}" y="{HEIGHT - 6}" text-anchor="end">period {last:g}</text></svg>'


def _height(share: float) -> float:
    return 8 + (HEIGHT - FOOT - 8) * (1 - share)


def _averaged(values: Sequence[float], most: int) -> list[float]:
    if len(values) <= most:
        return list(values)
    edges = [len(values) * index // most for index in range(most + 1)]
    return [sum(values[a:b]) / (b - a) for a, b in pairwise(edges)]


def _text(text: str) -> str:
    return escape(printable(text))
