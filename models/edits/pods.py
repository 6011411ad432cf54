"""Edits of single pods and of what pods ask for: pods end, tolerate more, or lose their scheduling gates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from models.edits.edit import Edit, EditError, Situation
from models.edits.new_gangs import TolerationText
from models.edits.select import Selector, select_gangs, shown
from models.edits.suggest import unknown
from models.selectors import Toleration
from models.spoken import Say, english
from models.workloads import Gang, Pod, PodSpec, RoleTemplate

NAMES_TOLD = 3
MARK = "volcano.sh/preemptable"


class RemovePods(Edit):
    """Pods end: they leave their node and their gang, and do not come back."""

    kind: ClassVar[str] = "remove_pods"
    pods: Selector

    def apply(self, situation: Situation) -> Situation:
        """Take the pods away; a gang that has none left and asks for none has finished."""
        names = self._names()
        known = situation.snapshot.pod_by_name
        for name in names:
            if name not in known:
                raise unknown("pod", name, known)
        gone = set(names)
        snapshot = situation.snapshot
        kept = [pod for pod in snapshot.pods if pod.full_name not in gone]
        left = {pod.gang for pod in kept}
        over = {known[name].gang for name in names} - left
        gangs = [
            replace(one, finished=True, templates=()) if one.full_name in over else one
            for one in snapshot.gangs
        ]
        return situation.holding(pods=kept, gangs=gangs)

    def text(self, say: Say = english) -> str:
        """``end 2 pods: ml/a-0, ml/a-1``."""
        names = self._names()
        told, more = ", ".join(names[:NAMES_TOLD]), len(names) - NAMES_TOLD
        if more > 0:
            told = say("{names} and {count} more", names=told, count=str(more))
        if len(names) == 1:
            return say("end 1 pod: {names}", names=told)
        return say("end {count} pods: {names}", count=f"{len(names):,}", names=told)

    def _names(self) -> tuple[str, ...]:
        return (self.pods,) if isinstance(self.pods, str) else self.pods


class OfPods(Edit):
    """An edit of what the waiting pods of gangs, and those still to come, ask for."""

    gangs: Selector

    def _changed(self, situation: Situation, change: Callable[[PodSpec], PodSpec]) -> Situation:
        names = {one.full_name for one in select_gangs(situation, self.gangs)}
        made: dict[PodSpec, PodSpec] = {}

        def spec_of(spec: PodSpec) -> PodSpec:
            if spec not in made:
                made[spec] = change(spec)
            return made[spec]

        def template_of(one: RoleTemplate) -> RoleTemplate:
            return replace(one, spec=spec_of(one.spec))

        def gang_of(one: Gang) -> Gang:
            return replace(one, templates=tuple(template_of(part) for part in one.templates))

        snapshot = situation.snapshot
        return situation.holding(
            pods=[
                replace(pod, spec=spec_of(pod.spec)) if pod.gang in names and pod.pending else pod
                for pod in snapshot.pods
            ],
            gangs=[gang_of(one) if one.full_name in names else one for one in snapshot.gangs],
        )


class Tolerate(OfPods):
    """Pods of the gangs tolerate more taints."""

    kind: ClassVar[str] = "tolerate"
    tolerations: tuple[TolerationText, ...]

    def apply(self, situation: Situation) -> Situation:
        """Add the tolerations."""
        if not self.tolerations:
            raise EditError("tolerate lists no toleration", "write tolerations: [{key: KEY}]")
        more = tuple(
            Toleration(one.key, one.operator, one.value, one.effect) for one in self.tolerations
        )
        return self._changed(
            situation, lambda spec: replace(spec, tolerations=(*spec.tolerations, *more))
        )

    def text(self, say: Say = english) -> str:
        """``gang team/train-7 tolerates dedicated=infra``."""
        told = [
            f"{one.key or say('every taint')}{'=' + one.value if one.value else ''}"
            for one in self.tolerations
        ]
        return say(
            "gang {gangs} tolerates {taints}", gangs=shown(self.gangs), taints=", ".join(told)
        )


class DropAffinity(OfPods):
    """The gangs' pods lose their required node affinity."""

    kind: ClassVar[str] = "drop_affinity"

    def apply(self, situation: Situation) -> Situation:
        """Remove the affinity; rules of zones and selectors stay."""
        return self._changed(situation, lambda spec: replace(spec, node_affinity=None))

    def text(self, say: Say = english) -> str:
        """``drop the node affinity of gang team/train-7``."""
        return say("drop the node affinity of gang {gangs}", gangs=shown(self.gangs))


class Ungate(OfPods):
    """The gangs' pods lose their scheduling gates, and suspended gangs are resumed."""

    kind: ClassVar[str] = "ungate"

    def apply(self, situation: Situation) -> Situation:
        """Remove the gates."""
        names = {one.full_name for one in select_gangs(situation, self.gangs)}
        changed = self._changed(situation, lambda spec: replace(spec, scheduling_gates=()))
        return changed.holding(
            gangs=[
                _resumed(one) if one.full_name in names else one for one in changed.snapshot.gangs
            ]
        )

    def text(self, say: Say = english) -> str:
        """``remove the scheduling gates of gang team/train-7``."""
        return say("remove the scheduling gates of gang {gangs}", gangs=shown(self.gangs))


def _resumed(gang: Gang) -> Gang:
    return replace(gang, suspended=False) if gang.suspended else gang


class MarkPreemptable(Edit):
    """The gangs and all their pods may be evicted: marks that say otherwise are gone."""

    kind: ClassVar[str] = "mark_preemptable"
    gangs: Selector

    def apply(self, situation: Situation) -> Situation:
        """Change the marks."""
        names = {one.full_name for one in select_gangs(situation, self.gangs)}
        snapshot = situation.snapshot
        return situation.holding(
            pods=[_unmarked(pod) if pod.gang in names else pod for pod in snapshot.pods],
            gangs=[
                replace(one, preemptable=None) if one.full_name in names else one
                for one in snapshot.gangs
            ],
        )

    def text(self, say: Say = english) -> str:
        """``let gang team/train-7 be evicted``."""
        return say("let gang {gangs} be evicted", gangs=shown(self.gangs))


def _unmarked(pod: Pod) -> Pod:
    if pod.preemptable:
        return pod
    return replace(
        pod,
        annotations={key: value for key, value in pod.annotations.items() if key != MARK},
        labels={key: value for key, value in pod.labels.items() if key != MARK},
    )


EDITS: tuple[type[Edit], ...] = (RemovePods, Tolerate, DropAffinity, Ungate, MarkPreemptable)
