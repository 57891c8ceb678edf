"""Plans as documents, for tests: written as JSON or YAML, and read again."""

from __future__ import annotations

from rftconf.load.plan_document import plan_of
from rftconf.plan.flat import flat_stages
from rftconf.plan.model import Plan
from rftconf.report.plan import plan_json, plan_text, plan_yaml
from rftconf.text.read.read import read
from rftconf.text.source import Source


def as_yaml(plan: Plan) -> str:
    return plan_yaml(plan_json(plan, {}), {})


def read_again(text: str, name: str = "plan.json") -> Plan:
    """The plan in a text; fails with what is wrong with it."""
    document = read(Source(name, text))
    assert document.is_plan
    plan, problems = plan_of(document)
    assert plan is not None, [str(d.message) for d in (*document.diagnostics, *problems)]
    return plan


def read_back(plan: Plan) -> list[Plan]:
    """The plan written as JSON and as YAML, and read again."""
    return [read_again(text) for text in (plan_text(plan), as_yaml(plan))]


def same(first: Plan, second: Plan) -> bool:
    """True for plans with the same values, symbols and what is said to be none included."""
    return first == second and [*flat_stages(first, nulls=True)] == [*flat_stages(second, nulls=True)]
