"""The view of flat values reads as the typed plan does."""

from __future__ import annotations

import pytest

from rftconf.base.errors import UsageError
from rftconf.budget.roles.plan_view import plan_view
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import open_source
from tests.budget.runs import GOLDEN

CASES = sorted(path.name for path in GOLDEN.iterdir() if any(f.stem == "input" for f in path.iterdir()))


@pytest.mark.parametrize("case", CASES)
def test_both_give_the_same_setup(case: str) -> None:
    (file,) = (f for f in (GOLDEN / case).iterdir() if f.stem == "input" and f.is_file())
    loaded = load(read(open_source(file)))
    view = plan_view((s.values for s in loaded.stages), loaded.framework, loaded.release, loaded.extensions)
    request = BudgetRequest(nodes=1, gpus_per_node=8, model="Qwen/Qwen3-8B")

    def said(plan: object) -> object:
        try:
            return setup_of(plan, request)  # type: ignore[arg-type]
        except UsageError as error:
            return str(error)

    assert said(view) == said(loaded.plan)


def test_a_field_that_no_plan_has_is_an_error() -> None:
    view = plan_view([{}], None, None, {})
    assert view.stages[0].placement.actor.gpus is None
    assert view.stages[0].placement.auxiliary == []
    with pytest.raises(AttributeError, match=r"no stage\.placement\.nonsense"):
        _ = view.stages[0].placement.nonsense  # type: ignore[attr-defined]
