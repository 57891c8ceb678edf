"""A whole config of changed code: what it has from the framework's own config is nobody's choice, and shows its release."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.schemas import catalogue
from tests.dialects.test_forks import ledger_of, read, states


def whole(release: str, changed: dict[str, object]) -> str:
    """All keys of a release at their defaults, as Hydra composes them, and some that are changed or new."""
    nested: dict[str, object] = {}
    values = dict(catalogue.load("verl", release, "fsdp").resolved_defaults)
    for key, value in {**values, **changed}.items():
        node, (*above, last) = nested, key.split(".")
        for name in above:
            below = node.setdefault(name, {})
            node = below if isinstance(below, dict) else {}
        node[last] = value
    return yaml.safe_dump(nested)


def test_what_stands_in_a_copy_of_the_framework_s_config_was_not_written_to_be_read(tmp_path: Path) -> None:
    """Nobody put the defaults there, so that code that has one more key does not read them for it."""
    text = whole(
        "0.7.1",
        {"actor_rollout_ref.actor.of_nobody": 1, "data.truncation": "middle", "actor_rollout_ref.model.path": "m"},
    )
    new_states = states(ledger_of(read(tmp_path, text, "run.yaml")))
    assert new_states["actor_rollout_ref.actor.of_nobody"] is State.UNKNOWN
    assert new_states["data.datagen.path"] is State.DEAD_IN_SOURCE
    assert new_states["data.truncation"] is State.UNKNOWN  # not the release's value: somebody chose it


def test_a_few_keys_are_no_copy(tmp_path: Path) -> None:
    text = "data: {train_batch_size: 1024}\ntrainer: {nnodes: 1}\nactor_rollout_ref: {model: {path: m}, hybrid_engine: true, actor: {of_nobody: 1}}\n"
    assert not read(tmp_path, text, "run.yaml").came_along


def test_a_whole_config_shows_that_its_checkout_went_on(tmp_path: Path) -> None:
    """Search-R1 stands on 0.2.0; keys that came later show a later copy in a YAML file as in a launch line."""
    text = whole(
        "0.5.0", {"retriever.url": "http://127.0.0.1:1", "retriever.topk": 3, "actor_rollout_ref.model.path": "m"}
    )
    loaded = read(tmp_path, text, "run.yaml")
    assert (loaded.guess.dialect, loaded.release) == ("search-r1", "0.5.0")


@pytest.mark.parametrize(("section", "release"), [("actor_rollout_ref.rollout", "0.5.0"), ("reward_model", "0.4.1")])
def test_a_file_of_a_config_group_is_no_run(tmp_path: Path, section: str, release: str) -> None:
    keys = catalogue.load("verl", release, "fsdp").resolved_defaults
    own = {key.removeprefix(f"{section}."): value for key, value in keys.items() if key.startswith(f"{section}.")}
    flat = {key: value for key, value in own.items() if "." not in key}
    with pytest.raises(RefusedError, match=rf"those of veRL's section {section}, written without it"):
        read(tmp_path, yaml.safe_dump(flat), "part.yaml")
