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
from rftconf.diff.halves import NONE, Seen
from rftconf.diff.measured_difference import Tier
from rftconf.diff.ranking import of_stages
from rftconf.diff.table import GROUPS
from rftconf.report.screen import Screen, columns_of, joined, printable
from rftconf.report.values import render_value

if TYPE_CHECKING:
    from rftconf.diff.sides import Idle, Said

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
_NARROW = 84
_LONGEST = 60


def comparison_text(found: Comparison, screen: Screen, effects: Sequence[Effect] = tuple(Effect), *, full: bool) -> str:
    """The report. `full` also lists one by one what only one side says and changes no mathematics."""
    lines = [*_heading(found, screen, effects)]
    for stage in found.stages:
        if len(found.stages) > 1:
            lines += ["", screen.style(f"Stage {stage.name}", "bold")]
        lines += _totals(stage.totals, screen)
        lines += _uncounted(found, stage, screen)
        lines += _causes(found, stage, screen) if Effect.MATHEMATICS in effects else ()
        for effect in effects:
            lines += _effect(effect, stage, screen, full=full)
    lines += _stages_of_one_side(found, screen, effects)
    return joined(lines)


def verdict_text(found: Comparison, effects: Sequence[Effect]) -> str:
    """The answer in one line, with numbers."""
    verdict = found.verdict(tuple(effect for effect in effects if effect is not Effect.BOOKKEEPING) or tuple(effects))
    counts = [(sum(one.certain for one in found.of(effect)), COUNTED[effect]) for effect in effects]
    parts = [f"{count} {said}" for count, said in counts if count]
    unsure = sum(not one.certain for effect in effects for one in found.of(effect))
    parts += [f"{unsure} cannot be compared"] if unsure else []
    more = len(found.only_a) + len(found.only_b)
    parts += [f"{more} stages are in one run only"] if more else []
    lead = {Verdict.SAME: "The same run", Verdict.DIFFERENT: "Different runs", Verdict.UNKNOWN: "Cannot be compared"}[
        verdict
    ]
    return f"{lead}: of the plan's fields {', '.join(parts)}" if parts else f"{lead}: no field of the plan differs"


def value_text(path: str, value: Any, limit: int = _LONGEST) -> str:
    """A value as a person would write it; a secret is withheld."""
    if value is None:
        return NOTHING if path in NONE else SILENT
    if is_secret(path.rpartition(".")[2], value):
        return WITHHELD
    return str(value) if isinstance(value, Fraction) else render_value(value, limit)


def seen_text(path: str, seen: Seen, limit: int = _LONGEST) -> str:
    """A value, and why it does nothing where it does nothing."""
    text = value_text(path, seen.value, limit)
    return f"{text} (no effect: {seen.idle})" if seen.idle and seen.value is not None else text


def narrowed(one: Difference) -> tuple[Seen, Seen]:
    """The two sides, mappings by the entries in which they differ."""
    a, b = differing(one.a.value, one.b.value)
    return replace(one.a, value=a), replace(one.b, value=b)


def said_text(said: Said | None) -> str:
    """Where a value was said: keys with file and line, or the default of which release."""
    if said is None:
        return ""
    keys = ", ".join(f"{printable(key)} ({_short(place)})" if place else key for key, place in said.keys)
    if said.release:
        lead = f"{said.kind} of {said.release}" if said.kind == "default" else f"{said.kind}, {said.release}"
        keys = f"{lead}: {keys}" if keys else lead
    return f"{keys}; {said.how}" if said.how else keys


def _short(place: Any) -> str:
    return f"{PurePath(place.file).name}:{place.span.line}"


def _heading(found: Comparison, screen: Screen, effects: Sequence[Effect]) -> Iterator[str]:
    name = max(columns_of(printable(side.name)) for side in (found.a, found.b))
    title = max(len(side.title) for side in (found.a, found.b))
    for letter, side, math, plan in zip("AB", (found.a, found.b), found.math_ids, found.plan_ids, strict=True):
        label = printable(side.name)
        gap = " " * (name - columns_of(label))
        yield f"{screen.style(letter, 'bold')}  {label}{gap}  {side.title.ljust(title)}  math {math}  plan {plan}"
    yield ""
    colour = {Verdict.SAME: "green", Verdict.DIFFERENT: "red", Verdict.UNKNOWN: "yellow"}[found.verdict()]
    for text in screen.wrap(verdict_text(found, effects), 0):
        yield screen.style(text, "bold", colour)


def _totals(counted: Sequence[Counted], screen: Screen) -> Iterator[str]:
    if not counted:
        return
    rows = [(one, total_text(one.a), total_text(one.b)) for one in counted]
    labels = [f"{one.total.name} [{one.total.unit}]" for one, _, _ in rows]
    width, left = max(map(len, labels)), max(len(a) for _, a, _ in rows)
    same = all(one.same for one in counted if one.total.mathematics)
    yield ""
    yield screen.style(f"Totals{' (all the same that count for the mathematics)' if same else ''}", "bold")
    yield screen.style(f"    {'':{width}}  {'A'.rjust(left)}  B", "dim")
    for (one, a, b), label in zip(rows, labels, strict=True):
        line = f"  {MARKS[one.same]} {label.ljust(width)}  {a.rjust(left)}  {b}"
        yield line if one.same else screen.style(line, "red" if one.total.mathematics else "cyan")


def _causes(found: Comparison, stage: Stages, screen: Screen) -> Iterator[str]:
    """Why the two learn differently, the largest effect first."""
    real = [one for one in of_stages(found, stage) if one.tier is not Tier.CHANCE]
    if not real:
        return
    yield ""
    yield screen.style(f"Why they learn differently ({len(real)}, the largest effect first)", "bold", "red")
    for number, one in enumerate(real, 1):
        lead = f"{number:>3}. "
        for at, text in enumerate(screen.wrap(one.measured.says, len(lead))):
            yield f"{' ' * len(lead) if at else lead}{text}"


def _uncounted(found: Comparison, stage: Stages, screen: Screen) -> Iterator[str]:
    """What would make the length of the run known."""
    runs = (found.a.stages[stage.a], found.b.stages[stage.b])
    if any("stage.run_length.epochs" in one and "stage.run_length.rollouts" not in one for one in runs):
        yield screen.style("  ? how many periods the epochs are is not told: --rows N gives the training rows", "dim")


def total_text(value: Any) -> str:
    """A total; one that is not whole says so."""
    if value is None:
        return "not told"
    if isinstance(value, Fraction):
        return f"{float(value):.6g} (not whole)"
    return formula(value) if isinstance(value, Expr) else str(value)


def _effect(effect: Effect, stage: Stages, screen: Screen, *, full: bool) -> Iterator[str]:
    found = [one for one in stage.differences if one.known.effect is effect]
    if not found:
        return
    unfold = full or effect is Effect.MATHEMATICS
    listed = [one for one in found if (unfold and not _follows(one)) or (full or not one.one_sided)]
    yield ""
    yield screen.style(f"{TITLES[effect]} ({count_text(found)})", "bold", COLOURS[effect])
    for group in GROUPS:
        inside = [one for one in listed if one.known.group == group]
        if inside:
            yield f"  {screen.style(group, 'bold')}"
        for one in inside:
            yield from _difference(one, screen)
    yield from _folded([one for one in found if one not in listed], screen)


def count_text(found: Sequence[Difference]) -> str:
    """How many fields differ, and how many nobody can tell of."""
    unsure = sum(not one.certain for one in found)
    return f"{len(found) - unsure}, and {unsure} that cannot be compared" if unsure else str(len(found))


def _follows(one: Difference) -> bool:
    return one.a.idle is not None or one.b.idle is not None


def _difference(one: Difference, screen: Screen) -> Iterator[str]:
    name = one.path.removeprefix("stage.")
    unsure = "" if one.certain else "cannot be compared"
    beside = len(name) + len(unsure) + 6 <= screen.width
    yield f"    {screen.style(name, 'cyan')}{'  ' * beside}{screen.style(unsure * beside, 'yellow')}"
    if unsure and not beside:
        yield f"      {screen.style(unsure, 'yellow')}"
    yield from (f"      {screen.style(text, 'dim')}" for text in screen.wrap(one.known.does, 6))
    columns = [(seen_text(one.path, seen), said_text(seen.said)) for seen in narrowed(one)]
    half = (screen.width - 6 - 3) // 2 if screen.width >= _NARROW else screen.width - 6
    sides = [_column(letter, *column, half, screen) for letter, column in zip("AB", columns, strict=True)]
    if screen.width < _NARROW:
        yield from (f"      {text}" for lines in sides for text, _ in lines)
        return
    for left, right in zip_longest(*sides, fillvalue=("", 0)):
        yield f"      {left[0]}{' ' * (half - left[1])} │ {right[0]}"


def _column(letter: str, value: str, said: str, width: int, screen: Screen) -> list[tuple[str, int]]:
    """Lines with the columns they take: the value, then where it was said."""
    inner = Screen(max(width - 3, 24), colour=False)
    lines: list[tuple[str, int]] = []
    for at, text in enumerate(_cut(inner.wrap(value, 0), width - 3)):
        lead = f"{letter}  " if not at else "   "
        lines.append((screen.style(lead, "bold") + screen.style(text, "bold"), 3 + columns_of(text)))
    for text in _cut(inner.wrap(said, 0) if said else [], width - 3):
        lines.append((f"   {screen.style(text, 'dim')}", 3 + columns_of(text)))
    return lines


def _cut(lines: Sequence[str], width: int) -> Iterator[str]:
    """Lines of at most `width` characters: a key is one long word, cut before a dot where there is one."""
    for line in lines:
        while len(line) > width:
            dot = max(line.rfind(mark, 1, width) for mark in "./_")
            at = dot if dot > width // 2 else width
            yield line[:at]
            line = line[at:]
        yield line


def _folded(found: Sequence[Difference], screen: Screen) -> Iterator[str]:
    """One paragraph for all that one side alone says, or that acts on one side alone for the same reason."""
    groups: dict[str, list[str]] = {}
    for one in found:
        idle = next(((side, seen.idle) for side, seen in zip("AB", (one.a, one.b), strict=True) if seen.idle), None)
        lead = (
            f"{idle[0]}: {idle[1]}; without effect there"
            if idle
            else f"only {'B' if one.a.value is None else 'A'} says"
        )
        value = one.b.value if one.a.value is None or one.a.idle else one.a.value
        groups.setdefault(lead, []).append(f"{one.path.removeprefix('stage.')} {value_text(one.path, value, 30)}")
    for lead, names in groups.items():
        first, *rest = screen.wrap(f"{lead}: {', '.join(names)}", 6)
        yield f"    {first}"
        yield from (f"      {text}" for text in rest)


def _stages_of_one_side(found: Comparison, screen: Screen, effects: Sequence[Effect]) -> Iterator[str]:
    if Effect.MATHEMATICS not in effects:
        return
    for letter, names in (("A", found.only_a), ("B", found.only_b)):
        if names:
            yield ""
            yield screen.style(f"Stages of {letter} only: {', '.join(map(printable, names))}", "bold", "red")
    yield from _own_keys_text("Settings outside the plan that differ; what they do is not known", found.own, screen)
    yield from _own_keys_text(
        "Settings outside the plan, not compared: the other framework has none of the kind", found.uncompared, screen
    )
    for letter, idle in zip("AB", found.idle, strict=True):
        yield from _idle(letter, idle, screen)


def _own_keys_text(title: str, keys: Sequence[Own], screen: Screen) -> Iterator[str]:
    if not keys:
        return
    yield ""
    yield screen.style(f"{title} ({len(keys)})", "bold", "yellow")
    for one in keys:
        values = [(letter, value) for letter, value in (("A", one.a), ("B", one.b)) if value is not None]
        yield f"  {printable(one.key)}: " + ", ".join(
            f"{letter} {value_text(one.key, value)}" for letter, value in values
        )


def _idle(letter: str, idle: Sequence[Idle], screen: Screen) -> Iterator[str]:
    if not idle:
        return
    yield ""
    yield screen.style(f"Written in {letter}, without effect ({len(idle)})", "bold")
    for one in idle:
        yield f"  {printable(one.key)} ({_short(one.place)})"
        yield from (f"      {text}" for text in screen.wrap(one.why, 6))
