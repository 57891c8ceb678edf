"""Charts that need nothing else: lines as SVG for a page, and a row of blocks for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from rftconf.report.screen import printable

BLOCKS = " ▁▂▃▄▅▆▇█"
COLOURS = ("#3b6fb6", "#c05746", "#5b9a55", "#c9a13b", "#9b8bb8", "#5fa3c7")
WIDTH, HEIGHT, LEFT, FOOT = 720, 240, 64, 28

Points = Sequence[tuple[float, float]]
"""Places on the horizontal axis, and the number that each has."""


def chart_svg(title: str, drawn: Mapping[str, Points], colours: Mapping[str, str], axis: str) -> Iterator[str]:
    """A line for each name over `axis`, which is what the horizontal axis counts (`period`)."""
    places, numbers = ([point[which] for points in drawn.values() for point in points] for which in (0, 1))
    low, high, first, last = min(numbers), max(numbers), min(places), max(places)
    yield f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{_text(title)} over {axis}s">'
    for share in (0.0, 0.5, 1.0):
        y = _height(share)
        yield f'<line x1="{LEFT}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{low + share * (high - low):.4g}</text>'
    for name, pairs in drawn.items():
        xs = (LEFT + (WIDTH - LEFT - 8) * (place - first) / ((last - first) or 1) for place, _ in pairs)
        ys = (_height((value - low) / (high - low or 1)) for _, value in pairs)
        points = [f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True)]
        if len(points) == 1:
            points *= 2
        shape = f'fill="none" stroke="{colours[name]}" stroke-width="2" stroke-linecap="round"'
        yield f'<polyline points="{" ".join(points)}" {shape}><title>{_text(name)}</title></polyline>'
    yield f'<text x="{LEFT}" y="{HEIGHT - 6}">{first:g}</text>'
    yield f'<text x="{WIDTH - 8}" y="{HEIGHT - 6}" text-anchor="end">{axis} {last:g}</text></svg>'


def blocks_text(values: Sequence[float], low: float, high: float) -> str:
    """A block for each value, as high as it stands between `low` and `high`."""
    return "".join(BLOCKS[1 + round((value - low) / (high - low or 1) * 7)] for value in values)


def _height(share: float) -> float:
    return 8 + (HEIGHT - FOOT - 8) * (1 - share)


def _text(text: str) -> str:
    return escape(printable(text))
