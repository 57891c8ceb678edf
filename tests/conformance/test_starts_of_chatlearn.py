"""ChatLearn's start judge: it starts what starts, and stops where ChatLearn's modules stop though its loader takes the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conformance.conversions import converted_script, judge
from tests.conformance.environment import CHATLEARN_TARGETS, Target, folder
from tests.conformance.judging import Bench
from tests.conformance.test_starts_of_roll import FSDP, MEGATRON, VERL

STARTED = CHATLEARN_TARGETS[-1:]
GOOD = {"fsdp": FSDP, "megatron": MEGATRON}
pytestmark = pytest.mark.skipif(
    not STARTED, reason=f"no checkout of ChatLearn in {folder()}: make conformance-env CHATLEARN_SRC=its repository"
)


@dataclass(frozen=True, slots=True)
class Break:
    """Another value at a key of a good file that the loader takes, and where and with what words ChatLearn stops."""

    case: str
    key: str
    value: str
    stage: str
    says: str


BREAKS = {
    "sequence groups that leave GPUs over": Break(
        "fsdp", "ulysses_sequence_parallel_size", "3", "validate", "ulysses_sequence_parallel_size"
    ),
    "a step that holds no token of each sequence": Break(
        "fsdp", "max_num_batched_tokens", "1", "start", "max_num_batched_tokens"
    ),
}


def written(target: Target, case: str, folder: Path) -> Path:
    return converted_script(VERL.format(words=GOOD[case]), target, folder)


@pytest.mark.parametrize("target", STARTED, ids=str)
@pytest.mark.parametrize("case", GOOD)
def test_a_conversion_starts(bench: Bench, target: Target, case: str, tmp_path: Path) -> None:
    verdict = judge(bench, target, written(target, case, tmp_path), tmp_path)
    assert verdict.ok, str(verdict)


@pytest.mark.parametrize("target", STARTED, ids=str)
@pytest.mark.parametrize("name", BREAKS)
def test_what_stops_the_modules_stops_the_judge(bench: Bench, target: Target, name: str, tmp_path: Path) -> None:
    change = BREAKS[name]
    file = written(target, change.case, tmp_path)
    text = file.read_text()
    section, new_text = "  policy_trainer:\n" if change.stage == "validate" else "  policy:\n", f"    {change.key}: "
    remaining = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(new_text))
    file.write_text(remaining.replace(section, f"{section}{new_text}{change.value}\n"))
    verdict = judge(bench, target, file, tmp_path)
    assert (verdict.ok, verdict.stage) == (False, change.stage), str(verdict)
    assert change.says in verdict.error
