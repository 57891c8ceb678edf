"""What the suite answers in place of a person: options of the command line that a conversion's questions name."""

from __future__ import annotations

from pathlib import Path

from rftconf.cli.app import run
from tests.conformance.answers import answers, asks_for_numbers, of_variable
from tests.conformance.readback import differences

SCRIPT = """\
python3 -m verl.trainer.main_ppo --config-path own/config --config-name own.yaml algorithm.adv_estimator=grpo \\
    data.train_files=/d/train.parquet data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
    actor_rollout_ref.model.path=/m/q actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node= trainer.nnodes=
"""


def test_what_a_config_does_not_tell_is_answered_as_its_release_has_it(tmp_path: Path) -> None:
    script, ledger = tmp_path / "run.sh", tmp_path / "ledger.json"
    script.write_text(SCRIPT)
    options = ["--from", "verl", "--from-release", "0.6.1", "--to", "trinity", "-o", str(tmp_path / "run.yaml")]
    assert run(["convert", str(script), *options, "--ledger", str(ledger)]) == 0
    values = answers(ledger)
    assert asks_for_numbers(ledger)
    assert set(values[::2]) == {"--set", "--rollout-gpus"}
    assert {"trainer.nnodes=1", "trainer.n_gpus_per_node=8"} <= set(values[1::2])
    assert run(["convert", str(script), *options, *values]) == 0
    assert "node_num: 1 " in (tmp_path / "run.yaml").read_text()


def test_groups_that_do_not_divide_the_answered_split_are_refused(tmp_path: Path) -> None:
    """A cluster that is filled in on one's own could start what the conversion would have refused."""
    script, ledger = tmp_path / "run.sh", tmp_path / "ledger.json"
    megatron = "actor_rollout_ref.actor.megatron.expert_model_parallel_size=8"
    script.write_text(
        SCRIPT.replace("own/config --config-name own.yaml", f"config --config-name ppo_megatron_trainer {megatron}")
    )
    options = ["--from", "verl", "--from-release", "0.7.1", "--to", "trinity", "-o", str(tmp_path / "run.yaml")]
    assert run(["convert", str(script), *options, "--ledger", str(ledger)]) == 0
    assert run(["convert", str(script), *options, *answers(ledger)]) == 3


def test_a_variable_that_a_scripts_owner_sets_is_answered_by_what_it_is() -> None:
    named = {"NNODES": "1", "N_GPUS": "8", "TRAINING_STEPS": "8", "CKPT_DIR": "/tmp/there", "RUN_TAG": "run"}
    assert {name: of_variable(name) for name in named} == named
    assert (of_variable("gen_tp", 1), of_variable("tag", True), of_variable("tag", "x")) == ("1", "run", "run")


def test_arguments_by_their_place_are_given(tmp_path: Path) -> None:
    script, ledger = tmp_path / "run.sh", tmp_path / "ledger.json"
    script.write_text(
        "torchrun --nproc_per_node=$1 -m verl.trainer.sft_trainer data.train_files=/d/a.parquet model.path=/m/q\n"
    )
    options = ["--to", "roll", "-o", str(tmp_path / "run.yaml")]
    assert run(["convert", str(script), *options, "--ledger", str(ledger)]) == 0
    values = answers(ledger)
    assert values[:2] == ["--args", "8 /tmp/there"]
    assert run(["convert", str(script), *options, *values]) == 0
    assert "num_gpus_per_node: 8" in (tmp_path / "run.yaml").read_text()


def test_a_clock_is_no_difference() -> None:
    """Hydra tells the time while it composes a config, so that what it resolved has digits where the script asks."""
    clock = "/runs/x_$(date +'%Y%m%d_%H%M%S')/last"
    assert not list(differences({"a": clock}, {"a": "/runs/x_20261127_084112/last"}))
    assert list(differences({"a": clock}, {"a": "/runs/y_20261127_084112/last"}))
