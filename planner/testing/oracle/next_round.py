"""No gang that was given up comes back at once, judged placement by placement, for the oracle."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.workloads import Pod, PodSpec
from planner.testing.oracle.gang_options import view_gang
from planner.testing.oracle.placements import Arrival
from planner.testing.oracle.situation import Situation
from planner.testing.oracle.takable import may_take
from planner.testing.oracle.victim_causes import Exchange
from planner.testing.oracle.victims import Loss, losses_of

NEW = "new-"


@dataclass(frozen=True)
class Round:
    """One placement with its losses, to be judged."""

    exchange: Exchange
    losses: Sequence[Loss]
    arrivals: Sequence[Arrival]

    @property
    def _situation(self) -> Situation:
        return self.exchange.situation

    def nothing_is_undone(self) -> bool:
        """No gang given up could start in the next round by evicting newcomers, unless it could without."""
        given_up = [loss for loss in self.losses if loss.whole]
        if not given_up:
            return True
        later, newcomers = self._next_round()
        return not any(_returns(later, loss, newcomers) for loss in given_up)

    def _next_round(self) -> tuple[Situation, list[Pod]]:
        """The cluster with all this done, and the pods that have come (all pods of a gang that started)."""
        snapshot = self._situation.snapshot
        gone = {pod.full_name for pod in self.exchange.gone}
        pods = {
            pod.full_name: replace(pod, node=None, phase="Pending", started="")
            if pod.full_name in gone
            else pod
            for pod in snapshot.pods
        }
        placed: set[str] = set()
        for number, one in enumerate(self.arrivals):
            for pod in self._pods_of(one, pods, placed, number):
                pods[pod.full_name] = replace(pod, node=one.node, phase="Running")
                placed.add(pod.full_name)
        started = {one.gang for one in self.arrivals if not self._situation.views[one.gang].ready}
        later = replace(snapshot, pods=tuple(pods.values()))
        newcomers = [
            pod
            for pod in later.pods
            if pod.running and (pod.full_name in placed or pod.gang in started)
        ]
        return Situation(later, self._situation.policy), newcomers

    def _pods_of(
        self, one: Arrival, pods: dict[str, Pod], placed: set[str], number: int
    ) -> list[Pod]:
        """Pods of the snapshot that fit the arrival, or new ones from the template."""
        situation = self._situation
        gang = situation.views[one.gang].gang
        if not one.kind.exists:
            template = gang.template(one.kind.role)
            spec = template.spec if template is not None else PodSpec()
            return [
                Pod(
                    gang.namespace,
                    f"{gang.name}-{NEW}{number}-{place}",
                    spec,
                    gang=gang.full_name,
                    role=one.kind.role,
                    labels=template.labels if template is not None else {},
                    annotations=template.annotations if template is not None else {},
                )
                for place in range(one.count)
            ]
        fitting = [
            pod
            for pod in pods.values()
            if pod.gang == one.gang
            and pod.full_name not in placed
            and situation.views[one.gang].kind_of.get(pod.full_name) == one.kind
        ]
        return fitting[: one.count]


def _returns(later: Situation, loss: Loss, newcomers: list[Pod]) -> bool:
    name = loss.gang.full_name
    view = view_gang(later.snapshot, later.policy, loss.gang)
    if view.ready or not view.minimal or later.can_start([name]):
        return False
    open_ones = [pod for pod in newcomers if pod.gang != name and may_take(later, view, pod)]
    gangs = sorted({pod.gang for pod in open_ones})
    choices: list[list[tuple[Pod, ...]]] = []
    for one in gangs:
        mine = [pod for pod in open_ones if pod.gang == one]
        found = losses_of(later.snapshot, later.snapshot.gang_by_name[one], mine)
        choices.append([(), *(part.pods for part in found)])
    for chosen in itertools.product(*choices):
        gone = tuple(pod for part in chosen for pod in part)
        if not gone:
            continue
        for option in view.minimal:
            delivery = {name: option}
            if Exchange(later, delivery, gone).is_legal() and later.without(gone).packs(delivery):
                return True
    return False
