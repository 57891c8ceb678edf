"""An argument that the chosen function does not look at is dead in the source, with what it looks at.

Trinity 0.6.0, algorithm/: StepWiseGRPOAdvantageFn and GiGPOAdvantageFn take `**kwargs` and drop them, sample strategies take
what they need from theirs by `kwargs.get`; every other constructor, the others of advantages among them, takes its own alone.
"""

from __future__ import annotations

import pytest

from rftconf.base.ledger import SourceLine, State
from rftconf.convert.convert import convert
from rftconf.lint.rule import Example
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import as_yaml

STEP_WISE, OWN_CLASS = "algorithm.algorithm_type=multi_step_grpo", "algorithm.advantage_fn=mine"
ADVANTAGE, LOSS, STRATEGY = (f"algorithm.{f}_args." for f in ("advantage_fn", "policy_loss_fn", "sample_strategy"))


def line(key: str, *lines: str, release: str = "0.6.0") -> SourceLine:
    document = read(Source("run.yaml", as_yaml(Example("trinity", lines))))
    done = convert(document, "verl", framework="trinity", release=release)
    return next(source for source in done.ledger.sources if source.key == key)


@pytest.mark.parametrize("release", ["0.3.3", "0.4.1", "0.5.2", "0.6.0"])
@pytest.mark.parametrize(
    ("argument", "lines", "has"),
    [
        (f"{ADVANTAGE}step_norm", (STEP_WISE,), "enable_step_norm"),
        (f"{ADVANTAGE}step_norm", (), "std_threshold"),
        (f"{LOSS}clip_high", (f"{LOSS}clip_range=0.2",), "clip_range_high"),
        (f"{STRATEGY}max_staleness", (), "none"),
    ],
)
def test_an_argument_of_a_name_that_nothing_reads_does_nothing(
    release: str, argument: str, lines: tuple[str, ...], has: str
) -> None:
    result = line(argument, *lines, f"{argument}=true", release=release)
    assert result.state is State.DEAD_IN_SOURCE
    assert has in result.reason


@pytest.mark.parametrize(
    ("argument", "lines"),
    [
        (f"{ADVANTAGE}enable_step_norm", (STEP_WISE,)),
        (f"{ADVANTAGE}rank_penalty", ()),
        (f"{LOSS}delta_sequence_masking", (f"{LOSS}clip_range=0.2",)),
        (f"{STRATEGY}max_staleness", ("algorithm.sample_strategy=staleness_control",)),
        (f"{ADVANTAGE}anything", (OWN_CLASS,)),
    ],
)
def test_an_argument_that_is_read_or_may_be_acts(argument: str, lines: tuple[str, ...]) -> None:
    assert line(argument, *lines, f"{argument}=0.5").state is not State.DEAD_IN_SOURCE


def test_whether_the_run_stops_is_said() -> None:
    """grpo's constructor raises a TypeError, that of step_wise_grpo swallows the name."""
    key = f"{ADVANTAGE}step_norm"
    assert "the run stops at it" in line(key, f"{key}=true").reason
    assert "nothing looks at it" in line(key, STEP_WISE, f"{key}=true").reason
