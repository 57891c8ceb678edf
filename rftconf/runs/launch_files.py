"""Files that start a run elsewhere: a RayJob for KubeRay, a batch script for Slurm. Nothing is started from here."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass

RAY_VERSION = "2.60.0"
"""As runners/requirements-cpu.lock has it; a test compares."""
LONGEST_NAME = 47
"""Characters of a RayJob's name that Kubernetes leaves room for; KubeRay adds its own to it."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One run on `nodes` nodes of `gpus` GPUs each. `config` and `folder` are paths there, on a disk that all nodes share;
    `more` are further words of `rftconf run`."""

    name: str
    config: str
    folder: str
    gpus: int
    more: tuple[str, ...] = ()
    nodes: int = 1

    def command(self, *also: str) -> str:
        """Return the command that is executed, as a shell reads it."""
        return shlex.join(("rftconf", "run", self.config, "-o", self.folder, *self.more, *also))


def kuberay(launch: Launch, image: str, claim: str, mount: str) -> str:
    """A RayJob whose head is the first node and whose workers are the others; the volume claim `claim` is mounted at `mount`
    in all of them. KubeRay replaces a worker that is lost, and the run goes on when it is back."""
    return f"""apiVersion: ray.io/v1
kind: RayJob
metadata:
  name: {_quoted(_name(launch.name))}
spec:
  entrypoint: {_quoted(launch.command("--address", "auto", "--json"))}
  shutdownAfterJobFinishes: true
  backoffLimit: 0  # rftconf run --resume goes on from the last checkpoint
  rayClusterSpec:
    rayVersion: {_quoted(RAY_VERSION)}
    authOptions: {{mode: token}}  # KubeRay makes a token that only this cluster knows
    headGroupSpec:
      rayStartParams: {{}}
{_pod("ray-head", launch, image, claim, mount, " " * 6)}{_workers(launch, image, claim, mount)}"""


def _workers(launch: Launch, image: str, claim: str, mount: str) -> str:
    if launch.nodes < 2:
        return ""
    count = launch.nodes - 1
    return f"""    workerGroupSpecs:
      - groupName: workers
        replicas: {count}
        minReplicas: {count}
        maxReplicas: {count}
        rayStartParams: {{}}
{_pod("ray-worker", launch, image, claim, mount, " " * 8)}"""


def _pod(name: str, launch: Launch, image: str, claim: str, mount: str, indent: str) -> str:
    limits = f"{{nvidia.com/gpu: {launch.gpus}}}" if launch.gpus else "{}"
    lines = f"""template:
  spec:
    containers:
      - name: {name}
        image: {_quoted(image)}
        resources:
          limits: {limits}
        volumeMounts:
          - name: runs
            mountPath: {_quoted(mount)}
    volumes:
      - name: runs
        persistentVolumeClaim:
          claimName: {_quoted(claim)}
"""
    return "".join(indent + line for line in lines.splitlines(keepends=True))


def slurm(launch: Launch, hours: int, partition: str) -> str:
    """A batch script. Slurm's interrupt, ten minutes before the end, lets the run save; queued again, it goes on."""
    directives = [
        f"--job-name={_name(launch.name)}",
        f"--nodes={launch.nodes}",
        "--ntasks=1" if launch.nodes == 1 else "--ntasks-per-node=1",
        *([f"--gpus-per-node={launch.gpus}"] if launch.gpus else []),
        *([f"--partition={partition}"] if partition else []),
        f"--time={hours}:00:00",
        "--signal=B:INT@600",
        "--requeue",
    ]
    head = "\n".join(f"#SBATCH {directive}" for directive in directives)
    folder = shlex.quote(launch.folder)
    several = launch.nodes > 1
    cluster = _CLUSTER.format(others=launch.nodes - 1, gpus=f" --gpus-per-node={launch.gpus}" if launch.gpus else "")
    return f"""#!/usr/bin/env bash
{head}
set -euo pipefail
{cluster if several else ""}
resume=()
if compgen -G {folder}/"step-*" > /dev/null; then resume=(--resume); fi
{launch.command("--json")}{' --address "$address"' if several else ""} "${{resume[@]}}" &
run=$!
trap 'kill -INT "$run"' INT
wait "$run" || wait "$run"  # the first returns when the signal comes
"""


_CLUSTER = """
# This node is Ray's head, the others join it; one that loses its way joins again.
export RAY_USAGE_STATS_ENABLED=0 RAY_AUTH_MODE=token RAY_AUTH_TOKEN
RAY_AUTH_TOKEN=$(cat /proc/sys/kernel/random/uuid) # only this job knows it
address="$(hostname --ip-address | cut -d' ' -f1):$((20000 + SLURM_JOB_ID % 20000))"
ray start --head --node-ip-address="${{address%:*}}" --port="${{address#*:}}" --include-dashboard=false --block &
head=$!
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
until ray status --address="$address" > /dev/null 2>&1; do kill -0 "$head"; sleep 1; done
srun --nodes={others} --ntasks={others} --ntasks-per-node=1{gpus} --exclude="$(hostname --short)" --overlap \\
  bash -c 'while true; do ray start --address="$0" --block || true; sleep 5; done' "$address" &
"""


def _quoted(text: str) -> str:
    """JSON's strings are YAML's."""
    return json.dumps(text)


def _name(text: str) -> str:
    """Spell a name as Kubernetes and Slurm take it."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST_NAME].rstrip("-") or "run"
