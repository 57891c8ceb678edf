from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rftconf.base.symbols import Value
from rftconf.schemas import catalogue
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.schemas.catalogue import Catalogue


@pytest.mark.parametrize(
    ("release", "written", "value", "verdict"),
    [
        ("0.9.1", "trainer.nnodes", 2, Verdict.TAKEN),
        ("0.9.1", "trainer.nnods", 2, Verdict.UNKNOWN),
        ("0.9.1", "+trainer.nnods", 2, Verdict.FREE),
        ("0.9.1", "+actor_rollout_ref.actor.mine", 2, Verdict.UNKNOWN),
        ("0.5.0", "+actor_rollout_ref.actor.mine", 2, Verdict.FREE),
        ("0.9.1", "+trainer.nnodes", 2, Verdict.CANNOT_APPEND),
        ("0.9.1", "++trainer.nnodes", 2, Verdict.TAKEN),
        ("0.9.1", "+data.val_batch_size", 2, Verdict.TAKEN),
        ("0.9.1", "algorithm.gdpo_reward_weights", [1], Verdict.NEEDS_PLUS),
        ("0.9.1", "+algorithm.gdpo_reward_weights", [1], Verdict.TAKEN),
        ("0.9.1", "+actor_rollout_ref.rollout.engine_kwargs.vllm.seed", 1, Verdict.TAKEN),
        ("0.9.1", "actor_rollout_ref.rollout.engine_kwargs.vllm.seed", 1, Verdict.NEEDS_PLUS),
        ("0.9.1", "reward_model.enable", True, Verdict.DEAD),
        ("0.9.1", "reward_model.enable", None, Verdict.TAKEN),
        ("0.8.0", "reward_model.enable", True, Verdict.TAKEN),
        ("0.6.1", "actor_rollout_ref.rollout.mode", "sync", Verdict.TAKEN),
        ("0.9.1", "actor_rollout_ref.rollout.mode", "sync", Verdict.VALUE_REFUSED),
        ("0.9.1", "~data.seed", None, Verdict.TAKEN),
    ],
)
def test_verl(release: str, written: str, value: Value, verdict: Verdict) -> None:
    assert judge(catalogue.load("verl", release), written, value) is verdict


def test_a_whole_yaml_has_no_prefixes() -> None:
    known = catalogue.load("verl")
    assert judge(known, "algorithm.gdpo_reward_weights", [1], overrides=False) is Verdict.TAKEN
    assert judge(known, "trainer.mine", 1, overrides=False) is Verdict.FREE
    assert judge(known, "actor_rollout_ref.actor.mine", 1, overrides=False) is Verdict.UNKNOWN


def test_trinity_is_strict_but_for_its_free_dicts() -> None:
    known = catalogue.load("trinity")
    assert judge(known, "algorithm.mine", 1, overrides=False) is Verdict.UNKNOWN
    assert judge(known, "algorithm.policy_loss_fn_args.mine", 1, overrides=False) is Verdict.TAKEN
    assert judge(known, "stages[0].explorer", None, overrides=False) is Verdict.TAKEN


def test_fits_is_taken_or_free() -> None:
    assert [verdict for verdict in Verdict if verdict.fits] == [Verdict.TAKEN, Verdict.FREE]


CONFIG: dict[str, Any] = {"here": 1, "null": None, "listed": [1], "node": {"inner": 2}, "empty": {}}
ROWS: dict[str, list[Any]] = {
    "here": ["~int", 1],
    "null": ["~any?", None],
    "listed": ["~list[int]", [1]],
    "node.inner": ["~int", 2],
    "empty": ["~dict", {}, {"open": True}],
}
WRITTEN = [
    *(
        f"{prefix}{key}=5"
        for prefix in ("", "+", "++")
        for key in ("here", "null", "node.inner", "absent", "node.absent")
    ),
    *("empty.new=1", "+empty.new=1", "++empty.new=1", "+listed=[2]", "+empty={a: 1}", "listed=[2]", "empty.a.b=1"),
]


@pytest.mark.parametrize("written", WRITTEN)
def test_hydra_agrees(written: str, tmp_path: Path) -> None:
    """The verdicts on a plain YAML are what Hydra does with it."""
    hydra = pytest.importorskip("hydra")
    errors = pytest.importorskip("hydra.errors")
    (tmp_path / "config.yaml").write_text(json.dumps(CONFIG), encoding="utf-8")
    try:
        with hydra.initialize_config_dir(str(tmp_path), version_base=None):
            hydra.compose("config", overrides=[written])
        accepted = True
    except errors.ConfigCompositionException:
        accepted = False
    key, _, text = written.partition("=")
    value: Value = {"a": 1} if text.startswith("{") else [2] if text.startswith("[") else int(text)
    assert judge(Catalogue("verl", "0.9.1", "fsdp", ROWS), key, value).fits == accepted
