"""Pods that a PodGroup without a template is still to get, or what in the export speaks against them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from models.promises import (
    ALL_MADE,
    AT_ZERO,
    ENDED,
    GONE,
    PODS_ENDED,
    REPLACED,
    SUSPENDED,
    TOO_FEW,
)
from models.readers.controllers import VOLCANO, Controller
from models.readers.gang_table import VOLCANO_BATCH, Draft
from models.readers.intake import Intake
from models.resources import NO_RESOURCES, Resources, total_of
from models.workloads import FINISHED_PHASES, Gang, PodSpec, RoleTemplate

_LONGEST_CHAIN = 4
"""Owners above an owner that are asked too: a Job of a JobSet of a TrainJob."""


class Promises:
    """Decides for drafts that come from a PodGroup alone; all pods have to be linked before."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._kinds = {(one.group, one.kind) for one in intake.controllers.sorted()}
        self._by_owner = Counter(
            (pod.namespace, pod.owner_kind, pod.owner_name)
            for pod in intake.pods.sorted()
            if pod.owner_name
        )

    def settle(self, draft: Draft) -> Gang:
        """The gang with what is promised to it, or with the code of what speaks against it."""
        gang = draft.gang
        record = draft.record
        if record is None:
            return gang
        against = self._against(draft)
        if against:
            complete = len(draft.pods) >= max(gang.min_member, 1) and against != PODS_ENDED
            told = "" if complete else against
            return replace(gang, no_more=told, suspended=against == SUSPENDED)
        missing = gang.min_member - len(draft.pods)
        if missing <= 0 or not gang.min_resources:
            return gang
        spec = self._intake.specs.share(
            PodSpec(request=_share(gang, draft, missing), scheduler_name=VOLCANO)
        )
        roleless = sum(not pod.role for pod in draft.pods)
        return replace(
            gang, templates=(RoleTemplate(role="", spec=spec, replicas=missing + roleless),)
        )

    def _against(self, draft: Draft) -> str:
        record, pods = draft.record, draft.pods
        assert record is not None
        least = max(record.gang.min_member, 1)
        if pods and all(pod.phase in FINISHED_PHASES for pod in pods):
            return PODS_ENDED
        if not pods and record.ended_pods >= least:
            return PODS_ENDED
        owner = self._intake.controllers.get(
            f"{record.owner_kind}/{record.gang.namespace}/{record.owner_name}"
        )
        if owner is None or record.owner_group not in ("", owner.group):
            return self._of_missing_owner(draft)
        return self._of_owner(owner, draft)

    def _of_missing_owner(self, draft: Draft) -> str:
        record = draft.record
        assert record is not None
        if not record.owner_name or draft.pods:
            return ""
        volcano = record.owner_kind == "Job" and record.owner_group in ("", VOLCANO_BATCH)
        if volcano and self._intake.jobs.get(f"{record.gang.namespace}/{record.owner_name}"):
            return REPLACED
        others = (volcano and len(self._intake.jobs) > 0) or any(
            kind == record.owner_kind and record.owner_group in ("", group)
            for group, kind in self._kinds
        )
        return GONE if others and not record.had_pods else ""

    def _of_owner(self, owner: Controller, draft: Draft) -> str:
        chain = self._chain(owner)
        if any(one.facts.ended for one in chain):
            return ENDED
        if any(one.facts.suspended for one in chain):
            return SUSPENDED
        if any(one.facts.most_pods == 0 for one in chain):
            return AT_ZERO
        most, minimum = owner.facts.most_pods, draft.gang.min_member
        if most is not None and most < minimum + self._elsewhere(owner, draft):
            return TOO_FEW
        made = bool(draft.pods) and owner.facts.at_once and len(draft.pods) < minimum
        return ALL_MADE if made else ""

    def _chain(self, owner: Controller) -> list[Controller]:
        """The owner and those above it that the export holds."""
        found = [owner]
        while len(found) < _LONGEST_CHAIN:
            meta = found[-1].meta
            above = self._intake.controllers.get(
                f"{meta.owner_kind}/{meta.namespace}/{meta.owner_name}"
            )
            if above is None or above in found:
                break
            found.append(above)
        return found

    def _elsewhere(self, owner: Controller, draft: Draft) -> int:
        """Pods of the owner that belong to other groups."""
        key = (owner.meta.namespace, owner.kind, owner.meta.name)
        own = sum((pod.namespace, pod.owner_kind, pod.owner_name) == key for pod in draft.pods)
        return self._by_owner[key] - own


def _share(gang: Gang, draft: Draft, missing: int) -> Resources:
    """What minResources leave beside the pods that exist, divided by the missing pods, rounded down per resource."""
    asked, held = (
        gang.min_resources or NO_RESOURCES,
        total_of(pod.spec.request for pod in draft.pods),
    )
    left = {name: max(amount - held.get(name, 0), 0) // missing for name, amount in asked.items()}
    return Resources(left).without_zeros()
