"""Priority of gangs from PriorityClasses, else from their pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from models.cluster import PriorityClass
from models.findings import Finding
from models.readers.gang_table import Draft
from models.workloads import Gang, RoleTemplate

NEVER: Final = "Never"
"""Preemption policy of pods for which nothing is evicted."""

# Every cluster has these two; their values are fixed (Kubernetes scheduling/v1 constants).
_SYSTEM_CLASSES: Final = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}


class Priorities:
    """Values of priority classes; remembers what could not be told."""

    def __init__(self, classes: Iterable[PriorityClass]) -> None:
        listed = list(classes)
        self._values = _SYSTEM_CLASSES | {one.name: one.value for one in listed}
        self._default = next((one.value for one in listed if one.global_default), 0)
        self._default_class = next((one.name for one in listed if one.global_default), "")
        self._never = frozenset(one.name for one in listed if one.preemption_policy == NEVER)
        self._unknown: Counter[str] = Counter()

    def of(self, draft: Draft) -> int:
        """Priority of a gang.

        A group that Volcano makes for plain pods takes the pods' own number. Without a class it is the global
        default or 0. A class that the export lacks is told by the pods' number, if they carry one.
        """
        name = draft.gang.priority_class_name
        numbers = [pod.spec.priority for pod in draft.pods if pod.spec.priority is not None]
        if draft.gang.kind == "implicit" and numbers:
            return numbers[0]
        if not name or name in self._values:
            return self._values.get(name, self._default)
        numbers += [
            one.spec.priority for one in draft.gang.templates if one.spec.priority is not None
        ]
        if numbers:
            return max(numbers)
        if not draft.gang.finished:
            self._unknown[name] += 1
        return self._default

    def of_templates(self, gang: Gang) -> tuple[RoleTemplate, ...]:
        """Templates with the preemption policy that their pods will get from their class, where it is Never.

        A template without a class takes the gang's, else the global default (Kubernetes admission).
        """
        if not self._never:
            return gang.templates
        made = []
        for one in gang.templates:
            name = one.spec.priority_class_name or gang.priority_class_name or self._default_class
            if not one.spec.preemption_policy and name in self._never:
                one = replace(one, spec=replace(one.spec, preemption_policy=NEVER))
            made.append(one)
        return tuple(made)

    def findings(self) -> list[Finding]:
        """One finding per class whose value is not known."""
        return [
            Finding(
                "priority_unknown",
                "error",
                f"priorityclass/{name}",
                f"the export lacks this PriorityClass and the pods carry no number: "
                f"{_gangs(gangs)} planned with priority {self._default}",
                "export priorityclasses.scheduling.k8s.io too",
            )
            for name, gangs in sorted(self._unknown.items())
        ]


def _gangs(number: int) -> str:
    return "1 gang is" if number == 1 else f"{number:,} gangs are"
