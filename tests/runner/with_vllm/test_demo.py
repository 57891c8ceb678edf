"""The demo, really run: vLLM, FSDP2 and Ray on this machine's processor. Needs the environment of `make runner-env`."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner import __main__
from rftconf_runner.consistency_checks import PARITY_MAX

from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import open_source
from tests.runner.with_vllm import session

pytestmark = pytest.mark.filterwarnings("default")
MOST_SECONDS = 900


def environment() -> dict[str, str]:
    return {**os.environ, **session.ENVIRONMENT}


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_SECONDS,
    )


def planned(demo: Path, name: str, **changes: str) -> Path:
    """The plan of the demo's script with other values for `__`-dotted keys."""
    script = (demo / "run_grpo.sh").read_text()
    words = " ".join(f"{key.replace('__', '.')}={value}" for key, value in changes.items())
    file = demo / f"{name}.sh"
    file.write_text(script.rstrip() + f" \\\n    {words}\n")
    plan = demo / f"{name}.json"
    plan.write_text(load(read(open_source(str(file)))).plan.model_dump_json())
    return plan


def trained(demo: Path, name: str, **changes: str) -> list[dict[str, Any]]:
    """The metrics of a run of the demo's script with other values for `__`-dotted keys."""
    return session.run(planned(demo, name, **changes), demo / name)


def without_times(metrics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in metric.items() if not key.endswith("_seconds")} for metric in metrics]


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a user's command makes, with all of its layers."""
    folder = tmp_path_factory.mktemp("shipped")
    done = python("-m", "rftconf_runner.demo", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


@dataclass(frozen=True)
class Pressed:
    """How a run ended on which Ctrl-C was pressed."""

    code: int
    said: str
    periods: int
    saved: list[str]


INTERRUPTED_IN = 3


@pytest.fixture(scope="module")
def pressed(shipped: Path) -> Pressed:
    """The demo by its real command. Ctrl-C on a terminal reaches every process at once: `rftconf run`, the runner, and all
    that Ray has started. That its optimizer may wait elsewhere has no effect here."""
    moves = {"actor_rollout_ref__actor__fsdp_config__optimizer_offload": "True"}
    plan, folder = planned(shipped, "whole", **moves), shipped / "whole"
    words = [sys.executable, "-m", "rftconf", "run", str(plan.with_suffix(".sh")), "-o", str(folder)]
    with subprocess.Popen(
        words, env=environment(), stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        messages = []
        for line in process.stdout:
            messages.append(line)
            if line.startswith(f"period {INTERRUPTED_IN - 1} "):
                os.killpg(process.pid, signal.SIGINT)
    periods = len((folder / "metrics.jsonl").read_text().splitlines())
    return Pressed(process.returncode, "".join(messages), periods, [path.name for path in folder.glob("step-*")])


@pytest.fixture(scope="module")
def whole(shipped: Path, pressed: Pressed) -> list[dict[str, Any]]:
    """The demo to its end, by the plan that it was begun with."""
    assert pressed.code == 0, pressed.said
    return session.run(shipped / "whole" / "plan.json", shipped / "whole", resume=True)


def test_the_reward_rises(shipped: Path, whole: list[dict[str, Any]]) -> None:
    assert whole[0]["reward"] < 0.2
    assert whole[-1]["reward"] > 0.9
    assert max(entry["parity"] for entry in whole) <= 1e-5
    assert (shipped / "whole" / "step-000020" / "model.safetensors").is_file()
    assert list((shipped / "whole").glob("*.partial")) == []
    logs = sorted((shipped / "whole" / "tensorboard").iterdir())  # one of each process
    rewards = [reward for events in logs for reward in logged(events)["reward"]]
    assert rewards == pytest.approx([entry["reward"] for entry in whole])


def test_an_interrupt_ends_the_period_and_saves(pressed: Pressed) -> None:
    assert pressed.code == 0
    assert pressed.periods in (INTERRUPTED_IN - 1, INTERRUPTED_IN)
    assert pressed.saved == [f"step-{pressed.periods:06d}"]


def test_what_has_no_effect_here_is_said_at_the_start(pressed: Pressed) -> None:
    text = pressed.said
    assert "on GPUs: engines sleep while trainers have their memory" in text
    assert "on GPUs: placement.actor.offload.optimizer: in the host's memory while engines answer" in text
    nothing = "no GPU is here: engines do not sleep, and nothing moves to the host between phases"
    assert (nothing in text) is not torch.cuda.is_available()


def logged(events: Path) -> dict[str, list[float]]:
    """What TensorBoard reads from an event file: records of a length, its checksum, an event and its checksum."""
    from tensorboardX.proto.event_pb2 import Event

    values: dict[str, list[float]] = {}
    data = events.read_bytes()
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        for value in Event.FromString(data[12 : 12 + length]).summary.value:
            values.setdefault(value.tag, []).append(value.simple_value)
        data = data[16 + length :]
    return values


def test_the_same_run_is_the_same_curve(shipped: Path, whole: list[dict[str, Any]]) -> None:
    """Also where nobody interrupts it, on an engine that has run before, and where it is shorter."""
    again = trained(shipped, "again", trainer__total_training_steps="6", trainer__save_freq="-1")
    assert without_times(whole)[:6] == without_times(again)


def test_truncated_sampling_and_a_run_of_epochs(shipped: Path) -> None:
    """The engine's log-probs are of all tokens, whichever of them it draws from; 64 prompts are 8 periods of 8."""
    sampled = {"actor_rollout_ref__rollout__top_p": "0.6", "actor_rollout_ref__rollout__top_k": "5"}
    values = trained(
        shipped, "truncated", **sampled, trainer__total_training_steps="null", trainer__total_epochs="1",
        trainer__save_freq="-1", actor_rollout_ref__actor__ppo_mini_batch_size="4",
    )  # fmt: skip
    assert [entry["period"] for entry in values] == list(range(1, 9))
    assert max(entry["parity"] for entry in values) <= PARITY_MAX["float32"]


def test_ranks_and_micro_batches_change_no_mathematics(shipped: Path, whole: list[dict[str, Any]]) -> None:
    cut = {"trainer__n_gpus_per_node": "2", "actor_rollout_ref__actor__ppo_micro_batch_size_per_gpu": "16"}
    two = trained(shipped, "two", trainer__total_training_steps="2", **cut)[0]
    assert two["reward"] == whole[0]["reward"]
    assert two["gradient_norm"] == pytest.approx(whole[0]["gradient_norm"], rel=1e-4)
    assert two["loss"] == pytest.approx(whole[0]["loss"], abs=1e-5)


CRITIC_AND_PENALTIES = {
    "algorithm__adv_estimator": "gae",
    "algorithm__use_kl_in_reward": "True",
    "algorithm__kl_ctrl__type": "adaptive",
    "actor_rollout_ref__actor__use_kl_loss": "True",
    "actor_rollout_ref__ref__fsdp_config__dtype": "float32",
    "critic__model__path": "$FOLDER/model",
    "critic__fsdp__dtype": "float32",
    "critic__fsdp__use_dynamic_bsz": "False",
    "critic__fsdp__micro_batch_size_per_gpu": "64",
    "critic__fsdp__infer_micro_batch_size_per_gpu": "64",
    "critic__model__enable_gradient_checkpointing": "False",
    "critic__optim__lr": "1e-3",
}


def test_a_run_goes_on_where_it_stopped(demo: Path) -> None:
    """The periods after a checkpoint are the same numbers, bit for bit: weights, both optimizers, data, coefficient."""
    plan = planned(demo, "whole_ppo", trainer__total_training_steps="4", trainer__save_freq="2", **CRITIC_AND_PENALTIES)
    whole = session.run(plan, demo / "whole_ppo")
    assert abs(whole[0]["kl"]) < 1e-5
    assert whole[-1]["kl"] > 0
    assert whole[-1]["critic_loss"] > 0
    shutil.copytree(demo / "whole_ppo", demo / "resumed")
    shutil.rmtree(demo / "resumed" / "step-000004")
    assert without_times(session.run(plan, demo / "resumed", resume=True)) == without_times(whole)


def test_a_broken_checkpoint_is_named(
    demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = planned(demo, "broken", trainer__total_training_steps="1", trainer__save_freq="1")
    session.run(plan, demo / "broken")
    words = ["", str(plan), "--out", str(demo / "broken")]
    monkeypatch.setattr(sys, "argv", words)
    assert __main__.main() == 2
    assert "holds checkpoints of another run" in capsys.readouterr().err
    weights = demo / "broken" / "step-000001" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    monkeypatch.setattr(sys, "argv", [*words, "--resume"])
    assert __main__.main() == 1
    assert "model.safetensors is not what was written" in capsys.readouterr().err


@pytest.mark.parametrize("advantage", ["reinforce_plus_plus", "reinforce_plus_plus_baseline", "rloo"])
def test_each_estimator_learns(demo: Path, advantage: str) -> None:
    metrics = trained(demo, advantage, algorithm__adv_estimator=advantage, trainer__total_training_steps="8")
    assert metrics[-1]["reward"] > metrics[0]["reward"] + 0.1
