"""Which programs a key may belong to, before a catalogue is opened."""

from __future__ import annotations

import pytest

from rftconf.schemas import catalogue, registry
from rftconf.schemas.sections import has_one, starts_of


@pytest.mark.parametrize(
    ("key", "starts"),
    [
        ("mode", {"mode", "mode."}),
        ("data.train_files", {"data", "data.train_files"}),
        ("buffer.explorer_input.tasksets[0].path", {"buffer", "buffer.explorer_input"}),
        ("stages[0].buffer.x", {"stages", "stages."}),
        ("inputs<*>.path", {"inputs", "inputs."}),
    ],
)
def test_the_start_of_a_key_is_its_section_and_what_lies_in_it(key: str, starts: set[str]) -> None:
    assert starts_of([key]) == starts


@pytest.mark.parametrize("framework", [framework.name for framework in registry.variants(None)])
def test_no_key_or_node_that_a_release_knows_is_passed_over(framework: str) -> None:
    known = registry.framework(framework)
    for release in known.releases:
        for trainer in known.trainers_of(release):
            new_catalogue = catalogue.load(framework, release, trainer)
            below_open = [f"{name}.x" for name, key in new_catalogue.keys.items() if key.open]
            unseen = [
                key
                for key in (*new_catalogue.keys, *new_catalogue.prefixes(), *below_open)
                if not has_one(framework, starts_of([key]))
            ]
            assert unseen == []


def test_sections_of_one_framework_say_nothing_to_another() -> None:
    assert not has_one("verl", starts_of(["buffer.batch_size", "explorer.runner_per_model", "trainer.trainer_type"]))
    assert not has_one(
        "trinity", starts_of(["data.train_batch_size", "actor_rollout_ref.rollout.n", "trainer.n_gpus_per_node"])
    )
