"""States of a trained model that wait in the host's memory: always, by FSDP2's policy, or only while engines answer."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from rftconf_runner.job import Offload

HOST = "cpu"


def policy_of(offload: Offload) -> Any:
    """Return FSDP2's policy of offloading. With `policy` it copies a layer's weights to the device for its forward and
    backward pass, and updates on the host."""
    from torch.distributed.fsdp import CPUOffloadPolicy, OffloadPolicy

    return CPUOffloadPolicy(pin_memory=torch.cuda.is_available()) if offload.policy else OffloadPolicy()


class States:
    """The states of one model: its parameters, and its optimizer's moments where it has one. Gradients do not outlive an update.

    What `offload` does not name stays on the device; on a machine whose device is the host nothing moves.
    """

    def __init__(self, model: Any, optimizer: Any, offload: Offload, device: str) -> None:
        self.model, self.optimizer, self.device = model, optimizer, device
        between = not offload.policy and device != HOST
        self.movable = {"param": between and offload.param, "optimizer": between and offload.optimizer}
        self.away = set[str]()

    def rest(self) -> None:
        """Move the parts that wait between phases to the host's memory, and give back what PyTorch keeps of the device's for itself."""
        for part, moves in self.movable.items():
            if moves and part not in self.away:
                self._move(part, HOST)
                self.away.add(part)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def back(self, *parts: str) -> None:
        """Bring back those of these parts that are away."""
        for part in parts:
            if part in self.away:
                self._move(part, self.device)
                self.away.remove(part)

    def _move(self, part: str, to: str) -> None:
        if part == "param":
            self.model.to(to)  # FSDP2 gathers nothing for it: every rank moves its own shard
            return
        for state in self.optimizer.state.values() if self.optimizer else ():
            for name, value in state.items():
                if isinstance(value, Tensor) and value.dim():  # the count of steps is on the host anyway
                    state[name] = value.to(to)
