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
    """One run on one node. `config` and `folder` are paths there, `more` further words of `rftconf run`."""

    name: str
    config: str
    folder: str
    gpus: int
    more: tuple[str, ...] = ()

    def command(self, *also: str) -> str:
        """What is executed, as a shell reads it."""
        return shlex.join(("rftconf", "run", self.config, "-o", self.folder, *self.more, *also))


def kuberay(launch: Launch, image: str, claim: str, mount: str) -> str:
    """A RayJob whose head has the GPUs; the volume claim `claim` is mounted at `mount`."""
    limits = f"{{nvidia.com/gpu: {launch.gpus}}}" if launch.gpus else "{}"
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
    headGroupSpec:
      rayStartParams: {{}}
      template:
        spec:
          containers:
            - name: ray-head
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


def slurm(launch: Launch, hours: int, partition: str) -> str:
    """A batch script for one node. Slurm's interrupt, ten minutes before the end, lets the run save; queued again, it goes on."""
    asked = [
        f"--job-name={_name(launch.name)}",
        "--nodes=1",
        "--ntasks=1",
        *([f"--gpus-per-node={launch.gpus}"] if launch.gpus else []),
        *([f"--partition={partition}"] if partition else []),
        f"--time={hours}:00:00",
        "--signal=B:INT@600",
        "--requeue",
    ]
    head = "\n".join(f"#SBATCH {one}" for one in asked)
    folder = shlex.quote(launch.folder)
    return f"""#!/usr/bin/env bash
{head}
set -euo pipefail

resume=()
if compgen -G {folder}/"step-*" > /dev/null; then resume=(--resume); fi
{launch.command("--json")} "${{resume[@]}}" &
run=$!
trap 'kill -INT "$run"' INT
wait "$run" || wait "$run"  # the first returns when the signal comes
"""


def _quoted(text: str) -> str:
    """JSON's strings are YAML's."""
    return json.dumps(text)


def _name(text: str) -> str:
    """As Kubernetes takes names, and Slurm too."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST_NAME].rstrip("-") or "run"
