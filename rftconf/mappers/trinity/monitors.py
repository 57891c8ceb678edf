"""Arguments of the tracker, by the monitor that reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.base.ledger import State
from rftconf.mappers.codecs import Put, off_as

if TYPE_CHECKING:
    from rftconf.plan.units import Unit

READ_BY_MONITORS = {"tensorboard": (), "wandb": ("base_url", "api_key"), "mlflow": ("username", "password", "uri")}
"""What utils/monitor.py reads of monitor.monitor_args, by the monitor; SwanLab's takes all."""


class _Monitor(off_as):
    """Arguments of the tracker, as far as its monitor reads them."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        kind = context.effective("monitor.monitor_type")
        if not isinstance(value, dict) or kind not in READ_BY_MONITORS:
            return super().get(value, context, unit)
        names = READ_BY_MONITORS[kind]
        unread = [name for name in value if name not in names]
        reads = f"reads {' and '.join(names)} only" if names else "reads no arguments"
        why = f"the monitor {kind} {reads} (utils/monitor.py)"
        context.inactive.update((f"monitor.monitor_args.{name}", why) for name in unread)
        return {name: argument for name, argument in value.items() if name in names} or None

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        kind = context.effective("monitor.monitor_type")
        if context.same_framework or not isinstance(value, dict) or kind not in READ_BY_MONITORS:
            return super().put(value, context, unit)
        read = {name: argument for name, argument in value.items() if name in READ_BY_MONITORS[kind]}
        lost = [name for name in value if name not in read]
        why = f"the monitor {kind} does not read {', '.join(lost)} (utils/monitor.py)" if lost else ""
        return Put(read or None, State.NARROWED if lost else State.EXACT, why)


MONITOR = _Monitor((None, {}))
