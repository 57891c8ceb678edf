"""Several machines on one: network namespaces with addresses of their own, each with a Ray node, whose cable can be pulled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.runner.with_vllm import session

NETWORK, PORT = "10.213.77", 6379
OF_RAY = {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": str(uuid.uuid4()),
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "2000",
}
"""A node that does not answer for some seconds is lost; Ray's own half a minute is for real networks. All of a cluster know its token."""


def allowed() -> bool:
    """True where namespaces and cables may be made."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        return False
    name = f"rft{os.getpid()}"
    is_new = subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True).returncode == 0
    if is_new:
        _ip("netns", "del", name)
    return is_new


@dataclass
class Machine:
    """One namespace. Its cable's other end is `cable`, here."""

    name: str
    cable: str
    address: str
    temp: Path
    head: str
    ray: subprocess.Popen[bytes] | None = field(default=None)

    def words(self, *command: str) -> list[str]:
        """What runs `command` there."""
        return ["ip", "netns", "exec", self.name, *command]

    def start(self) -> None:
        """Its Ray node, of one CPU: the head's, or one that joins it."""
        joins = ["--address", f"{self.head}:{PORT}"]
        heads = ["--head", "--port", str(PORT), "--include-dashboard", "false", "--temp-dir", str(self.temp)]
        words = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats"]
        own = ["--node-ip-address", self.address, "--num-cpus", "1"]
        environment = {**os.environ, **session.ENVIRONMENT, **OF_RAY}
        with (self.temp / f"{self.name}.log").open("ab") as log:
            self.ray = subprocess.Popen(
                self.words(*words, *own, *(heads if self.address == self.head else joins)),
                env=environment, stdout=log, stderr=log,
            )  # fmt: skip

    def pull(self) -> None:
        """Its cable: nothing goes in or out."""
        _ip("link", "set", self.cable, "down")

    def plug(self) -> None:
        """The cable is back."""
        _ip("link", "set", self.cable, "up")

    def end(self) -> None:
        """Of whatever runs there."""
        pids = subprocess.run(["ip", "netns", "pids", self.name], check=False, capture_output=True, text=True).stdout
        for pid in pids.split():
            subprocess.run(["kill", "-9", pid], check=False, capture_output=True)
        if self.ray:
            self.ray.wait()
            self.ray = None


@contextmanager
def machines(count: int) -> Iterator[list[Machine]]:
    """So many, with Ray running on the first and the others joined to it."""
    bridge, temp = f"rb{os.getpid()}", Path(tempfile.mkdtemp(prefix="rft"))  # sockets' paths must be short
    new_machines = [
        Machine(f"rn{os.getpid()}-{index}", f"rv{os.getpid()}-{index}", f"{NETWORK}.{index + 2}", temp, f"{NETWORK}.2")
        for index in range(count)
    ]
    try:
        _ip("link", "add", bridge, "type", "bridge")
        _ip("link", "set", bridge, "up")
        for machine in new_machines:
            _ip("netns", "add", machine.name)
            _ip("link", "add", machine.cable, "type", "veth", "peer", "name", "eth0", "netns", machine.name)
            _ip("link", "set", machine.cable, "master", bridge, "up")
            _ip("-n", machine.name, "addr", "add", f"{machine.address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                _ip("-n", machine.name, "link", "set", device, "up")
            machine.start()
        yield new_machines
    finally:
        for machine in new_machines:
            machine.end()
            subprocess.run(["ip", "netns", "del", machine.name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", bridge], check=False, capture_output=True)
        shutil.rmtree(temp, ignore_errors=True)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
