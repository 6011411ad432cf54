"""The order of jobs inside a queue, as Volcano's priority and sla plugins give it."""

from __future__ import annotations

from models.effective import EffectivePolicy
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.verify.standing import go_seconds, moment

_WAITING_KEYS = ("volcano.sh/sla-waiting-time", "sla-waiting-time")
JobKey = tuple[int, float, str, str]


class JobOrder:
    """Smaller keys go first: priority, with ``sla`` creation + waiting time, then creation, then name."""

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy) -> None:
        self._sla = policy.sla
        plugin = snapshot.scheduler.plugin("sla") if snapshot.scheduler else None
        self._default = plugin.arguments.get("sla-waiting-time", "") if plugin else ""

    def key(self, gang: Gang) -> JobKey:
        """Sort key of a gang; gangs without a waiting time come after those with one."""
        return (-gang.priority, self._latest_start(gang), gang.created, gang.full_name)

    def _latest_start(self, gang: Gang) -> float:
        """Seconds of the epoch at which the gang should have started."""
        if not self._sla:
            return 0.0
        marks = (gang.annotations[key] for key in _WAITING_KEYS if key in gang.annotations)
        seconds = go_seconds(next(marks, "") or self._default)
        return float("inf") if seconds is None else moment(gang.created).timestamp() + seconds
