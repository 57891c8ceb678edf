"""Rows of a data set: those that are too long, those of another domain, those of a named part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("datasets", reason="needs the runner's environment (make runner-env)")
from rftconf_runner.data import Prompts
from rftconf_runner.job_reader import job_of

from rftconf.plan.data_parts import DataSet, Domain
from rftconf.plan.model import Plan
from tests.runner.test_job import plan
from tests.runner.test_mixing import Letters


def of_rows(file: Path, rows: list[dict[str, Any]], **data: Any) -> Plan:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    new_plan = plan()
    new_plan.stages[0].data.train = [DataSet(uri=str(file), **data)]
    return new_plan


@pytest.mark.parametrize(("word", "why"), [("keep", "neither drops nor cuts"), ("mask_dummy", "answers masked")])
def test_a_prompt_over_the_limit_stops_where_it_is_not_dropped(tmp_path: Path, word: str, why: str) -> None:
    rows = [{"prompt": "a" * (17 if index == 8 else 16)} for index in range(9)]
    new_plan = of_rows(tmp_path / "rows.jsonl", rows)
    new_plan.stages[0].length.overlong_prompt = word  # type: ignore[assignment]
    with pytest.raises(ValueError, match=rf"row 8 has 17 tokens, .* = 16; .*{why}"):
        Prompts(job_of(new_plan), Letters())
    new_plan = of_rows(tmp_path / "rows.jsonl", rows[:8])
    new_plan.stages[0].length.overlong_prompt = word  # type: ignore[assignment]
    assert len(Prompts(job_of(new_plan), Letters()).prompts) == 8


@pytest.mark.parametrize(
    ("column", "value", "refused"),
    [
        ("agent_name", "tool_agent", True),
        ("agent_name", "single_turn_agent", False),
        ("images", ["a.png"], True),
        ("tools", [{"name": "search"}], True),
        ("videos", None, False),
    ],
)
def test_a_column_that_makes_another_run(tmp_path: Path, column: str, value: object, refused: bool) -> None:
    new_plan = of_rows(tmp_path / "rows.jsonl", [{"prompt": "a", column: value} for _ in range(8)])
    if refused:
        with pytest.raises(ValueError, match=rf"rows\.jsonl, row 0: the column '{column}' is"):
            Prompts(job_of(new_plan), Letters())
    else:
        assert len(Prompts(job_of(new_plan), Letters()).prompts) == 8


def test_a_single_domain_has_no_rows_of_another(tmp_path: Path) -> None:
    """ROLL would never draw them (H43)."""
    rows = [{"prompt": "a", "tag": "gsm" if index < 8 else "code"} for index in range(9)]
    new_plan = of_rows(tmp_path / "rows.jsonl", rows)
    new_plan.stages[0].data.domains = [Domain(name="math", tags=["gsm"])]
    with pytest.raises(ValueError, match=r"rows\.jsonl, row 8: tag 'code' is of none of stage\.data\.domains"):
        Prompts(job_of(new_plan), Letters())
    new_plan.stages[0].data.domains = [Domain(name="math", tags=["gsm", "code"])]
    assert len(Prompts(job_of(new_plan), Letters()).prompts) == 9
    new_plan = of_rows(tmp_path / "rows.jsonl", [{**row, "domain": "math"} for row in rows])  # goes before the tag
    new_plan.stages[0].data.domains = [Domain(name="math", tags=["gsm"])]
    assert len(Prompts(job_of(new_plan), Letters()).prompts) == 9


def test_a_part_of_a_folder(tmp_path: Path) -> None:
    """As a data set's own card names it."""
    for name in ("main", "socratic"):
        (tmp_path / "set" / name).mkdir(parents=True)
        rows = [json.dumps({"prompt": f"{name} {index}"}) for index in range(8)]
        (tmp_path / "set" / name / "train.jsonl").write_text("\n".join(rows))
    parts = "".join(f"- config_name: {name}\n  data_files: {name}/train.jsonl\n" for name in ("main", "socratic"))
    (tmp_path / "set" / "README.md").write_text(f"---\nconfigs:\n{parts}---\n")
    new_plan = plan()
    new_plan.stages[0].data.train = [DataSet(uri=str(tmp_path / "set"), subset="socratic")]
    assert {prompt.asked.split()[0] for prompt in Prompts(job_of(new_plan), Letters()).prompts} == {"socratic"}


def test_epochs_are_the_periods_where_the_plan_counts_none(tmp_path: Path) -> None:
    new_plan = of_rows(tmp_path / "rows.jsonl", [{"prompt": str(index)} for index in range(20)])
    new_plan.stages[0].run_length.rollouts, new_plan.stages[0].run_length.epochs = None, 3
    data = Prompts(job_of(new_plan), Letters())
    assert (data.periods(), data.job.rollouts) == (6, 6)  # 16 of 20 prompts an epoch, 8 a period
