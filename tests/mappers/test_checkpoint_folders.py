"""Where checkpoints go: veRL's empty folder is the one in which the run starts, not the file system's root."""

from __future__ import annotations

import pytest
import yaml

from rftconf.base.symbols import MISSING, formula
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = (
    "python3 -m verl.trainer.main_ppo data.train_files=/d/a.parquet trainer.project_name=p trainer.experiment_name=e "
    "algorithm.adv_estimator=grpo actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.name=vllm trainer.n_gpus_per_node=8 trainer.default_local_dir={}\n"
)


@pytest.mark.parametrize(
    ("folder", "root"), [("''", "."), ("/ckpt/p/e", "/ckpt"), ("/ckpt/p/e/", "/ckpt"), ("/elsewhere", "/elsewhere")]
)
def test_the_root_of_a_folder(folder: str, root: str) -> None:
    values = load(read(Source("run.sh", RUN.format(folder)))).stages[0].values
    assert values["identity.checkpoint_root"] == root


@pytest.mark.parametrize(
    ("folder", "root"),
    [
        ("/ckpt/p/$RUN", "/ckpt"),
        ("$ROOT/p/$RUN/", "ROOT"),
        ("/ckpt/$RUN", "/ckpt/${RUN}"),
        ("/ckpt/p/$OTHER", "/ckpt/p/${OTHER}"),
    ],
)
def test_the_root_of_a_folder_whose_name_a_variable_holds(folder: str, root: str) -> None:
    script = RUN.format(f'"{folder}"').replace("experiment_name=e", 'experiment_name="$RUN"')
    values = load(read(Source("run.sh", script))).stages[0].values
    assert formula(values["identity.checkpoint_root"]) == root


@pytest.mark.parametrize("to", ["roll", "chatlearn", "trinity"])
def test_no_run_writes_into_the_root_of_the_file_system(to: str) -> None:
    config = yaml.safe_load(convert(read(Source("run.sh", RUN.format("''"))), to).text)
    folder = {
        "roll": lambda: config["checkpoint_config"]["output_dir"],
        "chatlearn": lambda: config["runtime_args"]["output_dir"],
        "trinity": lambda: config["checkpoint_root_dir"],
    }[to]()
    assert folder.startswith(".")


VERL_RESUMES = (
    RUN.format("/ckpt/p/e").rstrip() + " trainer.resume_mode=resume_path trainer.resume_from_path=/c/global_step_9\n"
)
ROLL_RESUMES = (
    "actor_train: {strategy_args: {strategy_name: megatron_train}}\nactor_infer: {strategy_args: {strategy_name: vllm}}\n"
    "resume_from_checkpoint: /c/checkpoint-9\nnum_return_sequences_in_group: 8\nadv_estimator: grpo\n"
)
TRL_RESUMES = (
    "num_generations: 8\nmax_completion_length: 512\nnum_processes: 4\nresume_from_checkpoint: /c/checkpoint-9\n"
)


@pytest.mark.parametrize(
    ("name", "text", "to", "key"),
    [
        ("run.sh", VERL_RESUMES, "roll", "resume_from_checkpoint"),
        ("run.sh", VERL_RESUMES, "trl", "resume_from_checkpoint"),
        ("a.yaml", ROLL_RESUMES, "verl", "trainer.resume_from_path"),
        ("a.yaml", TRL_RESUMES, "verl", "trainer.resume_from_path"),
        ("a.yaml", TRL_RESUMES, "roll", "resume_from_checkpoint"),
    ],
)
def test_a_checkpoint_of_another_framework_is_asked_for_anew(name: str, text: str, to: str, key: str) -> None:
    """verl global_step_N/actor, ROLL checkpoint-N/actor_train and transformers checkpoint-N hold their state each in another form."""
    converted = convert(read(Source(name, text)), to)
    (line,) = (line for line in converted.ledger.targets if line.key == key)
    (question,) = (decision for decision in converted.ledger.decisions if decision.key == key)
    assert line.value == MISSING
    assert "a checkpoint of another framework has another form" in question.why


def test_a_checkpoint_stays_in_a_config_of_its_own_framework() -> None:
    converted = convert(read(Source("run.sh", VERL_RESUMES)), "verl")
    (line,) = (line for line in converted.ledger.targets if line.key == "trainer.resume_from_path")
    assert line.value == "/c/global_step_9"
