"""Workloads of queueing systems whose rules are not read, and all demand that a plan leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from models.gpu import gpus_in
from models.part import Part
from models.resources import NO_RESOURCES, Resources
from models.workloads import SYSTEM_NAMESPACE, Pod

if TYPE_CHECKING:
    from models.snapshot import Snapshot

KUEUE: Final = "Kueue"
OTHER_SYSTEMS: Final = {
    ("kueue.x-k8s.io", "Workload"): KUEUE,
    ("scheduling.run.ai", "PodGroup"): "KAI scheduler",
    ("scheduling.x-k8s.io", "PodGroup"): "coscheduling plugin",
}
"""API group and kind to the queueing system whose waiting work it holds."""
_KUEUE_PREFIX: Final = "kueue.x-k8s.io/"
_KUEUE_GROUP: Final = "kueue.x-k8s.io/pod-group-name"


@dataclass(frozen=True, slots=True)
class ForeignWorkload:
    """A workload of another queueing system that has not ended.

    Attributes
    ----------
    request
        What all its pods ask for, empty where the system leaves that to the pods.
    admitted
        The system has let it start; some of its pods may wait all the same.
    """

    namespace: str
    name: str
    system: str
    request: Resources = NO_RESOURCES
    admitted: bool = False

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class LeftOut(Part):
    """Demand of one queueing system or scheduler for which nothing is planned.

    Attributes
    ----------
    system
        Name of the queueing system, or of the scheduler that waiting pods name ("" where they name none).
    queueing
        A queueing system with objects of its own: everything of it that has not ended counts, not only what waits.
    workloads, gpus
        Number of workloads, and their whole GPUs.
    waiting_gpus
        GPUs of what waits.
    """

    system: str = ""
    queueing: bool = False
    workloads: int = 0
    gpus: int = 0
    waiting_gpus: int = 0


@dataclass
class _Sums:
    owners: set[tuple[str, str]] = field(default_factory=set)
    gpus: int = 0


def left_out(
    snapshot: Snapshot, schedulers: Iterable[str], gpu_names: tuple[str, ...]
) -> tuple[LeftOut, ...]:
    """Queueing systems first, then schedulers by name.

    Of schedulers, pods that wait count where the scheduler is not planned for or where no gang holds them (plans place
    gangs). Pods of a DaemonSet and of kube-system are left aside.
    """
    planned = frozenset(schedulers)
    held = {one.full_name for one in snapshot.workloads if not one.admitted}
    systems: dict[str, _Sums] = {one.system: _Sums() for one in snapshot.workloads}
    others: dict[str, _Sums] = {}
    for pod in snapshot.pods:
        if not is_left_out(pod, planned):
            continue
        if _of_kueue(pod):
            sums = systems.setdefault(KUEUE, _Sums())
            if _is_counted(pod, held):
                continue
        else:
            sums = others.setdefault(pod.spec.scheduler_name, _Sums())
        sums.owners.add((pod.namespace, pod.owner_name or pod.gang or pod.name))
        sums.gpus += gpus_in(pod.spec.request, gpu_names)
    found = [
        _of_system(name, snapshot.workloads, sums, gpu_names)
        for name, sums in sorted(systems.items())
    ]
    found += [
        LeftOut(system=name, workloads=len(one.owners), gpus=one.gpus, waiting_gpus=one.gpus)
        for name, one in sorted(others.items())
    ]
    return tuple(found)


def is_left_out(pod: Pod, planned: frozenset[str], *, system: bool = False) -> bool:
    """The pod waits and no plan will place it; those of DaemonSets and of kube-system count with ``system`` only."""
    if not pod.pending:
        return False
    if not system and (pod.owner_kind == "DaemonSet" or pod.namespace == SYSTEM_NAMESPACE):
        return False
    return pod.spec.scheduler_name not in planned or not pod.gang


def left_out_text(found: Sequence[LeftOut]) -> str:
    """``2 workloads of Kueue with 32 GPUs are not planned (8 GPUs of them wait)``; "" for nothing."""
    return "; ".join(map(_text, found))


def nothing_waits(found: Sequence[LeftOut]) -> str:
    """What to say where no planned gang waits."""
    return f"{left_out_text(found)}; no planned gang waits." if found else "No gang waits."


def narrows_proof(found: Iterable[LeftOut], gpus: int) -> bool:
    """Demand is left out that a better plan might serve: all of a queueing system, and what waits for GPUs.

    Pods without GPUs count only in a cluster without ``gpus``.
    """
    return any(one.queueing or one.gpus or not gpus for one in found)


def _text(one: LeftOut) -> str:
    name = one.system if one.queueing else f"scheduler {one.system or '(none)'}"
    count = "1 workload" if one.workloads == 1 else f"{one.workloads:,} workloads"
    are = "is" if one.workloads == 1 else "are"
    text = f"{count} of {name} {_with(one.gpus)} {are} not planned"
    if not one.queueing or one.waiting_gpus == one.gpus:
        return text
    return f"{text} ({_gpus(one.waiting_gpus)} of {'it' if one.workloads == 1 else 'them'} wait)"


def _with(gpus: int) -> str:
    return f"with {_gpus(gpus)}" if gpus else "without GPUs"


def _gpus(count: int) -> str:
    return "1 GPU" if count == 1 else f"{count:,} GPUs"


def _of_system(
    name: str, workloads: Sequence[ForeignWorkload], pods: _Sums, gpu_names: tuple[str, ...]
) -> LeftOut:
    known = [one for one in workloads if one.system == name]
    total = sum(gpus_in(one.request, gpu_names) for one in known)
    held = sum(gpus_in(one.request, gpu_names) for one in known if not one.admitted)
    return LeftOut(
        system=name,
        queueing=True,
        workloads=len(known) or len(pods.owners),
        gpus=max(total, held + pods.gpus),
        waiting_gpus=held + pods.gpus,
    )


def _of_kueue(pod: Pod) -> bool:
    gated = any(gate.startswith(_KUEUE_PREFIX) for gate in pod.spec.scheduling_gates)
    return gated or any(key.startswith(_KUEUE_PREFIX) for key in pod.labels)


def _is_counted(pod: Pod, held: set[str]) -> bool:
    """Its Workload is not admitted: the Workload's own request tells of it."""
    group = pod.labels.get(_KUEUE_GROUP)
    if group is not None:
        return f"{pod.namespace}/{group}" in held
    return bool(held) and bool(pod.spec.scheduling_gates)
