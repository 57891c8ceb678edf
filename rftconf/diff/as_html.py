"""A comparison as one HTML file that needs nothing else: styles inside, no script, every value escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from rftconf.diff.as_text import (
    TITLES,
    count_text,
    narrowed,
    seen_text,
    statement_text,
    total_text,
    value_text,
    verdict_text,
)
from rftconf.diff.effects import Effect
from rftconf.diff.table import GROUPS
from rftconf.report.screen import printable

if TYPE_CHECKING:
    from rftconf.diff.compare import Comparison, Counted, Difference, Stages
    from rftconf.diff.halves import SideValue

LONGEST = 2000
"""Characters of a value that are shown."""
MARKS = {True: ("=", "same"), False: ("≠", "differs"), None: ("?", "unknown")}
OF_A_SIDE = ("file", "framework", "math_id", "plan_id")
STYLE = """
:root { color-scheme: light dark; --ink: #1d232b; --paper: #fff; --line: #d5d9df; --soft: #667; --red: #b3402e;
  --amber: #94680c; --blue: #2f62a8; --green: #3c7a37; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ec; --paper: #15181d; --line: #3a414b; --soft: #9aa3af;
  --red: #e58a7b; --amber: #dcb45c; --blue: #8ab4ee; --green: #8fcb88; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.verdict { font-size: 1.1rem; border-left: .4rem solid var(--tone); padding: .4rem .8rem; }
.mathematics { --tone: var(--red); } .measurement { --tone: var(--amber); } .performance { --tone: var(--blue); }
.bookkeeping { --tone: var(--soft); } h2 { border-bottom: 2px solid var(--tone, var(--line)); }
table { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: 14px; }
td, th { padding: .3rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
th.field, td.field { width: 26%; } .soft { color: var(--soft); font-size: 13px; } .differs { color: var(--red); }
.unknown { color: var(--amber); } .same { color: var(--soft); } code { font: 13px/1.4 ui-monospace, monospace; }
h1, h2, p { overflow-wrap: anywhere; }
svg { width: 100%; max-width: 45rem; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
@media (max-width: 44rem) { table, tbody, tr, td { display: block; } tr.head { display: none; }
  td, td.field { width: auto; border: 0; padding: .1rem 0; } tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
  td[data-as]::before { content: attr(data-as) ": "; color: var(--soft); } }
"""


def comparison_html(
    comparison: Comparison, effects: Sequence[Effect] = tuple(Effect), sections: Iterable[str] = ()
) -> str:
    """The comparison as an HTML page; `sections` are more of its HTML, below the verdict."""
    return "\n".join(_page(comparison, effects, sections)) + "\n"


def _page(comparison: Comparison, effects: Sequence[Effect], sections: Iterable[str]) -> Iterator[str]:
    names = [_text(side.name) for side in (comparison.a, comparison.b)]
    tone = {"same": "var(--green)", "different": "var(--red)"}.get(comparison.verdict(), "var(--amber)")
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield f'<title>{names[0]} and {names[1]}</title><meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{STYLE}</style></head><body><h1>{names[0]} and {names[1]}</h1>"
    yield f'<p class="verdict" style="--tone:{tone}">{_text(verdict_text(comparison, effects))}</p>'
    yield f"<table>{_head(*OF_A_SIDE)}"
    for letter, side, math, plan in zip(
        "AB", (comparison.a, comparison.b), comparison.math_ids, comparison.plan_ids, strict=True
    ):
        rows = zip(OF_A_SIDE, (side.name, side.title, math, plan), strict=True)
        yield f"<tr><td>{letter}</td>{''.join(_cell(name, _text(text)) for name, text in rows)}</tr>"
    yield "</table>"
    yield from sections
    for stage in comparison.stages:
        if len(comparison.stages) > 1:
            yield f"<h2>Stage {_text(stage.name)}</h2>"
        yield from _totals(stage.totals)
        for effect in effects:
            yield from _effect(effect, stage)
    yield from _stages_of_one_side(comparison)
    yield "</body></html>"


def _totals(counted: Sequence[Counted]) -> Iterator[str]:
    if not counted:
        return
    yield f"<h2>Totals</h2><table>{_head('A', 'B', 'formula')}"
    for total in counted:
        mark, tone = MARKS[total.same]
        yield f'<tr class="{tone}"><td class=field>{mark} {_text(total.total.name)} <span class=soft>[{_text(total.total.unit)}]</span></td>'
        yield _cell("A", _text(total_text(total.a))) + _cell("B", _text(total_text(total.b)))
        yield f'<td class=soft data-as="formula">{_text(total.total.how)}</td></tr>'
    yield "</table>"


def _effect(effect: Effect, stage: Stages) -> Iterator[str]:
    differences = [difference for difference in stage.differences if difference.known.effect is effect]
    if not differences:
        return
    yield f'<h2 class="{effect}">{_text(TITLES[effect])} ({count_text(differences)})</h2>'
    for group in GROUPS:
        inside = [difference for difference in differences if difference.known.group == group]
        if inside:
            yield f"<h3>{_text(group)}</h3><table>{_head('A', 'B')}"
            yield from map(_difference, inside)
            yield "</table>"


def _difference(difference: Difference) -> str:
    reasons = _text("; ".join(f"{letter} {why}" for letter, why in difference.doubts))
    unsure = "" if difference.certain else f" <span class=unknown>cannot be compared: {reasons}</span>"
    name = f"<code>{_text(difference.path.removeprefix('stage.'))}</code>{unsure}<br><span class=soft>{_text(difference.known.does)}</span>"
    a, b = narrowed(difference)
    return f"<tr><td class=field>{name}</td>{_side_cell('A', difference.path, a)}{_side_cell('B', difference.path, b)}</tr>"


def _side_cell(side: str, path: str, value: SideValue) -> str:
    text = f"{_text(seen_text(path, value, LONGEST))}<br><span class=soft>{_text(statement_text(value.said))}</span>"
    return _cell(side, text)


def _head(*names: str) -> str:
    """A row of headings; where there is no room for columns, each cell says its own."""
    return f"<tr class=head><th class=field></th>{''.join(f'<th>{name}</th>' for name in names)}</tr>"


def _cell(name: str, html: str) -> str:
    return f'<td data-as="{name}">{html}</td>'


def _stages_of_one_side(comparison: Comparison) -> Iterator[str]:
    for letter, names in (("A", comparison.only_a), ("B", comparison.only_b)):
        if names:
            yield f"<h2 class=mathematics>Stages of {letter} only</h2><p>{_text(', '.join(names))}</p>"
    for title, keys in (("Settings outside the plan that differ", comparison.own),
                        ("Settings outside the plan, not compared", comparison.uncompared)):  # fmt: skip
        if keys:
            yield f"<h2>{title} ({len(keys)})</h2><table>{_head('A', 'B')}"
            for own_key in keys:
                a, b = (_text(value_text(own_key.key, value, LONGEST)) for value in (own_key.a, own_key.b))
                yield f"<tr><td class=field><code>{_text(own_key.key)}</code></td>{_cell('A', a)}{_cell('B', b)}</tr>"
            yield "</table>"
    for letter, idle in zip("AB", comparison.idle, strict=True):
        if idle:
            yield f"<h2>Written in {letter}, without effect ({len(idle)})</h2><table>"
            for key in idle:
                place = f"{key.place.file}:{key.place.span.line}"
                yield f"<tr><td class=field><code>{_text(key.key)}</code></td><td>{_text(key.why)}</td><td class=soft>{_text(place)}</td></tr>"
            yield "</table>"


def _text(text: str) -> str:
    return escape(printable(text))
