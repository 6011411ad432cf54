"""The order of jobs inside a queue, as Volcano's priority, gang, sla and drf plugins give it."""

from __future__ import annotations

from collections.abc import Mapping

from models.effective import EffectivePolicy
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.verify.standing import go_seconds, moment

_WAITING_KEYS = ("volcano.sh/sla-waiting-time", "sla-waiting-time")
_CHART = ("priority", "gang", "sla", "drf")
JobKey = tuple[tuple[float, ...], str, str]


class JobOrder:
    """Smaller keys go first: the plugins in the order of the ConfigMap (or of the chart), then creation, then name.

    ``priority``: the higher; ``gang``: those that are not ready; ``sla``: the earlier creation + waiting time; ``drf``:
    the smaller share of the cluster.
    """

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy) -> None:
        config = snapshot.scheduler
        listed = tuple(one.name for one in config.plugins) if config else _CHART
        told = tuple(name for name in listed if name in _CHART)
        self._plugins = tuple(name for name in told or _CHART if name != "sla" or policy.sla)
        if policy.sla and "sla" not in self._plugins:
            self._plugins += ("sla",)
        plugin = config.plugin("sla") if config else None
        self._default = plugin.arguments.get("sla-waiting-time", "") if plugin else ""
        self._total = snapshot.total

    def key(
        self, gang: Gang, *, ready: bool = False, holds: Mapping[str, int] | None = None
    ) -> JobKey:
        """Sort key of a gang that holds these amounts; gangs without a waiting time come after those with one."""
        found: list[float] = []
        for name in self._plugins:
            if name == "priority":
                found.append(-gang.priority)
            elif name == "gang":
                found.append(float(ready))
            elif name == "sla":
                found.append(self._latest_start(gang))
            else:
                found.append(self._share(holds or {}))
        return (tuple(found), gang.created, gang.full_name)

    def _share(self, holds: Mapping[str, int]) -> float:
        """Largest share of what the nodes offer; it only orders, so a float will do."""
        shares = (
            amount / offered if (offered := self._total.amount(name)) else 1.0
            for name, amount in holds.items()
            if amount
        )
        return max(shares, default=0.0)

    def _latest_start(self, gang: Gang) -> float:
        """Seconds of the epoch at which the gang should have started."""
        marks = (gang.annotations[key] for key in _WAITING_KEYS if key in gang.annotations)
        seconds = go_seconds(next(marks, "") or self._default)
        return float("inf") if seconds is None else moment(gang.created).timestamp() + seconds
