"""A script in the checkout of a fork: the config that its program names itself is the fork's, with its defaults and its keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.base.ledger import State
from rftconf.convert.convert import Options, convert_loaded
from rftconf.lint import engine
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.verbs.open_input import open_document
from rftconf.verbs.read_arguments import Reading

STOCK = """\
data: {prompt_key: question, train_batch_size: 1024}
actor_rollout_ref:
  actor: {ppo_mini_batch_size: 256, use_kl_loss: true, entropy_coeff: 0, fsdp_config: {fsdp_size: -1}}
  ref: {log_prob_use_dynamic_bsz: "${oc.select:actor_rollout_ref.actor.use_dynamic_bsz,false}"}
  rollout: {name: vllm, n: 8, use_fire_sampling: false}
algorithm: {mine: 0.5, adv_estimator: grpo}
trainer: {balance_batch: true, also_mine: false}
"""
RUN = """\
python3 -m verl.trainer.main_ppo data.train_files=a.parquet data.val_files=b.parquet data.train_batch_size=64 \\
    actor_rollout_ref.model.path=org/small actor_rollout_ref.actor.ppo_mini_batch_size=64 {more}
"""


def opened(
    root: Path, more: str = "", *, stock: str = STOCK, package: str = "verl", how: Reading | None = None
) -> Loaded:
    config = root / package / "trainer" / "config" / "ppo_trainer.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(stock)
    script = root / "scripts" / "mine" / "run.sh"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(RUN.format(more=more))
    return load(open_document(str(script), how or Reading()), rows=1000)


@pytest.mark.parametrize("package", ["verl", "verl/verl"])
def test_the_defaults_of_the_fork_count(tmp_path: Path, package: str) -> None:
    loaded = opened(tmp_path, package=package)
    values = loaded.stages[0].values
    assert values["stage.batch.responses_per_prompt"] == 8
    assert loaded.release == "0.4.1", "the last one with use_fire_sampling"
    assert "with ppo_trainer.yaml of its checkout, veRL 0.4.1 takes" in loaded.guess.why
    written = {leaf.key for leaf in loaded.document.leaves}
    assert {"actor_rollout_ref.rollout.n", "data.prompt_key"} <= written
    as_released = {
        "trainer.balance_batch",
        "actor_rollout_ref.ref.log_prob_use_dynamic_bsz",
        "actor_rollout_ref.rollout.name",
    }
    assert written.isdisjoint(as_released | {"algorithm.mine", "trainer.also_mine"})


def test_a_key_that_the_forks_config_declares_is_the_forks_own(tmp_path: Path) -> None:
    loaded = opened(tmp_path, "algorithm.mine=0.7 trainer.nowhere=1 algorithm.kl_ctrl.kl_coef=0.1")
    lines = {line.key: line for line in convert_loaded(loaded, "trinity", Options()).ledger.sources}
    assert lines["algorithm.mine"].state is State.EXTENSION
    assert lines["algorithm.mine"].reason.startswith(
        "a key of the fork's own: its ppo_trainer.yaml has it, no release of veRL"
    )
    assert lines["trainer.nowhere"].state is State.UNKNOWN
    assert lines["algorithm.kl_ctrl.kl_coef"].state is State.UNKNOWN, "the fork may read what the release does not"


def test_a_key_of_another_release_is_not_the_forks_own(tmp_path: Path) -> None:
    stock = STOCK.replace("also_mine: false", "use_v1: false")
    lines = convert_loaded(opened(tmp_path, "trainer.use_v1=true", stock=stock), "trinity", Options()).ledger.sources
    assert next(line for line in lines if line.key == "trainer.use_v1").state is not State.EXTENSION


@pytest.mark.parametrize("more", ["--config-name=ppo_megatron_trainer", "model_engine=veomni"])
def test_what_starts_from_another_config_leaves_it_alone(tmp_path: Path, more: str) -> None:
    assert opened(tmp_path, f"actor_rollout_ref.rollout.name=vllm {more}").document.stock == ()


@pytest.mark.parametrize("name", ["ppo_trainer", "ppo_trainer.yaml", "'ppo_trainer.yaml'"])
def test_the_config_that_hydra_is_given_by_name_is_found_with_its_suffix_too(tmp_path: Path, name: str) -> None:
    assert opened(tmp_path, f"actor_rollout_ref.rollout.name=vllm --config-name={name}").document.stock != ()


def test_a_base_that_is_given_goes_before_it(tmp_path: Path) -> None:
    path = tmp_path / "given.yaml"
    path.write_text("actor_rollout_ref: {rollout: {name: vllm, n: 2}}\n")
    loaded = opened(tmp_path, how=Reading(base=path))
    assert loaded.stages[0].values["stage.batch.responses_per_prompt"] == 2


def test_check_says_nothing_of_its_keys(tmp_path: Path) -> None:
    loaded = opened(tmp_path, "trainer.nowhere=1 trainer.also_mine=true")
    document = open_document(loaded.document.name, Reading())
    diagnostics = engine.check(document)
    assert any("trainer.nowhere" in diagnostic.message for diagnostic in diagnostics)
    assert not any(
        "also_mine" in diagnostic.message and diagnostic.severity is Severity.ERROR for diagnostic in diagnostics
    )
    assert not any(diagnostic.code.startswith("BAT") for diagnostic in diagnostics), (
        "what the script leaves out is the fork's to say"
    )
    assert {diagnostic.place.file for diagnostic in diagnostics if diagnostic.place} == {document.name}


def test_a_secret_in_it_is_withheld(tmp_path: Path) -> None:
    token = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ012345"
    stock = STOCK.replace("also_mine: false", f"default_hdfs_dir: {token}")
    loaded = opened(tmp_path, stock=stock)
    assert token not in repr(convert_loaded(loaded, "verl", Options()).text)


def test_a_config_file_that_a_forks_program_takes_as_an_argument_is_read_above_it(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "mine.yaml").write_text(
        "actor_rollout_ref: {rollout: {n: 4}}\ntrainer: {total_epochs: 3}\n"
    )
    loaded = opened(tmp_path, "./scripts/mine.yaml")
    values = loaded.stages[0].values
    assert (values["stage.batch.responses_per_prompt"], values["stage.run_length.epochs"]) == (4, 3)
    assert values["stage.batch.prompts_per_rollout"] == 64, "the command's own words win"
    assert "data.prompt_key" in {leaf.key for leaf in loaded.document.leaves}, "the fork's defaults lie below"
    (diagnostic,) = (diagnostic for diagnostic in loaded.document.diagnostics if diagnostic.code == "SYN308")
    assert "./scripts/mine.yaml is no override" in diagnostic.message


def test_a_fork_s_checkout_says_which_release_it_stands_on(tmp_path: Path) -> None:
    """verl-tool's code was read on 0.7.1; a checkout from before it got there has the keys of 0.4.1."""
    older = STOCK.replace(
        "algorithm: {mine: 0.5,",
        "ray_init: {num_cpus: 8, timeline_json_file: null}\nreward_model: {max_length: 512, strategy: fsdp}\nalgorithm: {",
    )
    more = "+actor_rollout_ref.agent.tool_server_url=http://localhost:1"
    loaded = opened(tmp_path / "old", more, stock=older)
    assert (loaded.guess.dialect, loaded.release) == ("verl-tool", "0.4.1")
    assert loaded.guess.confidence != "the release that its fork stands on"
    assert any("here on 0.4.1, which has more of its keys" in reason for reason in loaded.guess.reasons)
    assert load(loaded.document, rows=1000, release="0.7.1").release == "0.7.1", "what the person says wins"


def test_a_forks_own_keys_that_act_are_said_among_what_changes_the_learning(tmp_path: Path) -> None:
    """Only the fork's code tells what they do, so each is named unless it is off."""
    names = [f"own_{letter}" for letter in "abcdefgh"]
    stock = STOCK.replace("mine: 0.5", "mine: 0.5, off: true, " + ", ".join(f"{name}: 0" for name in names))
    more = " ".join(f"algorithm.{name}=1" for name in names) + " algorithm.off=false"
    loaded = opened(tmp_path, more, stock=stock)
    (change,) = [c for c in convert_loaded(loaded, "roll", Options()).ledger.learning if "algorithm.own_a" in c.says]
    assert change.keys == tuple(f"algorithm.{name}" for name in names)
    assert all(f"algorithm.{name}=1" in change.says for name in names)
    assert "off" not in change.says
    assert not [c for c in convert_loaded(loaded, "verl", Options()).ledger.learning if "own_a" in c.says]


OWN_CONFIG = "actor_rollout_ref: {rollout: {name: vllm, n: 6}, actor: {mine: 3}}\nalgorithm: {adv_estimator: grpo}\n"
OWN_RUN = """\
python3 -m project.{program} data.train_files=a.parquet data.val_files=b.parquet data.train_batch_size=64 \\
    actor_rollout_ref.model.path=org/small actor_rollout_ref.actor.ppo_mini_batch_size=64 {more}
"""


def own_program(root: Path, named: str, config: str, more: str = "") -> Loaded:
    """A script that starts a program of the project's own, whose `@hydra.main` has the arguments `named`."""
    program = root / "project" / "train_agent.py"
    program.parent.mkdir(parents=True)
    program.write_text(f"import hydra\n@hydra.main({named})\ndef main(config):\n    raise SystemExit(1)\n")
    (root / config).parent.mkdir(parents=True, exist_ok=True)
    (root / config).write_text(OWN_CONFIG)
    script = root / "scripts" / "run.sh"
    script.parent.mkdir()
    script.write_text(OWN_RUN.format(program="train_agent", more=more))
    return load(open_document(str(script), Reading()), rows=1000)


@pytest.mark.parametrize(
    ("named", "config", "more"),
    [
        ("config_path='conf', config_name='agent'", "project/conf/agent.yaml", ""),
        ("config_path='../configs/rl', config_name='agent'", "configs/rl/agent.yaml", ""),
        ("config_path='conf', config_name='other'", "project/conf/agent.yaml", "--config-name=agent"),
        ("config_path='conf'", "project/conf/agent.yaml", "--config-name agent.yaml"),
    ],
)
def test_a_program_of_ones_own_says_in_its_code_where_its_config_lies(
    tmp_path: Path, named: str, config: str, more: str
) -> None:
    loaded = own_program(tmp_path, named, config, more)
    values = loaded.stages[0].values
    assert values["stage.batch.responses_per_prompt"] == 6
    assert values["stage.algorithm.advantage"] == "grpo"
    assert not [diagnostic for diagnostic in loaded.document.diagnostics if diagnostic.code == "SYN507"]


def test_a_config_outside_of_the_checkout_is_not_opened(tmp_path: Path) -> None:
    loaded = own_program(
        tmp_path / "checkout", "config_path='../../outside', config_name='agent'", "../outside/agent.yaml"
    )
    assert loaded.document.stock == ()
    assert loaded.stages[0].values["stage.batch.responses_per_prompt"] == 1


def test_a_folder_on_the_command_line_goes_before_that_of_the_code(tmp_path: Path) -> None:
    named, config = "config_path='conf', config_name='agent'", "project/conf/agent.yaml"
    loaded = own_program(tmp_path, named, config, "--config-path=/elsewhere")
    assert loaded.document.stock == ()
