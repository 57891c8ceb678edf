"""The meeting point of one model's ranks: a store in the driver's process, and the node's own network."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from rftconf_runner.threads import patient

WAIT = timedelta(minutes=5)
"""For every rank to come."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """An address that every node reaches, and the store behind it, which lives as long as this does."""

    host: str
    port: int
    store: Any

    @property
    def address(self) -> tuple[str, int]:
        """Return host and port, as a rank needs them to join."""
        return self.host, self.port


def meeting() -> Meeting:
    """A new one, at this node's address on Ray's network."""
    import ray
    from torch.distributed import TCPStore

    host = ray.util.get_node_ip_address()
    store = TCPStore(host, 0, is_master=True, wait_for_workers=False, timeout=WAIT)
    return Meeting(host, store.port, store)


def join(rank: int, ranks: int, address: tuple[str, int], kind: str) -> Any:
    """Join the process group of one model's ranks; the mesh of `kind` devices to shard over."""
    import ray
    import torch
    from torch.distributed.device_mesh import init_device_mesh

    card = interface(ray.util.get_node_ip_address())
    for library in ("GLOO", "NCCL"):  # which would take what the machine's name resolves to, and no other node reaches
        os.environ.setdefault(f"{library}_SOCKET_IFNAME", card)
    store = torch.distributed.TCPStore(*address, is_master=False, timeout=WAIT)
    # what FSDP2 keeps in the host's memory is added up there: the norm of gradients, and weights that are gathered
    backend = "cpu:gloo,cuda:nccl" if kind == "cuda" else "gloo"
    with patient(kind):
        torch.distributed.init_process_group(backend, store=store, rank=rank, world_size=ranks)
    return init_device_mesh(kind, (ranks,))


def interface(address: str) -> str:
    """The name of the network interface with this address. Raises OSError where there is none."""
    import psutil

    for name, addresses in psutil.net_if_addrs().items():
        if any(
            address_of_card.family in (socket.AF_INET, socket.AF_INET6) and address_of_card.address == address
            for address_of_card in addresses
        ):
            return str(name)
    raise OSError(
        f"no network interface of {socket.gethostname()} has the address {address} that Ray knows the node by"
    )
