"""A run's numbers over its periods: a chart for a terminal, and a page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise

from rftconf.budget.as_html import STYLE
from rftconf.report.chart import BLOCKS, COLOURS, Points, chart_svg
from rftconf.report.screen import Screen, joined, printable

ROWS, MARGIN, WIDEST = 8, 12, 6
"""Rows of a chart on a terminal, columns beside it, and the most columns that one period is drawn with."""
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
        yield from chart_svg(title, drawn, colours, "period")


def _averaged(values: Sequence[float], most: int) -> list[float]:
    if len(values) <= most:
        return list(values)
    edges = [len(values) * index // most for index in range(most + 1)]
    return [sum(values[a:b]) / (b - a) for a, b in pairwise(edges)]


def _text(text: str) -> str:
    return escape(printable(text))
