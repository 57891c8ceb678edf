"""Which GPU holds what in which phase: one drawing of all GPUs and all phases."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from rftconf.budget.as_html import budget_html
from rftconf.budget.as_json import budget_json
from rftconf.budget.as_text import budget_text
from rftconf.budget.drawing import letters, node_rows, phase_names, placement_lines, role_states
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.price import Budget, price
from rftconf.load.load import load
from rftconf.report.screen import Screen
from tests.budget.runs import apart, setup
from tests.budget.test_pools import NARROW, THEIRS, document

H100 = gpu_named("h100-80g")
SCREEN = Screen(100, False)


def judged() -> Budget:
    plan = load(document(**{NARROW: "list(range(0,6))", THEIRS: "list(range(6,8))"}), framework="roll").plan
    return price(setup(plan), H100)


def test_a_line_for_each_phase_and_a_column_for_gpus_that_hold_the_same() -> None:
    lines = list(placement_lines(judged(), SCREEN))
    assert lines[0].startswith("A actor, R rollout, M math_rule")
    assert lines[1].split() == ["GPUs", "a", "0–5", "b", "6–7"]
    rows = {line[:22].strip(): line[23:].split("  ") for line in lines[2:]}
    assert {name: [cell.strip() for cell in cells if cell.strip()] for name, cells in rows.items()} == {
        "load": ["· R", "· M"],
        "rollout": ["· R", "–"],
        "sync": ["A R", "–"],
        "math_rule answers": ["–", "· M"],
        "old log-probs": ["A ·", "A ·"],
        "actor update": ["A ·", "A ·"],
        "save": ["A ·", "A ·"],
    }


def test_states_that_wait_on_the_gpu_are_told_from_a_process_alone() -> None:
    budget = price(setup(), H100)
    (pool,) = budget.pools
    values = {phase.name: role_states(pool, phase) for phase in pool.phases}
    assert values["rollout"] == {"actor": "waits", "rollout": "works"}
    assert values["actor update"] == {"actor": "works", "rollout": "sleeps"}


def test_nodes_that_look_alike_are_one_row() -> None:
    budget = price(setup(apart(nodes=4, engines=4)), H100)
    rows = node_rows(budget)
    assert sum(last - first + 1 for first, last, _ in rows) == 4
    assert [first for first, _, _ in rows] == [0, 1]
    assert len(node_rows(price(replace(setup(), nodes=10_000), H100))) == 2


def test_the_browser_and_json_have_the_same_drawing() -> None:
    budget = judged()
    cells: list[str] = []

    class Cells(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            kind = dict(attrs).get("class")
            if tag == "span" and kind in ("works", "waits", "sleeps") and "title" in dict(attrs):
                cells.append(str(kind))

    Cells().feed(budget_html(budget))
    pools = budget_json(budget)["pools"]
    assert sorted(cells) == sorted(
        state for pool in pools for phase in pool["phases"] for state in phase["holds"].values()
    )
    assert all(name in budget_html(budget) for name in phase_names(budget))


def test_roles_with_the_same_first_letter_have_letters_of_their_own() -> None:
    budget = judged()
    (first, *_) = budget.pools
    twice = replace(first.pool, trainers=(*first.pool.trainers, replace(first.pool.trainers[0], name="auditor")))
    more = replace(budget, pools=(replace(first, pool=twice),))
    assert len(set(letters(more).values())) == len(letters(more)) == 3


def test_a_narrow_screen_puts_groups_below_each_other() -> None:
    text = budget_text(judged(), Screen(30, False))
    assert text.count("  GPUs   ") == 2
