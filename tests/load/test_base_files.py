"""Where a config starts from a file that is not beside it, the framework's own file of that name counts, and is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.convert.convert import Options, convert_loaded
from rftconf.lint import engine
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.load.refuse_unreadable import missing_file_first
from rftconf.schemas import base_files
from rftconf.schemas.registry import ROLL, VERL
from rftconf.text.document import Document
from rftconf.verbs.open_input import open_document
from rftconf.verbs.read_arguments import Reading

ROLL_RUN = """\
exp_name: mine
rollout_batch_size: 64
prompt_length: 512
response_length: 1024
num_return_sequences_in_group: 8
pretrain: org/small
actor_train:
  training_args: {per_device_train_batch_size: 1, gradient_accumulation_steps: 8}
  strategy_args:
    strategy_name: deepspeed_train
    strategy_config: ${NAME}
  device_mapping: list(range(0,8))
actor_infer:
  strategy_args: {strategy_name: vllm, strategy_config: {gpu_memory_utilization: 0.8}}
  device_mapping: list(range(0,8))
rewards: {rule: {worker_cls: mine.Rule}}
"""


def opened(path: Path, text: str, how: Reading | None = None) -> Document:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return open_document(str(path), how or Reading())


def roll_run(name: str) -> str:
    return f"defaults:\n  - ../config/{name}@_here_\n  - ../config/deepspeed_zero@_here_\n" + ROLL_RUN.replace(
        "NAME", name
    )


def from_elsewhere(document: Document) -> dict[str, object]:
    return {leaf.key: leaf.value for leaf in document.leaves if leaf.place.file != document.name}


def test_a_base_file_that_is_not_beside_is_the_frameworks_own(tmp_path: Path) -> None:
    document = opened(tmp_path / "run" / "mine.yaml", roll_run("deepspeed_zero3"))
    assert from_elsewhere(document)["deepspeed_zero3.zero_optimization.stage"] == 3
    (diagnostic,) = (d for d in document.diagnostics if d.code == "SYN521")
    assert diagnostic.message == (
        "deepspeed_zero3.yaml, deepspeed_zero.yaml are not beside the config: rftconf uses ROLL 0.2.1's own (examples/config)"
    )
    loaded = load(document)
    strategy = loaded.stages[0].reading.source.value("actor_train.strategy_args.strategy_config")
    assert strategy["zero_optimization"]["stage"] == 3


def test_of_its_keys_those_that_nothing_takes_are_left_out(tmp_path: Path) -> None:
    document = opened(tmp_path / "run" / "mine.yaml", roll_run("deepspeed_zero3"))
    assert {key.partition(".")[0] for key in from_elsewhere(document)} == {"deepspeed_zero3"}


def test_a_file_beside_wins_over_the_frameworks_own(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "deepspeed_zero3.yaml").write_text("deepspeed_zero3: {zero_optimization: {stage: 1}}\n")
    document = opened(tmp_path / "run" / "mine.yaml", roll_run("deepspeed_zero3"))
    assert from_elsewhere(document)["deepspeed_zero3.zero_optimization.stage"] == 1


def test_a_file_that_is_given_wins_too(tmp_path: Path) -> None:
    path = tmp_path / "given" / "deepspeed_zero3.yaml"
    path.parent.mkdir()
    path.write_text("deepspeed_zero3: {zero_optimization: {stage: 2}}\n")
    document = opened(tmp_path / "run" / "mine.yaml", roll_run("deepspeed_zero3"), Reading(sources=(path,)))
    assert from_elsewhere(document)["deepspeed_zero3.zero_optimization.stage"] == 2


def test_a_file_that_a_release_no_longer_ships_is_the_last_one_that_it_shipped() -> None:
    later = base_files.base_file("roll", "0.3.0", "deepspeed_zero2.yaml")
    assert later is not None
    assert later.release == "0.2.1"
    assert base_files.base_file("roll", "0.3.0", "no_such.yaml") is None


@pytest.mark.parametrize("release", VERL.releases)
@pytest.mark.parametrize("name", ["ppo_trainer", "ppo_megatron_trainer"])
def test_verls_own_config_says_nothing_beyond_the_releases_defaults(tmp_path: Path, release: str, name: str) -> None:
    """Composed of its groups, file by file, it is what the catalogue holds: neither is wrong about a single key."""
    text = f"defaults: [{name}, _self_]\ndata: {{train_batch_size: 64}}\ntrainer: {{nnodes: 1, n_gpus_per_node: 8}}\n"
    document = opened(tmp_path / "mine.yaml", text, Reading(framework="verl", release=release))
    assert not document.missing
    assert from_elsewhere(document) == {}


def test_groups_of_another_trainer_are_read(tmp_path: Path) -> None:
    text = (
        "defaults:\n  - actor@actor_rollout_ref.actor: megatron_actor\n  - _self_\n"
        "data: {train_batch_size: 64}\nactor_rollout_ref: {model: {path: org/small}}\n"
    )
    document = opened(tmp_path / "mine.yaml", text, Reading(framework="verl", release="0.9.1"))
    assert load(document, framework="verl", release="0.9.1").guess.trainer == "megatron"


def test_a_chosen_group_names_others(tmp_path: Path) -> None:
    own = "defaults:\n  - engine: fast\n  - part@role: ${engine}_part\nrole: {mine: 1}\n"
    for name, text in (("engine/fast", "# @package _global_\nspeed: 2\n"), ("part/fast_part", "size: 8\n")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.yaml").write_text(text)
    assert from_elsewhere(opened(tmp_path / "mine.yaml", own)) == {"speed": 2, "role.size": 8}


def test_hydras_search_path_is_looked_through(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "external" / "config").mkdir(parents=True)
    (tmp_path / "external" / "config" / "team.yaml").write_text("data: {max_prompt_length: 99}\n")
    text = "hydra: {searchpath: ['file://external/config']}\ndefaults: [team, _self_]\ndata: {train_batch_size: 8}\n"
    document = opened(tmp_path / "run" / "deep" / "mine.yaml", text)
    assert from_elsewhere(document) == {"data.max_prompt_length": 99}


@pytest.mark.parametrize("path", ["config", "$PROJECT/examples/config", "examples/config"])
def test_a_script_names_its_config_as_seen_from_the_checkout_or_the_program(tmp_path: Path, path: str) -> None:
    (tmp_path / ".git").mkdir()
    config = tmp_path / "examples" / "config" / "team.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("data: {max_prompt_length: 99}\n")
    script = f'PROJECT="$(pwd)"\npython3 -m verl.trainer.main_ppo --config-path="{path}" --config-name=team trainer.nnodes=1\n'
    document = opened(tmp_path / "examples" / "run.sh", script)
    assert from_elsewhere(document) == {"data.max_prompt_length": 99}


class TestMissing:
    """A base file that nobody has."""

    @pytest.fixture
    def loaded(self, tmp_path: Path) -> Loaded:
        return load(opened(tmp_path / "run" / "mine.yaml", roll_run("deepspeed_mine")))

    def test_it_is_said_by_name(self, loaded: Loaded) -> None:
        (diagnostic,) = loaded.document.missing
        assert (
            diagnostic.message
            == "defaults names ../config/deepspeed_mine.yaml, which is not here: what it sets is not known"
        )

    def test_numbers_that_are_not_written_are_not_known(self, loaded: Loaded) -> None:
        values = loaded.stages[0].values
        assert values["stage.batch.prompts_per_rollout"] == 64
        assert isinstance(values["stage.algorithm.policy_loss.clip_low"], Expr)

    def test_what_it_would_set_is_not_known(self, loaded: Loaded) -> None:
        source = loaded.stages[0].reading.source
        assert isinstance(source.value("actor_train.strategy_args.strategy_config"), Expr)

    def test_no_target_gets_a_default_as_if_it_were_certain(self, loaded: Loaded) -> None:
        text = convert_loaded(loaded, "trinity", Options()).text
        assert "is not written here, and what this config starts from is not at hand" in text
        assert "clip_range_low: ???" in text

    def test_what_cannot_be_done_without_it_is_said_after_it(self, loaded: Loaded) -> None:
        with (
            pytest.raises(RefusedError, match=r"defaults names .*deepspeed_mine.* With what is here: no such run"),
            missing_file_first(loaded.document),
        ):
            raise RefusedError("no such run")

    def test_of_a_launch_script_too(self, tmp_path: Path) -> None:
        script = "python3 -m verl.trainer.main_ppo --config-name=ours data.train_batch_size=64 actor_rollout_ref.rollout.n=4\n"
        loaded = load(opened(tmp_path / "run.sh", script))
        assert "ours.yaml, which is not given" in loaded.document.missing[0].message
        assert isinstance(loaded.stages[0].values["stage.length.prompt_max_tokens"], Expr)


@pytest.mark.parametrize("framework", [ROLL, VERL], ids=lambda entry: entry.name)
def test_the_data_say_where_they_come_from(framework: object) -> None:
    import json

    data = json.loads(base_files.file_of(getattr(framework, "name")).read_text())  # noqa: B009
    assert data["licence"] == "Apache-2.0"
    assert data["releases"] == list(getattr(framework, "releases"))  # noqa: B009


VERL_RUN = """\
defaults:
  - ppo_trainer
  - _self_
data: {train_files: a.parquet, val_files: b.parquet, train_batch_size: 64}
actor_rollout_ref:
  model: {path: org/small}
  rollout: {name: vllm, n: 4}
  actor: {ppo_mini_batch_size: 64}
algorithm: {adv_estimator: grpo}
"""


def test_what_a_base_file_beside_says_as_the_framework_does_anyway_is_nobodys_choice(tmp_path: Path) -> None:
    (tmp_path / "ppo_trainer.yaml").write_text(
        "trainer: {balance_batch: true, nnodes: 1, total_epochs: 7, n_gpus_per_node: 8}\n"
        "algorithm: {use_kl_in_reward: false, my_own: 3}\n"
    )
    loaded = load(opened(tmp_path / "mine.yaml", VERL_RUN))
    written = {leaf.key for leaf in loaded.document.leaves}
    assert {"trainer.total_epochs", "algorithm.my_own"} <= written, (
        "another value, and a key of nobody's, say something"
    )
    assert written.isdisjoint({"trainer.balance_batch", "trainer.nnodes", "algorithm.use_kl_in_reward"})
    assert loaded.stages[0].values["stage.run_length.epochs"] == 7
    ledger = convert_loaded(loaded, "trinity", Options()).ledger
    assert {line.key for line in ledger.sources} == written


def test_what_the_config_itself_says_counts_even_where_it_is_the_default(tmp_path: Path) -> None:
    (tmp_path / "ppo_trainer.yaml").write_text("trainer: {nnodes: 1}\n")
    loaded = load(opened(tmp_path / "mine.yaml", VERL_RUN + "trainer: {nnodes: 1}\n"))
    assert "trainer.nnodes" in {leaf.key for leaf in loaded.document.leaves}


def test_a_base_file_of_a_day_between_two_releases_is_held_against_both(tmp_path: Path) -> None:
    """`reward_model.sandbox_fusion.max_concurrent: 64` is what releases up to 0.6.1 say, and 0.7.1 has no such key."""
    (tmp_path / "ppo_trainer.yaml").write_text(
        "reward_model: {sandbox_fusion: {max_concurrent: 64, memory_limit_mb: 512}}\n"
        "actor_rollout_ref: {model: {tiled_mlp: {enabled: false}}}\n"
    )
    loaded = load(opened(tmp_path / "mine.yaml", VERL_RUN), release="0.7.1")
    written = {leaf.key for leaf in loaded.document.leaves}
    assert "reward_model.sandbox_fusion.memory_limit_mb" in written
    assert "reward_model.sandbox_fusion.max_concurrent" not in written


def test_what_a_forks_base_file_has_from_the_frameworks_own_and_nothing_reads_stays_dead(tmp_path: Path) -> None:
    """`reward_model.model.path` is what 0.6.1 says; 0.7.1 leaves the section unread, and a fork of it has its file still."""
    (tmp_path / "ppo_trainer.yaml").write_text(
        "reward_model: {model: {path: ~/models/FsfairX-LLaMA3-RM-v0.1, trust_remote_code: true}}\n"
        "actor_rollout_ref: {actor: {my_own: 1}}\n"
    )
    loaded = load(opened(tmp_path / "mine.yaml", VERL_RUN), release="0.7.1")
    assert loaded.fork
    states = {line.key: line.state for line in convert_loaded(loaded, "trinity", Options()).ledger.sources}
    assert states["reward_model.model.path"] is State.DEAD_IN_SOURCE
    assert states["reward_model.model.trust_remote_code"] is State.UNKNOWN


def test_an_interpolation_may_stand_where_a_section_is(tmp_path: Path) -> None:
    """veRL's rollout.yaml: a profiler's tool_config is the actor's, by `oc.select`."""
    (tmp_path / "ppo_trainer.yaml").write_text(
        "actor_rollout_ref:\n"
        "  actor: {profiler: {tool_config: {npu: {level: level1}}}}\n"
        '  rollout: {profiler: {tool_config: "${oc.select:actor_rollout_ref.actor.profiler.tool_config,null}"}}\n'
    )
    document = opened(tmp_path / "mine.yaml", VERL_RUN)
    assert "KEY016" not in {finding.code for finding in engine.check(document)}
    assert convert_loaded(load(document), "trinity", Options()).text
