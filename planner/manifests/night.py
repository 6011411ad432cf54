"""What all parts of the advice look at: the snapshot, the schedule, and when is when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from models.effective import EffectivePolicy
from models.moments import epoch_seconds, local_text
from models.online import service_of
from models.plan import PlanResult
from models.policy import OnlineService
from models.schedule import Schedule, ScheduledGang
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.manifests.controllers import Controller, controller_of, resumes_left


@dataclass(frozen=True)
class Moment:
    """A moment that is no time of day: words for a sentence, and a part of a folder's name."""

    words: str
    folder: str


@dataclass(frozen=True)
class Night:
    """One schedule and what it was made from.

    Attributes
    ----------
    moments
        Seconds that have words in place of a time of day: the end of a plan for now.
    resumes
        Resumptions that the advice already asks of each Volcano Job; each costs one of its retries.
    """

    snapshot: Snapshot
    result: PlanResult
    policy: EffectivePolicy
    schedule: Schedule
    moments: Mapping[int, Moment] = field(default_factory=dict)
    resumes: Counter[str] = field(default_factory=Counter)

    @property
    def now(self) -> int:
        """Moment of the plan, seconds since the epoch."""
        return self.schedule.edges[0]

    @property
    def end(self) -> int:
        """End of the horizon."""
        return self.schedule.edges[-1]

    @property
    def overhead_s(self) -> int:
        """Seconds that a return costs beside the grace period."""
        return self.schedule.lending.overhead_s if self.schedule.lending is not None else 1

    @cached_property
    def scheduled(self) -> tuple[tuple[ScheduledGang, Gang], ...]:
        """Batch gangs of the schedule that the snapshot knows, in order; online work is left alone."""
        found = []
        for one in self.schedule.gangs:
            gang = self.snapshot.gang_by_name.get(one.full_name)
            if gang is not None and not self._online(gang):
                found.append((one, gang))
        return tuple(found)

    def controller(self, gang: Gang) -> Controller:
        """Who creates its pods."""
        return controller_of(self.snapshot, gang)

    def can_resume(self, gang: Gang, *, spare: int = 0) -> bool:
        """A Volcano Job has a retry left for one more resumption, and ``spare`` ones beside it."""
        return self.resumes[gang.full_name] + spare < resumes_left(gang)

    @property
    def for_now(self) -> bool:
        """A plan for now, whose end is no time of day."""
        return self.end in self.moments

    def clock(self, second: int) -> str:
        """``2026-09-15 22:00 +02:00``, without the offset in UTC: ``… UTC``; seconds where there are any."""
        if second in self.moments:
            return self.moments[second].words
        text = local_text(second, self.schedule.timezone)
        day, time = text[:10], text[11:19]
        zone = " UTC" if text.endswith("Z") else f" {text[19:]}"
        return f"{day} {time[:5] if time.endswith(':00') else time}{zone}"

    def folder(self, second: int) -> str:
        """The moment in names of folders: ``0915-2200``."""
        if second in self.moments:
            return self.moments[second].folder
        moment = self.clock(second)
        return f"{moment[5:7]}{moment[8:10]}-{moment[11:13]}{moment[14:16]}"

    def at(self, text: str | None, otherwise: int) -> int:
        """Seconds of a time in the document."""
        found = epoch_seconds(text) if text else None
        return otherwise if found is None else found

    @cached_property
    def online_queues(self) -> frozenset[str]:
        """Queues with online work: a limit on them would hit the services."""
        named = {one.queue for one in self.policy.policy.services if one.queue}
        return frozenset(named | {gang.queue for gang in self.snapshot.gangs if self._online(gang)})

    @cached_property
    def _services(self) -> tuple[OnlineService, ...]:
        """Services of the policy, and those that only a demand file names."""
        known = {one.name for one in self.policy.policy.services}
        lending = self.schedule.lending
        told = {one.service for one in lending.demand} if lending is not None else set()
        more = (OnlineService(name=name) for name in sorted(told - known))
        return (*self.policy.policy.services, *more)

    def _online(self, gang: Gang) -> bool:
        pods = self.snapshot.pods_of(gang)
        return gang.online or any(service_of(self._services, pod, gang) for pod in pods)
