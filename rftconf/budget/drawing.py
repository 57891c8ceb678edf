"""A drawing shows the roles that each GPU holds in each phase; GPUs that hold the same are one line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rftconf.budget.phases import Phase
    from rftconf.budget.price import Budget, PoolBudget
    from rftconf.report.screen import Screen

State = Literal["works", "waits", "sleeps"]
"""At work; its states wait on the GPU; only its process is there, its states are elsewhere."""
_PROCESS = ("context", "residue", "slack")
"""Parts of memory that a process has without any state of its role."""
LABEL = 19
"""Columns for the name of a phase, as the bars have it."""


def role_states(pool_budget: PoolBudget, phase: Phase) -> dict[str, State]:
    """Map each role of the pool, trainers first, to its state in that phase: it works, waits or sleeps."""
    states_by_role: dict[str, State] = {}
    for role in pool_budget.pool.roles:
        states = any(t.owner == role and t.size and t.part not in _PROCESS for t in phase.terms)
        states_by_role[role] = "works" if role in phase.at_work else "waits" if states else "sleeps"
    return states_by_role


def phase_names(budget: Budget) -> list[str]:
    """Every phase of any pool, in the order of a step."""
    names: list[str] = []
    for pool_budget in budget.pools:
        own = [phase.name for phase in pool_budget.phases]
        for index, name in enumerate(own):
            if name not in names:
                later = (names.index(successor) for successor in own[index + 1 :] if successor in names)
                names.insert(next(later, len(names)), name)
    return names


def letters(budget: Budget) -> dict[str, str]:
    """A letter for each role: its own first one that is free, else any."""
    marks: dict[str, str] = {}
    for name in dict.fromkeys(role for pool_budget in budget.pools for role in pool_budget.pool.roles):
        candidates = [c for c in name.upper() if c.isalpha() and c.isascii()]
        free = (c for c in (*candidates, *"ABCDEFGHIJKLMNOPQRSTUVWXYZ") if c not in marks.values())
        marks[name] = next(free, "?")
    return marks


def gpu_range(pool_budget: PoolBudget) -> str:
    """`0–7`, or `3`."""
    first, last = pool_budget.pool.first, pool_budget.pool.first + pool_budget.pool.count - 1
    return str(first) if first == last else f"{first}–{last}"


def group_letters(budget: Budget) -> list[str]:
    """A letter for the GPUs of each pool."""
    return [chr(ord("a") + index % 26) for index in range(len(budget.pools))]


def node_rows(budget: Budget) -> list[tuple[int, int, list[str]]]:
    """First and last of the nodes that look alike, and the letter of each of their GPUs; a dot for one that idles."""
    setup, spans = (
        budget.setup,
        [(pool_budget.pool.first, pool_budget.pool.first + pool_budget.pool.count) for pool_budget in budget.pools],
    )
    edges = {edge // setup.gpus_per_node + more for span in spans for edge in span for more in (0, 1)}
    starts = sorted({0, *(edge for edge in edges if edge < setup.nodes)})
    rows: list[tuple[int, int, list[str]]] = []
    for start, after in zip(starts, [*starts[1:], setup.nodes], strict=True):
        row = [_letter_at(start * setup.gpus_per_node + gpu, spans) for gpu in range(setup.gpus_per_node)]
        if rows and rows[-1][2] == row:
            rows[-1] = (rows[-1][0], after - 1, row)
        else:
            rows.append((start, after - 1, row))
    return rows


def _letter_at(gpu: int, spans: list[tuple[int, int]]) -> str:
    return next((chr(ord("a") + index % 26) for index, (first, end) in enumerate(spans) if first <= gpu < end), "·")


def placement_lines(budget: Budget, screen: Screen) -> Iterator[str]:
    """Phases down, GPUs across; as many groups of GPUs beside each other as the screen is wide."""
    marks, names = letters(budget), phase_names(budget)
    yield ", ".join(f"{mark} {role}" for role, mark in marks.items()) + (
        "   (capital: at work, small: waits on the GPU, ·: only its process)"
    )
    heads = [
        f"{letter} {gpu_range(pool_budget)}"
        for letter, pool_budget in zip(group_letters(budget), budget.pools, strict=True)
    ]
    columns = [[_cell(pool_budget, name, marks) for name in names] for pool_budget in budget.pools]
    widths = [max(len(head), *map(len, cells)) for head, cells in zip(heads, columns, strict=True)]
    start = 0
    while start < len(heads):
        end = start + 1
        while end < len(heads) and LABEL + 5 + sum(widths[start : end + 1]) + 2 * (end + 1 - start) <= screen.width:
            end += 1
        yield f"  {'GPUs':<{LABEL}}  " + "  ".join(
            h.ljust(w) for h, w in zip(heads[start:end], widths[start:end], strict=True)
        )
        for row, name in enumerate(names):
            cells = (columns[index][row].ljust(widths[index]) for index in range(start, end))
            yield f"  {name[:LABEL]:<{LABEL}}  " + "  ".join(cells)
        start = end


def _cell(pool_budget: PoolBudget, name: str, marks: dict[str, str]) -> str:
    """A mark for each role of the pool; a dash where the pool has no such phase."""
    phase = next((phase for phase in pool_budget.phases if phase.name == name), None)
    if phase is None:
        return "–"
    marked = ((marks[role], state) for role, state in role_states(pool_budget, phase).items())
    return " ".join("·" if state == "sleeps" else mark if state == "works" else mark.lower() for mark, state in marked)
