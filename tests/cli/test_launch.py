"""`rftconf launch`: files whose shape is what Kubernetes and Slurm take, and nothing of the config runs in them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from rftconf.cli.app import run
from rftconf.runs.launch_files import RAY_VERSION, Launch, kuberay, slurm
from tests.sources import ROOT

KEYS = "data.train_batch_size=8 trainer.n_gpus_per_node=4 trainer.nnodes=${NODES:-1}"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "run_grpo.sh"
    file.write_text(f"python3 -m verl.trainer.main_ppo {KEYS}\n")
    return file


def test_a_ray_job(script: Path, tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    words = ["--on", "kuberay", "--folder", "/runs", "--image", "here/rftconf:1", "--claim", "disk", "--set", "NODES=1"]
    assert run(["launch", str(script), "-q", "-o", str(file), *words]) == 0
    job = yaml.safe_load(file.read_text())
    assert (job["apiVersion"], job["kind"], job["metadata"]["name"]) == ("ray.io/v1", "RayJob", "run-grpo")
    spec: dict[str, Any] = job["spec"]
    command = "rftconf run /runs/run_grpo.sh -o /runs/run_grpo --set NODES=1 --address auto --json"
    assert spec["entrypoint"] == command
    pod = spec["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]
    assert pod["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": 4}
    assert pod["containers"][0]["volumeMounts"][0]["name"] == pod["volumes"][0]["name"]
    assert pod["volumes"][0]["persistentVolumeClaim"] == {"claimName": "disk"}


def test_a_batch_script(script: Path, tmp_path: Path) -> None:
    file = tmp_path / "job.sbatch"
    words = ["--on", "slurm", "--folder", "/shared/my runs", "--hours", "48", "--partition", "gpu"]
    assert run(["launch", str(script), "-q", "-o", str(file), *words]) == 0
    text = file.read_text()
    assert subprocess.run(["bash", "-n", file], check=False, capture_output=True).stderr == b""
    directives = re.findall(r"^#SBATCH (.*)$", text, re.MULTILINE)
    assert {"--job-name=run-grpo", "--nodes=1", "--gpus-per-node=4", "--partition=gpu", "--time=48:00:00"} <= set(
        directives
    )
    assert "rftconf run '/shared/my runs/run_grpo.sh' -o '/shared/my runs/run_grpo'" in text


def test_the_script_goes_on_and_passes_an_interrupt(tmp_path: Path) -> None:
    """Executed with a stand-in for rftconf: again with --resume where a checkpoint is, and its exit code is the job's."""
    folder = tmp_path / "a run"
    stand_in = tmp_path / "rftconf"
    stand_in.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/said"\nmkdir -p "{folder}/step-000001"\nexit 3\n')
    stand_in.chmod(0o755)
    text = slurm(Launch("a", "/c.sh", str(folder), 0), 1, "")
    for _ in range(2):
        done = subprocess.run(["bash", "-c", text], check=False, env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
        assert done.returncode == 3
    first, second = (tmp_path / "said").read_text().splitlines()
    assert not first.endswith("--resume")
    assert second.endswith("--resume")


def test_a_ray_job_of_several_nodes(script: Path, tmp_path: Path) -> None:
    """The head is one of them; workers have the same GPUs and the same disk."""
    file = tmp_path / "job.yaml"
    words = ["--on", "kuberay", "--folder", "/runs", "--image", "here/rftconf:1", "--claim", "disk", "--set", "NODES=3"]
    assert run(["launch", str(script), "-q", "-o", str(file), *words]) == 0
    cluster = yaml.safe_load(file.read_text())["spec"]["rayClusterSpec"]
    assert cluster["authOptions"] == {"mode": "token"}
    (workers,) = cluster["workerGroupSpecs"]
    assert [workers[name] for name in ("replicas", "minReplicas", "maxReplicas")] == [2, 2, 2]
    head, new_second = (entry["template"]["spec"] for entry in (cluster["headGroupSpec"], workers))
    assert new_second["volumes"] == head["volumes"]
    (first,), (second,) = head["containers"], new_second["containers"]
    assert first.pop("name") != second.pop("name")
    assert first == second


STAND_INS = {
    "hostname": 'if [ "$1" = --short ]; then echo first; else echo "10.0.0.1 fe80::1"; fi',
    "ray": 'echo "ray $*" >> "$SAID"; if [ "$1" = start ]; then exec sleep 9; fi',
    "srun": 'echo "srun $*" >> "$SAID"\n[ "$RAY_AUTH_MODE" = token ] && [ ${#RAY_AUTH_TOKEN} = 36 ] || exit 1\n'
    'while [ "$1" != bash ]; do shift; done; exec "$@"',
    "rftconf": 'while ! grep -q "^ray start --address" "$SAID"; do sleep 0.05; done; echo "rftconf $*" >> "$SAID"; exit 3',
}


def test_a_batch_script_of_several_nodes(script: Path, tmp_path: Path) -> None:
    """Executed with stand-ins: Ray's head here, the others join it, the run is told where, and nothing is left behind."""
    file = tmp_path / "job.sbatch"
    assert (
        run(["launch", str(script), "-q", "-o", str(file), "--on", "slurm", "--folder", "/f", "--set", "NODES=3"]) == 0
    )
    directives = re.findall(r"^#SBATCH (.*)$", file.read_text(), re.MULTILINE)
    assert {"--nodes=3", "--ntasks-per-node=1", "--gpus-per-node=4"} <= set(directives)
    for name, text in STAND_INS.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{text}\n")
        (tmp_path / name).chmod(0o755)
    output_file = tmp_path / "said"
    output_file.touch()
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "SAID": str(output_file), "SLURM_JOB_ID": "12345"}
    done = subprocess.run(["bash", file], check=False, env=environment, timeout=30, stdout=subprocess.DEVNULL)
    assert done.returncode == 3
    lines = output_file.read_text().splitlines()
    head = "ray start --head --node-ip-address=10.0.0.1 --port=32345 --include-dashboard=false --block"
    assert set(lines) >= {
        *(head, "ray status --address=10.0.0.1:32345", "ray start --address=10.0.0.1:32345 --block"),
        "rftconf run /f/run_grpo.sh -o /f/run_grpo --set NODES=3 --json --address 10.0.0.1:32345",
    }
    (joined,) = (line for line in lines if line.startswith("srun "))
    assert "--nodes=2 --ntasks=2 --ntasks-per-node=1 --gpus-per-node=4 --exclude=first" in joined


def test_words_stay_words() -> None:
    odd = Launch('a"; b', "/c/$(touch x).sh", "/f/`y`\n- z", 0, ("--set", "A=';rm'"))
    job = yaml.safe_load(kuberay(odd, "i: {", "c # d", "/m"))
    assert job["metadata"]["name"] == "a-b"
    assert "'/c/$(touch x).sh'" in job["spec"]["entrypoint"]
    assert job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["containers"][0]["image"] == "i: {"
    assert subprocess.run(["bash", "-n"], input=slurm(odd, 1, ""), text=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--on", "kuberay"], 2, "--image and --claim"),
        (
            ["--on", "slurm", "--set", "API_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123456789"],
            2,
            "--set API_TOKEN is a secret",
        ),
    ],
)
def test_what_is_not_written(
    script: Path, words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["launch", str(script), "-q", "--folder", "/f", *words]) == code
    output = capsys.readouterr()
    assert message in output.err
    assert output.out == ""
    assert "hf_abc" not in output.err


def test_a_number_of_nodes_that_nobody_knows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.sh"
    file.write_text("python3 -m verl.trainer.main_ppo trainer.nnodes=$WORLD_SIZE\n")
    assert run(["launch", str(file), "-q", "--on", "slurm", "--folder", "/f"]) == 3
    assert "cluster.nodes is WORLD_SIZE: --set gives it a number" in capsys.readouterr().err


def test_the_version_of_ray_is_the_runners() -> None:
    assert f"ray=={RAY_VERSION}\n" in (ROOT / "runners" / "requirements-cpu.lock").read_text()
