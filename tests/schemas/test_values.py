from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.symbols import Value, Var
from rftconf.schemas import catalogue, values
from rftconf.schemas.catalogue import Key

TRINITY, VERL = catalogue.load("trinity"), catalogue.load("verl")


def wrong(framework: str, name: str, value: Value) -> str | None:
    known = {"verl": VERL, "trinity": TRINITY}[framework]
    key = known.get(name)
    assert key is not None
    return values.wrong(known, key, value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("algorithm.repeat_times", 8, None),
        ("algorithm.repeat_times", "8", None),
        ("algorithm.repeat_times", 96.5, "expects int, got 96.5"),
        ("algorithm.repeat_times", "abc", 'expects int, got "abc"'),
        ("algorithm.repeat_times", None, "expects int, and null is not one"),
        ("algorithm.repeat_times", Var("N"), None),
        ("algorithm.repeat_times", "${oc.env:N}", None),
        ("algorithm.optimizer.lr", "1e-6", None),
        ("algorithm.optimizer.lr", "fast", 'expects float, got "fast"'),
        ("synchronizer.sync_method", "NCCL", None),
        ("synchronizer.sync_method", "rsync", 'expects one of nccl, checkpoint, memory, online, offline, got "rsync"'),
        ("synchronizer.sync_style", "trainer_driven", None),
        ("algorithm.policy_loss_fn", None, None),
        ("algorithm.optimizer.betas", [0.9, "x"], "expects list[float], got [0.9, 'x']"),
        ("explorer.auxiliary_models[0].engine_num", "two", 'expects int, got "two"'),
    ],
)
def test_trinity_as_its_loader(name: str, value: Value, message: str | None) -> None:
    assert wrong("trinity", name, value) == message


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("actor_rollout_ref.actor.optim.lr", 1e-6, None),
        ("actor_rollout_ref.actor.optim.lr", "abc", 'expects float, got "abc"'),
        ("actor_rollout_ref.actor.use_kl_loss", "yes_please", 'expects bool, got "yes_please"'),
        ("actor_rollout_ref.actor.use_kl_loss", True, None),
        ("trainer.nnodes", 2, None),
        ("trainer.nnodes", "two", 'expects int, got "two"'),
        ("data.train_files", ["a.parquet", "b.parquet"], None),
        ("trainer.logger", "console", None),
        ("data.val_batch_size", 64, None),
        ("actor_rollout_ref.rollout.n", "???", None),
    ],
)
def test_verl_as_a_lint(name: str, value: Value, message: str | None) -> None:
    assert wrong("verl", name, value) == message


@pytest.mark.parametrize("known", [VERL, TRINITY], ids=["verl", "trinity"])
def test_no_default_is_wrong(known: catalogue.Catalogue) -> None:
    findings = {
        name: values.wrong(known, key, key.default) for name, key in known.keys.items() if key.default is not None
    }
    assert {name: text for name, text in findings.items() if text} == {}


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Probe:
    """One field of every kind, for the loader that Trinity uses."""

    whole: int = 1
    maybe: Optional[int] = None  # noqa: UP045
    real: float = 1.0
    truth: bool = False
    words: str = ""
    many: list[float] = field(default_factory=list)


KINDS = {
    "whole": Key("whole", "int", 1, optional=False),
    "maybe": Key("maybe", "int", None, optional=True),
    "real": Key("real", "float", 1.0, optional=False),
    "truth": Key("truth", "bool", False, optional=False),
    "words": Key("words", "str", "", optional=False),
    "many": Key("many", "list[float]", [], optional=False),
}
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        ["", "5", " 5", "5.0", "1e-6", "1_000", "abc", "yes", "Off", "n", "true", "0", "2", "inf", ".inf"]
    )
)


@given(st.sampled_from(sorted(KINDS)), scalars | st.lists(scalars, max_size=3))
def test_trinity_agrees_with_omegaconf(name: str, value: Any) -> None:
    omegaconf = pytest.importorskip("omegaconf")
    try:
        omegaconf.OmegaConf.merge(omegaconf.OmegaConf.structured(Probe), {name: value})
        accepted = True
    except omegaconf.errors.OmegaConfBaseException:
        accepted = False
    assert (values.wrong(TRINITY, KINDS[name], value) is None) == accepted
