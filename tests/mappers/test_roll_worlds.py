"""ROLL's agentic rollout pipeline: environments are played, nothing is trained (H15)."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, convert
from rftconf.load.load import load
from rftconf.plan.identity import plan_id
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.roll_runs import nested
from tests.sources import ROOT

PLAYED = yaml.safe_load((ROOT / "golden" / "open" / "agents-rollouts-to-verl" / "input.yaml").read_text())
TRAINED = yaml.safe_load((ROOT / "golden" / "open" / "agents-of-roll-to-verl" / "input.yaml").read_text())
SCRIPT = "cat > a.yaml <<'EOF'\n{}EOF\npython examples/start_agentic_{}pipeline.py --config_path . --config_name a\n"


def config(changes: dict[str, Any] | None = None, base: Any = PLAYED) -> Document:
    merged = nested({**flat(base), **(changes or {})})
    return read(Source("input.yaml", yaml.safe_dump(merged, sort_keys=False)))


def flat(tree: dict[str, Any], above: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for name, value in tree.items():
        leaves |= flat(value, f"{above}{name}.") if isinstance(value, dict) and value else {above + name: value}
    return leaves


def values(document: Document) -> dict[str, Any]:
    return load(document, framework="roll").stages[-1].values


def out(done: Conversion) -> dict[str, Any]:
    return {line.key: line.value for line in done.ledger.targets}


@pytest.mark.parametrize("program", ["rollout_", ""])
def test_the_program_says_whether_it_trains(program: str) -> None:
    """A config with GPUs for the policy's training is an evaluation when the rollout pipeline starts it."""
    text = SCRIPT.format(yaml.safe_dump(TRAINED), program)
    kind = values(read(Source("run.sh", text)))["stage.kind"]
    assert kind == ("eval" if program else "rl")


def test_a_policy_without_gpus_is_played_and_not_trained() -> None:
    plan = values(config())
    assert plan["stage.kind"] == "eval"
    assert [plan[f"stage.data.environments[{i}].name"] for i in (0, 1)] == ["SimpleSokoban", "FrozenLake"]
    assert not [path for path in plan if path.startswith(("stage.optim", "stage.algorithm", "stage.run_length"))]
    assert values(config(base=TRAINED))["stage.kind"] == "rl"


def test_the_engine_s_sampling_is_put_in_the_place_of_the_environments_own() -> None:
    own = {"train_env_manager.generating_args.temperature": 0.1}
    assert values(config(own))["stage.sampling.eval.temperature"] == 0.99
    line = next(source for source in convert(config(own), "verl").ledger.sources if source.key in own)
    assert line.state is State.DEAD_IN_SOURCE
    alone = {key: value for key, value in flat(PLAYED).items() if ".generating_args." not in key}
    plan = values(read(Source("input.yaml", yaml.safe_dump(nested({**alone, **own})))))
    assert plan["stage.sampling.eval.temperature"] == 0.1


@pytest.mark.parametrize("target", ["verl", "trinity"])
def test_it_becomes_an_evaluation_whose_worlds_are_asked_for(target: str) -> None:
    done = convert(config(), target)
    keys = out(done)
    if target == "verl":
        assert keys["trainer.val_only"] is True
        assert keys["actor_rollout_ref.rollout.val_kwargs.n"] == 4
    else:
        assert keys["mode"] == "bench"
        assert keys["buffer.explorer_input.eval_tasksets[0].repeat_times"] == 4
        assert keys["buffer.explorer_input.eval_tasksets[0].path"] == "???"
    assert any("acts in SimpleSokoban, FrozenLake" in decision.why for decision in done.ledger.decisions)
    assert any("names no data" in decision.why for decision in done.ledger.decisions)
    lines = {line.key: line for line in done.ledger.sources}
    assert lines["custom_envs.FrozenLake.env_type"].state is State.NO_COUNTERPART
    assert lines["max_steps"].state is State.EXTENSION
    assert set(lines) == {leaf.key for leaf in config().leaves}


def test_chatlearn_refuses_it_by_name() -> None:
    with pytest.raises(RefusedError, match="this is an evaluation run; ChatLearn's entrypoint starts grpo"):
        convert(config(), "chatlearn")


def test_it_stays_itself_in_roll() -> None:
    done = convert(config(), "roll")
    again = read(Source("again.yaml", done.text))
    assert values(again) == values(config())
    assert "val_env_manager" not in done.text


def test_dummy_weights_are_said() -> None:
    key = "actor_infer.strategy_args.strategy_config.load_format"
    assert any("random weights" in note for note in load(config({key: "dummy"})).notes)
    assert not any("random weights" in note for note in load(config()).notes)


DRAWN, CAP = "actor_infer.generating_args.max_new_tokens", "custom_envs.FrozenLake.max_tokens_per_step"


@pytest.mark.parametrize(("drawn", "own", "limit"), [(128, 64, 64), (32, 64, 32), (32, None, 32), (None, 9000, 8192)])
@pytest.mark.parametrize("base", [TRAINED, PLAYED])
def test_a_turn_ends_at_the_smaller_limit(base: Any, drawn: int | None, own: int | None, limit: int) -> None:
    """traj_env_manager takes the least of the environment's, the engine's and what is left."""
    keys = {key: value for key, value in flat(base).items() if key not in (DRAWN, CAP)}
    keys |= {key: value for key, value in ((DRAWN, drawn), (CAP, own)) if value is not None}
    document = config(base=nested(keys))
    plan = values(document)
    section = next(path for path in plan if plan[path] == "FrozenLake" and path.endswith(".name")).removesuffix("name")
    assert plan[section + "turn_max_tokens"] == limit
    rest = (plan[section + "config"] or {}).get("max_tokens_per_step")
    assert rest == (None if own is None or limit == own else own)
    lines = {line.key: line.state for line in convert(document, "verl").ledger.sources}
    assert drawn is None or lines[DRAWN] is State.NO_COUNTERPART


def test_the_environments_own_limit_counts_where_the_engine_has_no_section() -> None:
    bare = {key: value for key, value in flat(PLAYED).items() if ".generating_args." not in key}
    own = "train_env_manager.generating_args.max_new_tokens"
    plan = values(read(Source("input.yaml", yaml.safe_dump(nested({**bare, own: 16})))))
    assert plan["stage.data.environments[1].turn_max_tokens"] == 16
    both = convert(config({own: 16}, TRAINED), "verl").ledger.sources
    assert next(line.state for line in both if line.key == own) is State.DEAD_IN_SOURCE


@pytest.mark.parametrize(("steps", "period"), [(10, 10), (0, None), (-1, None)])
def test_agents_are_validated_on_environments_without_data(steps: int, period: int | None) -> None:
    plan = values(config({"eval_steps": steps}, TRAINED))
    assert plan.get("stage.cadence.eval_rollouts") == period
    assert plan["stage.cadence.eval_at_start"] is (period is not None)
    done = convert(config({"eval_steps": steps}, TRAINED), "verl")
    assert out(done).get("trainer.test_freq") == (period or -1)
    keys = {decision.key for decision in done.ledger.decisions}
    assert ("data.val_files" in keys) is (period is not None)
    others = {decision.key for decision in convert(config({"eval_steps": steps}, TRAINED), "trinity").ledger.decisions}
    assert ("buffer.explorer_input.eval_tasksets" in others) is (period is not None)
    first, other = (load(config({"eval_steps": n}, TRAINED)) for n in (10, 50))
    assert plan_id(first.plan) != plan_id(other.plan)
