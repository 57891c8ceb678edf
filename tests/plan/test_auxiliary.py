"""GPUs of models that answer during rollout: one engine each, and none for a service outside of the run."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.plan.auxiliary import place_auxiliary

MODEL = "stage.placement.auxiliary[0]."


@pytest.mark.parametrize(
    ("engine", "gpus", "total"), [("vllm", None, 2), ("vllm", 4, 4), ("external", None, 0)], ids=str
)
def test_a_model_that_the_run_holds_has_gpus(engine: str, gpus: int | None, total: int) -> None:
    values: dict[str, Any] = {MODEL + "role": "reward", MODEL + "engine": engine, MODEL + "tp": 2, MODEL + "gpus": gpus}
    assert place_auxiliary(values, {}) == total
    assert values[MODEL + "gpus"] == (total or None)
