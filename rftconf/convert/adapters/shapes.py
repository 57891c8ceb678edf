"""The row and the reward that each framework expects, and since which release."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.base.errors import RefusedError
from rftconf.mappers.adapting import Adapter, Shape
from rftconf.mappers.profiles import adapter_of, families
from rftconf.schemas import registry

DATA_FILE = "convert_data.py"
SHAPES: Mapping[str, Shape] = {
    family: adapter.shape for family in families() if (adapter := adapter_of(family)) is not None
}


def adapter_for(family: str) -> Adapter:
    """Return a framework's adapter. Raises RefusedError where nothing is known of its rows."""
    adapter = adapter_of(family)
    if adapter is None:
        why = f"--adapters: rftconf converts no rows and no rewards of {registry.framework(family).title}'s"
        raise RefusedError(why, choices=("convert it without --adapters",))
    return adapter


def interface(target: str, release: str | None) -> str:
    """The name of the part that stands between the reward and a release of the target."""
    return f"{target}_number" if earlier(target, release, adapter_for(target).first_mapping) else target


def earlier(target: str, release: str | None, first: str) -> bool:
    """True where the release of `target` lies before `first`."""
    if release is None or not first:
        return False
    order = registry.framework(target).releases
    return order.index(release) < order.index(first)
