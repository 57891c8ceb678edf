"""The account of a training step beside the peaks that `make bench-gpu` measured on a GPU."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest

from benches.gpu_peaks import RESULTS, SIZES, Case, architecture
from rftconf.budget.terms.fsdp_phases import update
from rftconf.budget.terms.term import total

FILES = sorted(RESULTS.glob("gpu-*.json"))


def errors(file: Path) -> dict[str, float]:
    """Return for each measured row how far the account is off, as a share of the peak."""
    data = {}
    for row in json.loads(file.read_text())["rows"]:
        if "reserved" in row:
            case = Case(**{name: row[name] for name in Case.__slots__})
            new_total = total(update(case.job(architecture(SIZES[case.size])))[1])
            data[str(case)] = new_total / row["reserved"] - 1
    return data


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_account_is_near_what_a_gpu_took(file: Path) -> None:
    values = errors(file)
    assert len(values) > 40
    assert fmean(map(abs, values.values())) < 0.02
    assert {name: off for name, off in values.items() if abs(off) > 0.05} == {}
    assert min(values.values()) > -0.01, "a plan that does not fit must not be said to"


def test_there_are_rows() -> None:
    assert FILES
