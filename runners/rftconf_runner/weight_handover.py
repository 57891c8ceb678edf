"""The trainer's weights to every engine, and whether each of them holds them then.

An engine's rank that shares its GPU with a trainer's gets them from that one on the device, in buckets. Engines elsewhere, mixtures of experts, and
devices whose memory no other process may open get all of them at once from the first rank, through the host's memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import ray

from rftconf_runner.places import Places, call
from rftconf_runner.weights import Digests, Layout, differing


def hand_over(places: Places, version: int) -> list[list[str]]:
    """Hand the weights over; the names of what each engine does not hold as the trainer does then. The trainer reckons
    what engines should hold, where its weights are."""
    ranks = [rank for engine in places.engines for rank in engine]
    layouts: list[Layout] = call(ranks, "layout")
    senders = _senders(places, layouts, ranks)
    if senders:
        target_digests, actual = _on_device(places, senders, ranks, version)
    else:
        target_digests, actual = _through_host(places, layouts, ranks, version)
    names = iter([differing(*pair) for pair in zip(target_digests, actual, strict=True)])
    return [sorted({name for rank in islice(names, len(engine)) for name in rank}) for engine in places.engines]


def beside(places: Places) -> list[int]:
    """The number of the trainer's rank on the GPU of each engine's rank; none where an engine's rank is elsewhere, or there are no GPUs."""
    if not places.slots or places.slots.unit != "GPU":
        return []
    trainers = {bundle: number for number, bundle in enumerate(places.slots.layout.trainers)}
    engines = places.slots.layout.engines
    return [trainers[bundle] for bundle in engines] if trainers.keys() >= set(engines) else []


def _senders(places: Places, layouts: Sequence[Layout], ranks: Sequence[Any]) -> list[Any]:
    """Return the trainer's rank beside each engine's, after the one has opened what the other offers; none where one cannot."""
    numbers = beside(places)
    if not numbers:
        return []
    senders = [places.ranks[number] for number in numbers]
    offers = ray.get([sender.offer.remote(own) for sender, own in zip(senders, layouts, strict=True)])
    if all(offers) and all(ray.get([rank.open.remote(shared) for rank, shared in zip(ranks, offers, strict=True)])):
        return senders
    call(senders, "withdraw")
    return []


def _on_device(
    places: Places, senders: Sequence[Any], ranks: Sequence[Any], version: int
) -> tuple[list[Digests], list[Digests]]:
    """Every rank of the trainer gathers each tensor, those beside an engine's hand it over, and the driver sees digests alone."""
    taken = [rank.take.remote(sender, version) for rank, sender in zip(ranks, senders, strict=True)]
    actual = [rank.held.remote() for rank in ranks]
    idle = [rank for rank in places.ranks if rank not in senders]
    ray.get([*taken, *(rank.attend.remote() for rank in idle)])
    return call(senders, "reckoned"), ray.get(actual)


def _through_host(
    places: Places, layouts: Sequence[Layout], ranks: Sequence[Any], version: int
) -> tuple[list[Digests], list[Digests]]:
    """The first rank reckons what engines should hold while they take it, once for all that lay weights out alike."""
    gathered, *_ = [rank.weights.remote() for rank in places.ranks]  # collective: every rank is called
    loads, actual = [rank.load.remote(gathered, version) for rank in ranks], [rank.held.remote() for rank in ranks]
    kinds = list[Layout]()
    for own in layouts:
        kinds += [] if own in kinds else [own]
    reckoned = places.ranks[0].expected.remote(gathered, kinds)
    ray.get(loads)
    by_kind = ray.get(reckoned)
    return [by_kind[kinds.index(own)] for own in layouts], ray.get(actual)
