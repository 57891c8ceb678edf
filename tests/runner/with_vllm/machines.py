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
    made = subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True).returncode == 0
    if made:
        _ip("netns", "del", name)
    return made


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
    made = [
        Machine(f"rn{os.getpid()}-{at}", f"rv{os.getpid()}-{at}", f"{NETWORK}.{at + 2}", temp, f"{NETWORK}.2")
        for at in range(count)
    ]
    try:
        _ip("link", "add", bridge, "type", "bridge")
        _ip("link", "set", bridge, "up")
        for one in made:
            _ip("netns", "add", one.name)
            _ip("link", "add", one.cable, "type", "veth", "peer", "name", "eth0", "netns", one.name)
            _ip("link", "set", one.cable, "master", bridge, "up")
            _ip("-n", one.name, "addr", "add", f"{one.address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                _ip("-n", one.name, "link", "set", device, "up")
            one.start()
        yield made
    finally:
        for one in made:
            one.end()
            subprocess.run(["ip", "netns", "del", one.name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", bridge], check=False, capture_output=True)
        shutil.rmtree(temp, ignore_errors=True)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
