"""Priority of gangs from PriorityClasses, else from their pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from models.cluster import PriorityClass
from models.findings import Finding
from models.readers.gang_table import Draft

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
