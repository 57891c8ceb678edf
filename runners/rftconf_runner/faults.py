"""Kills one of the run's own processes where a test says so; nothing without RFTCONF_RUNNER_FAULTS."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import ray

VARIABLE = "RFTCONF_RUNNER_FAULTS"
DELAY_SECONDS = {"generate": 0.05, "update": 0.05, "sync": 0.02}
"""So that the phase's calls are under way; the other phases may be over by then, and are struck as they begin."""


class Faults:
    """`engine@generate:2,driver@save:3` kills the last engine in period 2 while it generates, and this process in period 3
    while it saves; each once."""

    def __init__(self) -> None:
        text = os.environ.get(VARIABLE, "")
        self.left = [tuple(item.replace("@", ":").split(":")) for item in text.split(",") if item]
        self.pids: dict[str, int] = {"driver": os.getpid()}

    def aim(self, actors: dict[str, Any]) -> None:
        """Aim later faults at these actors."""
        if self.left:
            pids = ray.get([actor.__ray_call__.remote(lambda _: os.getpid()) for actor in actors.values()])
            self.pids |= {name.split()[0]: pid for name, pid in zip(actors, pids, strict=True)}

    def fire(self, period: int, phase: str) -> None:
        """Let those faults strike that are due."""
        for fault in [fault for fault in self.left if fault[1:] == (phase, str(period))]:
            self.left.remove(fault)
            strike = (self.pids[fault[0]], signal.SIGKILL)
            if phase in DELAY_SECONDS:
                threading.Timer(DELAY_SECONDS[phase], os.kill, strike).start()
            else:
                os.kill(*strike)
