"""Keys of veRL that are accepted and not read in a run are called dead, with the reason."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import SourceLine, State
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.hazard_runs import VERL

ACTOR = "actor_rollout_ref.actor."
MEGATRON = {f"{ACTOR}strategy": "megatron", "critic.strategy": "megatron"}


def line_of(key: str, changes: dict[str, str], release: str) -> SourceLine:
    """The ledger's line of a key of the example, converted to Trinity-RFT."""
    words = " ".join(f"'{name}={value}'" for name, value in {**VERL, **changes}.items())
    document = read(Source("input.sh", f"python3 -m verl.trainer.main_ppo {words}"))
    done = convert(document, "trinity", framework="verl", release=release)
    (line,) = [line for line in done.ledger.sources if line.key == key]
    return line


@pytest.mark.parametrize(
    ("key", "value", "changes", "release", "why"),
    [
        (f"{ACTOR}optim.lr_warmup_steps_ratio", "0.1", MEGATRON, "0.3.0", "no scheduler"),
        (f"{ACTOR}ppo_epochs", "2", {}, "0.2.0", "goes once over the rollout"),
        ("trainer.v1.separate_async.num_warmup_batches", "2", {}, "0.9.1", "trainer_mode=separate_async reads it"),
    ],
)
def test_what_is_not_read_is_dead(key: str, value: str, changes: dict[str, str], release: str, why: str) -> None:
    line = line_of(key, {**changes, key: value}, release)
    assert line.state is State.DEAD_IN_SOURCE
    assert why in line.reason


def test_a_size_of_sequence_parallelism_that_the_engines_overrules_is_dead() -> None:
    """veRL 0.9.1, FSDPActorConfig.__post_init__: only a size above 1 goes into the engine's config."""
    own, engine = (f"{ACTOR}{block}ulysses_sequence_parallel_size" for block in ("", "fsdp_config."))
    assert line_of(own, {own: "1", engine: "2"}, "0.9.1").state is State.DEAD_IN_SOURCE
    assert line_of(engine, {own: "1", engine: "2"}, "0.9.1").state is State.EXACT


@pytest.mark.parametrize(("release", "state"), [("0.6.1", State.NO_COUNTERPART), ("0.8.0", State.DEAD_IN_SOURCE)])
def test_a_key_lives_as_long_as_its_releases_code_reads_it(release: str, state: State) -> None:
    """veRL 0.6.1 and 0.7.1, fsdp_workers.py: freeze_vision_tower; 0.8.0 has no code for it."""
    key = f"{ACTOR}freeze_vision_tower"
    assert line_of(key, {key: "True"}, release).state is state


@pytest.mark.parametrize(
    "key", ["multi_turn.tool_config_path", "multi_turn.max_assistant_turns", "agent.default_agent_loop"]
)
def test_turns_and_tools_are_part_of_the_plan_and_lost_aloud(key: str) -> None:
    name = f"actor_rollout_ref.rollout.{key}"
    line = line_of(name, {name: "4" if "max" in key else "tool_agent"}, "0.9.1")
    assert line.state is State.NO_COUNTERPART
    assert "multi-step workflow" in line.reason


def test_one_turn_is_nothing_to_lose() -> None:
    name = "actor_rollout_ref.rollout.agent.default_agent_loop"
    assert line_of(name, {name: "single_turn_agent"}, "0.9.1").state is State.DEFAULT
