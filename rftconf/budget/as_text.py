"""A budget for people: verdict, GPUs and their roles, a bar per phase, and every formula when asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rftconf.budget.drawing import gpu_range, group_letters, node_rows, placement_lines
from rftconf.report.screen import Screen, joined

if TYPE_CHECKING:
    from rftconf.budget.advice.cluster_search import Answer
    from rftconf.budget.advice.inverse_questions import Point
    from rftconf.budget.phases import Phase
    from rftconf.budget.price import Budget, PoolBudget
    from rftconf.budget.terms.term import Part, Term

GIB = 1 << 30
MARKS: dict[Part, str] = {
    "weights": "W",
    "gradients": "G",
    "optimizer": "O",
    "unsharded": "U",
    "activations": "A",
    "logits": "L",
    "kv_cache": "K",
    "residue": "r",
    "context": "c",
    "slack": "s",
}
"""One letter per part; bars are readable without colours."""
_COLOURS = {"W": "blue", "G": "cyan", "O": "cyan", "U": "yellow", "A": "green", "L": "red", "K": "dim"}
_TONE = {"fits": "green", "does not fit": "red", "too close to tell": "yellow"}


def budget_text(budget: Budget, screen: Screen, *, gpu_hours: float | None = None) -> str:
    """The whole answer on a screen or two."""
    return joined(_lines(budget, screen, gpu_hours))


def _lines(budget: Budget, screen: Screen, gpu_hours: float | None) -> Iterator[str]:
    setup, gpu = budget.setup, budget.gpu
    arch = setup.model.architecture
    yield f"{setup.model.name}: {arch.parameters:,} parameters" + (
        f", {arch.active:,} active per token" if arch.active != arch.parameters else ""
    )
    yield f"{setup.nodes} × {setup.gpus_per_node} {gpu.title}: {gpu.usable_gib:g} GiB usable of {gpu.label_gb} GB on the label"
    if not gpu.measured:
        least, most = gpu.range
        text = f"{gpu.usable_gib:g} GiB ({_gib(least)} to {_gib(most)} in the verdict): {gpu.source}"
        yield from _note(text, screen)
    for note in setup.notes:
        yield from _note(note, screen)
    yield ""
    yield from _verdict(budget, screen)
    yield ""
    yield from _drawing(budget, screen)
    for pool in budget.pools:
        yield ""
        yield from _bars(pool, budget, screen)
    yield ""
    yield "  " + "  ".join(f"{mark} {part.replace('_', ' ')}" for part, mark in MARKS.items())
    yield from _serving(budget)
    if gpu_hours is not None:
        yield f"GPU-hours: {gpu_hours:,.1f}"


def _note(text: str, screen: Screen) -> Iterator[str]:
    first, *more = screen.wrap(text, 6)
    yield f"note: {first}"
    yield from (f"      {line}" for line in more)


def _verdict(budget: Budget, screen: Screen) -> Iterator[str]:
    worst, phase = budget.deciding, budget.deciding.deciding
    terms = sorted(phase.terms, key=lambda t: -t.size)
    yield screen.style(budget.verdict, "bold", _TONE[budget.verdict]) + (
        f": peak {_gib(phase.size)} GiB ({_gib(phase.low)} to {_gib(phase.high)}) in {phase.name}, {phase.moment},"
        f" on GPUs {gpu_range(worst)}; headroom {_gib(budget.headroom)} GiB ({100 * budget.headroom / budget.gpu.usable:.0f} %)"
    )
    yield f"decided by {terms[0].name}: {_gib(terms[0].size)} GiB = {terms[0].formula}"
    for serving in budget.starved:
        yield screen.style(
            f"{serving.role}: the KV cache holds {serving.requests:.2f} requests of the greatest length; the engine will not start",
            "red",
        )
    for problem in budget.problems:
        yield screen.style(f"cannot run ({problem.source}): {problem.message}", "red")
        if problem.nearest:
            yield f"  nearest: {', '.join(problem.nearest)}"


def _drawing(budget: Budget, screen: Screen) -> Iterator[str]:
    """A row per node, a column per GPU; the letter names the GPUs that hold the same; then what they hold when."""
    for letter, pool_budget in zip(group_letters(budget), budget.pools, strict=True):
        yield f"{letter}  {pool_budget.pool.count} GPU{'s' if pool_budget.pool.count > 1 else ''}: {' + '.join(pool_budget.pool.roles)}"
    rows = [(f"node {a}" if a == b else f"nodes {a}–{b}", row) for a, b, row in node_rows(budget)]
    wide = max(8, *(len(label) for label, _ in rows))
    yield from (f"   {label:<{wide}} {' '.join(row)}" for label, row in rows)
    yield ""
    yield from placement_lines(budget, screen)


def _bars(pool_budget: PoolBudget, budget: Budget, screen: Screen) -> Iterator[str]:
    width = max(screen.width - 54, 20)
    scale = max(budget.gpu.usable, *(phase.high for phase in pool_budget.phases)) / width
    edge = round(budget.gpu.usable / scale)
    yield f"GPUs {gpu_range(pool_budget)}: {' + '.join(pool_budget.pool.roles)}"
    for phase in pool_budget.phases:
        bar = _bar(phase, scale, width, screen)
        end = "|" if edge <= width else ""
        mark = ">" if phase is pool_budget.deciding else " "
        yield f"{mark} {phase.name[:19]:<19} {bar}{end} {_gib(phase.size):>6} ({_gib(phase.low)}–{_gib(phase.high)}) GiB"


def _bar(phase: Phase, scale: float, width: int, screen: Screen) -> str:
    parts, text, position, drawn = phase.parts(), [], 0, 0
    for part, mark in MARKS.items():
        position += parts.get(part, 0)
        until = min(round(position / scale), width)
        piece = mark * max(until - drawn, 0)
        drawn = max(until, drawn)
        text.append(screen.style(piece, _COLOURS[mark]) if mark in _COLOURS else piece)
    high = min(round(phase.high / scale), width)
    return "".join(text) + "~" * max(high - drawn, 0) + " " * (width - max(high, drawn))


def _serving(budget: Budget) -> Iterator[str]:
    for serving, role in zip(budget.serving, budget.setup.served, strict=True):
        yield (
            f"{serving.role}: {serving.replicas} engines, {serving.blocks:,} KV blocks each, {serving.requests:.1f} requests of"
            f" {role.engine.max_model_tokens:,} tokens at once"
        )


def explain_text(budget: Budget, words: str | None = None) -> str:
    """Every term of each pool's deciding phase (or of the phases named) with its formula; they add up exactly."""
    return joined(_explained(budget, words))


def _explained(budget: Budget, words: str | None) -> Iterator[str]:
    for pool_budget in budget.pools:
        chosen = [p for p in pool_budget.phases if words and words in p.name] or (
            [] if words else [pool_budget.deciding]
        )
        for phase in chosen:
            yield f"GPUs {gpu_range(pool_budget)}, {phase.name} ({phase.moment})"
            yield from _sum(phase.terms)
            yield ""


def _sum(terms: Iterable[Term]) -> Iterator[str]:
    total = 0
    for term in terms:
        total += term.size
        who = f"{term.owner} {term.name}" if term.owner else term.name
        yield f"  {term.size:>18,} B  {term.part:<11} {who:<34} = {term.formula}"
    yield f"  {total:>18,} B  = {total / GIB:.3f} GiB"


def answers_text(answers: Iterable[Answer], screen: Screen) -> str:
    """Write the answers on what would fit, one question after the other, with the number that `--apply` takes."""
    lines = []
    for number, answer in enumerate(answers, 1):
        lines.append(screen.style(f"{number}. {answer.question}", "bold"))
        lines += [f"  {line}" for line in screen.wrap(answer.text, 2)]
        lines += [f"  set {change.path} = {change.new} (was {change.old})" for change in answer.changes]
        if answer.budget is not None:
            phase = answer.budget.deciding.deciding
            lines.append(
                f"  checked: {answer.budget.verdict}, {_gib(phase.size)} GiB (to {_gib(phase.high)}) in {phase.name}"
            )
    return joined(lines)


def front_text(points: Iterable[Point], screen: Screen) -> str:
    """Clusters by rent; the efficient ones with a bar of the tokens that they allow."""
    rows = sorted(points, key=lambda p: (p.price, p.gpus))
    most = max((p.tokens or 0 for p in rows), default=0) or 1
    width = max(screen.width - 62, 10)
    lines = [f"{'GPU':<18}{'GPUs':>5} {'USD/h':>8} {'tokens/rank':>12} {'left GiB':>9}"]
    for p in rows:
        if p.tokens is None:
            continue
        bar = "█" * round(width * p.tokens / most)
        star = "*" if p.efficient else " "
        lines.append(f"{p.gpu:<18}{p.gpus:>5} {p.price:>8.2f} {p.tokens:>12,} {p.headroom_gib:>9.1f} {star} {bar}")
    lines.append("* no cheaper cluster allows as large a micro-batch; rents are rough and only rank clusters")
    return joined(lines)


def _gib(size: int) -> str:
    return f"{size / GIB:.1f}"
