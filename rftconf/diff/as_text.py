"""Two runs side by side for people: the totals, then what differs, by what it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rftconf.base.secrets import is_secret
from rftconf.base.symbols import Expr, formula
from rftconf.diff.common_entries import differing
from rftconf.diff.compare import Comparison, Counted, Difference, Own, Stages, Verdict
from rftconf.diff.effects import Effect
from rftconf.diff.halves import NONE, OF_OWN_KIND, SideValue
from rftconf.diff.measured_difference import Tier, words_without_key
from rftconf.diff.ranking import of_stages
from rftconf.diff.table import GROUPS
from rftconf.report.screen import Screen, columns_of, joined, printable
from rftconf.report.values import render_value

if TYPE_CHECKING:
    from rftconf.diff.sides import Idle, Statement

TITLES = {
    Effect.MATHEMATICS: "Changes the mathematics",
    Effect.MEASUREMENT: "Changes what is measured or saved, not what is learned",
    Effect.PERFORMANCE: "Performance only",
    Effect.BOOKKEEPING: "Names and logging only",
}
COLOURS = {
    Effect.MATHEMATICS: "red",
    Effect.MEASUREMENT: "yellow",
    Effect.PERFORMANCE: "cyan",
    Effect.BOOKKEEPING: "dim",
}
COUNTED = {
    Effect.MATHEMATICS: "change the mathematics",
    Effect.MEASUREMENT: "change what is measured",
    Effect.PERFORMANCE: "are performance only",
    Effect.BOOKKEEPING: "are names and logging",
}
SILENT = "not said"
NOTHING = "none"
WITHHELD = "(withheld)"
MARKS = {True: "=", False: "≠", None: "?"}
LEADS = {Verdict.SAME: "The same run", Verdict.DIFFERENT: "Different runs", Verdict.UNKNOWN: "Cannot be compared"}
_NARROW = 84
_LONGEST = 60


def comparison_text(
    comparison: Comparison, screen: Screen, effects: Sequence[Effect] = tuple(Effect), *, full: bool
) -> str:
    """The report. `full` also lists one by one what only one side says and changes no mathematics."""
    lines = [*_heading(comparison, screen, effects)]
    for stage in comparison.stages:
        if len(comparison.stages) > 1:
            lines += ["", screen.style(f"Stage {stage.name}", "bold")]
        lines += _totals(stage.totals, screen)
        lines += _uncounted(comparison, stage, screen)
        lines += _causes(comparison, stage, screen) if Effect.MATHEMATICS in effects else ()
        for effect in effects:
            lines += _effect(effect, stage, screen, full=full)
    lines += _stages_of_one_side(comparison, screen, effects)
    return joined(lines)


def verdict_text(comparison: Comparison, effects: Sequence[Effect]) -> str:
    """The answer in one line, with numbers."""
    verdict = comparison.verdict(tuple(e for e in effects if e is not Effect.BOOKKEEPING) or tuple(effects))
    counts = [(sum(d.certain for d in comparison.of(effect)), COUNTED[effect]) for effect in effects]
    parts = [f"{count} {name}" for count, name in counts if count]
    unsure = sum(not d.certain for effect in effects for d in comparison.of(effect))
    parts += [f"{unsure} cannot be compared"] if unsure else []
    more = len(comparison.only_a) + len(comparison.only_b)
    parts += [f"{more} stages are in one run only"] if more else []
    lead = LEADS[verdict]
    return f"{lead}: of the plan's fields {', '.join(parts)}" if parts else f"{lead}: no field of the plan differs"


def value_text(path: str, value: Any, limit: int = _LONGEST) -> str:
    """A value as a person would write it; a secret is withheld."""
    if value is None:
        return NOTHING if path in (*NONE, *OF_OWN_KIND) else SILENT
    if is_secret(path.rpartition(".")[2], value):
        return WITHHELD
    return str(value) if isinstance(value, Fraction) else render_value(value, limit)


def seen_text(path: str, value: SideValue, limit: int = _LONGEST) -> str:
    """A value, and why it does nothing where it does nothing."""
    if value.none and value.value is None:
        return NOTHING
    text = words_without_key(path, value.value, value.said) or value_text(path, value.value, limit)
    return f"{text} (no effect: {value.idle})" if value.idle and value.value is not None else text


def narrowed(difference: Difference) -> tuple[SideValue, SideValue]:
    """The two sides, mappings by the entries in which they differ."""
    a, b = differing(difference.a.value, difference.b.value)
    return replace(difference.a, value=a), replace(difference.b, value=b)


def statement_text(statement: Statement | None) -> str:
    """Return the origin of a value: keys with file and line, or the release whose default it is."""
    if statement is None:
        return ""
    keys = ", ".join(f"{printable(key)} ({_short(place)})" if place else key for key, place in statement.keys)
    if statement.release:
        lead = f"{statement.kind}{' of' if statement.kind == 'default' else ','} {statement.release}"
        keys = f"{lead}: {keys}" if keys else lead
    return f"{keys}; {statement.how}" if statement.how else keys


def _short(place: Any) -> str:
    return f"{PurePath(place.file).name}:{place.span.line}"


def _heading(comparison: Comparison, screen: Screen, effects: Sequence[Effect]) -> Iterator[str]:
    name = max(columns_of(printable(side.name)) for side in (comparison.a, comparison.b))
    title = max(len(side.title) for side in (comparison.a, comparison.b))
    for letter, side, math, plan in zip(
        "AB", (comparison.a, comparison.b), comparison.math_ids, comparison.plan_ids, strict=True
    ):
        label = printable(side.name)
        gap = " " * (name - columns_of(label))
        yield f"{screen.style(letter, 'bold')}  {label}{gap}  {side.title.ljust(title)}  math {math}  plan {plan}"
    yield ""
    colour = {Verdict.SAME: "green", Verdict.DIFFERENT: "red", Verdict.UNKNOWN: "yellow"}[comparison.verdict()]
    for text in screen.wrap(verdict_text(comparison, effects), 0):
        yield screen.style(text, "bold", colour)


def _totals(counted: Sequence[Counted], screen: Screen) -> Iterator[str]:
    if not counted:
        return
    rows = [(total, total_text(total.a), total_text(total.b)) for total in counted]
    labels = [f"{total.total.name} [{total.total.unit}]" for total, _, _ in rows]
    width, width_a = max(map(len, labels)), max(len(a) for _, a, _ in rows)
    same = all(total.same for total in counted if total.total.mathematics)
    yield ""
    yield screen.style(f"Totals{' (all the same that count for the mathematics)' if same else ''}", "bold")
    yield screen.style(f"    {'':{width}}  {'A'.rjust(width_a)}  B", "dim")
    for (total, a, b), label in zip(rows, labels, strict=True):
        line = f"  {MARKS[total.same]} {label.ljust(width)}  {a.rjust(width_a)}  {b}"
        yield line if total.same else screen.style(line, "red" if total.total.mathematics else "cyan")


def _causes(comparison: Comparison, stage: Stages, screen: Screen) -> Iterator[str]:
    """List the causes why the two runs learn differently, the largest effect first."""
    real = [cause for cause in of_stages(comparison, stage) if cause.tier is not Tier.CHANCE]
    if not real:
        return
    yield ""
    yield screen.style(f"Why they learn differently ({len(real)}, the largest effect first)", "bold", "red")
    for number, cause in enumerate(real, 1):
        lead = f"{number:>3}. "
        for index, text in enumerate(screen.wrap(cause.measured.says, len(lead))):
            yield f"{' ' * len(lead) if index else lead}{text}"


def _uncounted(comparison: Comparison, stage: Stages, screen: Screen) -> Iterator[str]:
    """Yield a hint at the option that makes the length of the run known, where it is not."""
    runs = (comparison.a.stages[stage.a], comparison.b.stages[stage.b])
    if any("stage.run_length.epochs" in run and "stage.run_length.rollouts" not in run for run in runs):
        yield screen.style("  ? how many periods the epochs are is not told: --rows N gives the training rows", "dim")


def total_text(value: Any) -> str:
    """A total; one that is not whole says so."""
    if value is None:
        return "not told"
    if isinstance(value, Fraction):
        return f"{float(value):.6g} (not whole)"
    return formula(value) if isinstance(value, Expr) else str(value)


def _effect(effect: Effect, stage: Stages, screen: Screen, *, full: bool) -> Iterator[str]:
    differences = [d for d in stage.differences if d.known.effect is effect]
    if not differences:
        return
    unfold = full or effect is Effect.MATHEMATICS
    listed = [d for d in differences if (unfold and not _follows(d)) or (full or not d.one_sided)]
    yield ""
    yield screen.style(f"{TITLES[effect]} ({count_text(differences)})", "bold", COLOURS[effect])
    for group in GROUPS:
        inside = [d for d in listed if d.known.group == group]
        if inside:
            yield f"  {screen.style(group, 'bold')}"
        for difference in inside:
            yield from _difference(difference, screen)
    yield from _folded([d for d in differences if d not in listed], screen)


def count_text(differences: Sequence[Difference]) -> str:
    """Return the number of fields that differ, and of those that cannot be compared."""
    unsure = sum(not d.certain for d in differences)
    return f"{len(differences) - unsure}, and {unsure} that cannot be compared" if unsure else str(len(differences))


def _follows(difference: Difference) -> bool:
    return difference.a.idle is not None or difference.b.idle is not None


def _difference(difference: Difference, screen: Screen) -> Iterator[str]:
    yield f"    {screen.style(difference.path.removeprefix('stage.'), 'cyan')}"
    for letter, why in difference.doubts:
        lines = screen.wrap(f"cannot be compared: {letter} {why}", 6)
        yield from (f"      {screen.style(text, 'yellow')}" for text in lines)
    yield from (f"      {screen.style(text, 'dim')}" for text in screen.wrap(difference.known.does, 6))
    columns = [(seen_text(difference.path, side), statement_text(side.said)) for side in narrowed(difference)]
    half = (screen.width - 6 - 3) // 2 if screen.width >= _NARROW else screen.width - 6
    sides = [_column(letter, *column, half, screen) for letter, column in zip("AB", columns, strict=True)]
    if screen.width < _NARROW:
        yield from (f"      {text}" for lines in sides for text, _ in lines)
        return
    for left, right in zip_longest(*sides, fillvalue=("", 0)):
        yield f"      {left[0]}{' ' * (half - left[1])} │ {right[0]}"


def _column(letter: str, value: str, statement: str, width: int, screen: Screen) -> list[tuple[str, int]]:
    """Lines with the columns they take: the value, then where it was said."""
    inner = Screen(max(width - 3, 24), colour=False)
    lines: list[tuple[str, int]] = []
    for index, text in enumerate(_cut(inner.wrap(value, 0), width - 3)):
        lead = f"{letter}  " if not index else "   "
        lines.append((screen.style(lead, "bold") + screen.style(text, "bold"), 3 + columns_of(text)))
    for text in _cut(inner.wrap(statement, 0) if statement else [], width - 3):
        lines.append((f"   {screen.style(text, 'dim')}", 3 + columns_of(text)))
    return lines


def _cut(lines: Sequence[str], width: int) -> Iterator[str]:
    """Lines of at most `width` characters: a key is one long word, cut before a dot where there is one."""
    for line in lines:
        while len(line) > width:
            dot = max(line.rfind(mark, 1, width) for mark in "./_")
            cut_at = dot if dot > width // 2 else width
            yield line[:cut_at]
            line = line[cut_at:]
        yield line


def _folded(folded: Sequence[Difference], screen: Screen) -> Iterator[str]:
    """One paragraph for all that one side alone says, or that acts on one side alone for the same reason."""
    groups: dict[str, list[str]] = {}
    for difference in folded:
        a, b = difference.a, difference.b
        idle = next(((side, value.idle) for side, value in zip("AB", (a, b), strict=True) if value.idle), None)
        lead = f"{idle[0]}: {idle[1]}; without effect there" if idle else f"only {'B' if a.value is None else 'A'} says"
        text = value_text(difference.path, b.value if a.value is None or a.idle else a.value, 30)
        groups.setdefault(lead, []).append(f"{difference.path.removeprefix('stage.')} {text}")
    for lead, names in groups.items():
        first, *more = screen.wrap(f"{lead}: {', '.join(names)}", 6)
        yield f"    {first}"
        yield from (f"      {text}" for text in more)


def _stages_of_one_side(comparison: Comparison, screen: Screen, effects: Sequence[Effect]) -> Iterator[str]:
    if Effect.MATHEMATICS not in effects:
        return
    for letter, names in (("A", comparison.only_a), ("B", comparison.only_b)):
        if names:
            yield ""
            yield screen.style(f"Stages of {letter} only: {', '.join(map(printable, names))}", "bold", "red")
    yield from _own_keys_text(
        "Settings outside the plan that differ; what they do is not known", comparison.own, screen
    )
    yield from _own_keys_text(
        "Settings outside the plan, not compared: the other framework has none of the kind",
        comparison.uncompared,
        screen,
    )
    for letter, idle in zip("AB", comparison.idle, strict=True):
        yield from _idle(letter, idle, screen)


def _own_keys_text(title: str, keys: Sequence[Own], screen: Screen) -> Iterator[str]:
    if not keys:
        return
    yield ""
    yield screen.style(f"{title} ({len(keys)})", "bold", "yellow")
    for key in keys:
        values = [(letter, value) for letter, value in (("A", key.a), ("B", key.b)) if value is not None]
        yield f"  {printable(key.key)}: " + ", ".join(
            f"{letter} {value_text(key.key, value)}" for letter, value in values
        )


def _idle(letter: str, idle: Sequence[Idle], screen: Screen) -> Iterator[str]:
    if not idle:
        return
    yield ""
    yield screen.style(f"Written in {letter}, without effect ({len(idle)})", "bold")
    for idle_key in idle:
        yield f"  {printable(idle_key.key)} ({_short(idle_key.place)})"
        yield from (f"      {text}" for text in screen.wrap(idle_key.why, 6))
