"""A budget as one HTML file that needs nothing else: styles inside, charts as SVG, no script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from math import log
from typing import TYPE_CHECKING

from rftconf.budget.drawing import gpu_range, group_letters, node_rows, phase_names, role_states

if TYPE_CHECKING:
    from rftconf.budget.advice.cluster_search import Answer
    from rftconf.budget.advice.inverse_questions import Point
    from rftconf.budget.phases import Phase
    from rftconf.budget.price import Budget, PoolBudget
    from rftconf.budget.terms.term import Part

GIB = 1 << 30
COLOURS: dict[Part, str] = {
    "weights": "#3b6fb6",
    "gradients": "#5fa3c7",
    "optimizer": "#8fc1d4",
    "unsharded": "#c9a13b",
    "activations": "#5b9a55",
    "logits": "#c05746",
    "kv_cache": "#9b8bb8",
    "residue": "#8a8f98",
    "context": "#b3b8c0",
    "slack": "#d5d9df",
}
WORKS = "#2f7d6b"
"""A role at work."""
STYLE = """
:root { color-scheme: light dark; --ink: #1d232b; --paper: #fff; --line: #d5d9df; --soft: #667; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ec; --paper: #15181d; --line: #3a414b; --soft: #9aa3af; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.verdict { font-size: 1.1rem; border-left: .4rem solid var(--tone); padding: .4rem .8rem; }
svg { width: 100%; height: auto; } text { fill: var(--ink); font: 12px system-ui, sans-serif; }
text.point { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
table { border-collapse: collapse; width: 100%; font-size: 13px; } td, th { padding: .2rem .5rem; text-align: left;
  border-bottom: 1px solid var(--line); } td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.when td, .when th { border: 1px solid var(--line); } .when th:first-child { white-space: nowrap; } .when { overflow-x: auto; }
.when span, .soft span { display: inline-block; padding: 0 .35rem; border-radius: .3rem; border: 1px solid var(--work); }
.works { background: var(--work); color: #fff; } .waits { color: var(--ink); }
.sleeps { border: 1px dashed var(--line) !important; color: var(--soft); }
.soft { color: var(--soft); } .gpus { width: auto; } .gpus td { text-align: center; border: 1px solid var(--line); width: 2.2rem; }
.key span { display: inline-block; margin-right: 1rem; } .key i { display: inline-block; width: .8rem; height: .8rem;
  margin-right: .3rem; vertical-align: -.05rem; }
"""
_TONES = {"fits": "#5b9a55", "does not fit": "#c05746", "too close to tell": "#c9a13b"}


def budget_html(budget: Budget, answers: Iterable[Answer] = (), points: Iterable[Point] = ()) -> str:
    """The report."""
    return "\n".join(_page(budget, list(answers), list(points))) + "\n"


def _page(budget: Budget, answers: list[Answer], points: list[Point]) -> Iterator[str]:
    setup, gpu = budget.setup, budget.gpu
    title = f"Budget of {setup.model.name} on {setup.nodes} × {setup.gpus_per_node} {gpu.title}"
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    groups = "".join(f"--g{index}:{tone}55;" for index, tone in enumerate(COLOURS.values()))
    yield f"<style>{STYLE}:root{{--work:{WORKS};{groups}}}</style></head><body><h1>{escape(title)}</h1>"
    yield f'<p class="soft">{setup.model.architecture.parameters:,} parameters; {gpu.usable_gib:g} GiB usable per GPU</p>'
    if not gpu.measured:
        least, most = gpu.range
        yield f'<p class="soft">{_gib(least)} to {_gib(most)} GiB usable in the verdict: {escape(gpu.source)}</p>'
    phase = budget.deciding.deciding
    yield (
        f'<p class="verdict" style="--tone:{_TONES[budget.verdict]}"><b>{budget.verdict}</b>: peak {_gib(phase.size)} GiB'
        f" ({_gib(phase.low)} to {_gib(phase.high)}) in {escape(phase.name)}; headroom {_gib(budget.headroom)} GiB</p>"
    )
    for problem in budget.problems:
        nearest = f" Nearest: {', '.join(problem.nearest)}." if problem.nearest else ""
        yield f'<p class="verdict" style="--tone:#c05746">{escape(problem.message + "." + nearest)}</p>'
    yield from (f'<p class="soft">{escape(note)}</p>' for note in setup.notes)
    yield "<h2>Which GPU holds what when</h2>"
    yield from _drawing(budget)
    for pool in budget.pools:
        yield from _pool(pool, budget)
    if answers:
        yield "<h2>What would fit</h2><table>"
        yield from (f"<tr><th>{escape(a.question)}</th><td>{escape(a.text)}</td></tr>" for a in answers)
        yield "</table>"
    if points:
        yield from _front(points)
    yield "</body></html>"


def _drawing(budget: Budget) -> Iterator[str]:
    """The nodes with their GPUs, nodes that look alike as one row; then what the GPUs hold in each phase."""
    tones = {letter: f"var(--g{index % 10})" for index, letter in enumerate(group_letters(budget))}
    yield '<table class="gpus">'
    for first, last, row in node_rows(budget):
        label = f"node {first}" if first == last else f"nodes {first}–{last}"
        yield f"<tr><th>{label}</th>"
        yield from (f'<td style="background:{tones.get(letter, "none")}">{letter}</td>' for letter in row)
        yield "</tr>"
    yield "</table>"
    names = phase_names(budget)
    yield '<table class="when"><tr><th>GPUs</th>' + "".join(f"<th>{escape(name)}</th>" for name in names) + "</tr>"
    for letter, pool_budget in zip(tones, budget.pools, strict=True):
        yield f'<tr><th style="background:{tones[letter]}">{letter}: {gpu_range(pool_budget)}</th>'
        yield from (_states(pool_budget, name) for name in names)
        yield "</tr>"
    yield '</table><p class="soft"><span class="works">at work</span> <span class="waits">its states wait on the GPU</span> '
    yield '<span class="sleeps">only its process is there</span></p>'


def _states(pool_budget: PoolBudget, name: str) -> str:
    phase = next((phase for phase in pool_budget.phases if phase.name == name), None)
    if phase is None:
        return "<td>–</td>"
    spans = (
        f'<span class="{state}" title="{_gib(sum(t.size for t in phase.terms if t.owner == role))} GiB">{escape(role)}</span>'
        for role, state in role_states(pool_budget, phase).items()
    )
    return f"<td>{' '.join(spans)}</td>"


def _pool(pool_budget: PoolBudget, budget: Budget) -> Iterator[str]:
    yield f"<h2>{escape(' + '.join(pool_budget.pool.roles))}: {pool_budget.pool.count} GPUs</h2>"
    top = max(budget.gpu.usable, *(p.high for p in pool_budget.phases))
    height = 30 * len(pool_budget.phases) + 24
    yield f'<svg viewBox="0 0 900 {height}" role="img" aria-label="memory by phase">'
    for row, phase in enumerate(pool_budget.phases):
        yield from _row(phase, 30 * row, top)
    edge = 160 + 620 * budget.gpu.usable / top
    yield f'<line x1="{edge:.1f}" x2="{edge:.1f}" y1="0" y2="{height - 20}" stroke="#c05746" stroke-dasharray="4 3"/>'
    yield f'<text x="{edge:.1f}" y="{height - 6}" text-anchor="middle">{budget.gpu.usable_gib:g} GiB</text></svg>'
    yield '<p class="key">'
    yield from (f'<span><i style="background:{c}"></i>{p.replace("_", " ")}</span>' for p, c in COLOURS.items())
    yield f"</p><details><summary>Formulas of {escape(pool_budget.deciding.name)} ({escape(pool_budget.deciding.moment)})</summary><table>"
    for term in pool_budget.deciding.terms:
        yield f'<tr><td>{escape(f"{term.owner} {term.name}")}</td><td class="n">{term.size:,} B</td><td>{escape(term.formula)}</td></tr>'
    yield f'<tr><th>sum</th><td class="n">{pool_budget.deciding.size:,} B</td><td>{pool_budget.deciding.size / GIB:.3f} GiB</td></tr>'
    yield "</table></details>"


def _row(phase: Phase, y: int, top: int) -> Iterator[str]:
    yield f'<text x="150" y="{y + 19}" text-anchor="end">{escape(phase.name)}</text>'
    x = 160.0
    parts = phase.parts()
    for part, colour in COLOURS.items():
        width = 620 * parts.get(part, 0) / top
        if width:
            tip = f"{part.replace('_', ' ')}: {_gib(parts[part])} GiB"
            yield f'<rect x="{x:.1f}" y="{y + 5}" width="{width:.1f}" height="20" fill="{colour}"><title>{tip}</title></rect>'
        x += width
    low, high = 160 + 620 * phase.low / top, 160 + 620 * phase.high / top
    yield f'<path d="M{low:.1f} {y + 15}H{high:.1f}M{low:.1f} {y + 10}v10M{high:.1f} {y + 10}v10" stroke="var(--ink)" fill="none"/>'
    yield f'<text x="{max(x, high) + 8:.1f}" y="{y + 19}">{_gib(phase.size)}</text>'


def _front(points: list[Point]) -> Iterator[str]:
    usable = [p for p in points if p.tokens]
    if not usable:
        return
    cheap, dear = min(p.price for p in usable), max(p.price for p in usable)
    most = max(p.tokens or 0 for p in usable)
    yield "<h2>Clusters: rent against the largest micro-batch</h2>"
    yield '<svg viewBox="0 0 900 330" role="img" aria-label="Pareto front">'
    yield '<path d="M60 10V290H880" stroke="var(--line)" fill="none"/>'
    yield f'<text x="60" y="310">{cheap:,.0f}</text><text x="880" y="310" text-anchor="end">{dear:,.0f}</text>'
    yield '<text x="470" y="322" text-anchor="middle">US dollars per hour, logarithmic</text>'
    ordered = sorted(usable, key=lambda p: (p.efficient, -(p.tokens or 0)))
    places = {
        p: (70 + 780 * log(p.price / cheap) / max(log(dear / cheap), 1e-9), 290 - 260 * (p.tokens or 0) / most)
        for p in ordered
    }
    for p, (x, y) in places.items():
        fill = "#c05746" if p.efficient else "#8a8f98"
        tip = f"{p.gpus} × {p.gpu}: {p.tokens:,} tokens"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{6 if p.efficient else 4}" fill="{fill}"><title>{tip}</title></circle>'
    yield from _labels({p: spot for p, spot in places.items() if p.efficient})
    yield f'<text x="4" y="34">{most:,}</text><text x="4" y="48">tokens</text></svg>'


def _labels(places: dict[Point, tuple[float, float]]) -> Iterator[str]:
    """Names of efficient clusters, to the left where another point is in the way; none where there is room on no side."""
    taken: list[tuple[float, float, float]] = [(x - 8, x + 8, y) for x, y in places.values()]
    for p, (x, y) in places.items():
        text = f"{p.gpus} × {p.gpu}"
        wide = 7 * len(text)
        for side, start in (("start", x + 10), ("end", x - 10 - wide)):
            free = all(start + wide < a or start > b or abs(y - taken_place) > 13 for a, b, taken_place in taken)
            if free and start > 60 and start + wide < 900:
                taken.append((start, start + wide, y))
                spot = x + 10 if side == "start" else x - 10
                yield f'<text class="point" x="{spot:.1f}" y="{y + 4:.1f}" text-anchor="{side}">{escape(text)}</text>'
                break


def _gib(size: int) -> str:
    return f"{size / GIB:.1f}"
