"""Measured use of GPUs: what pods hold and whether it works, as monitoring saw it; held is not the same as used."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from models.gpu import gpus_in, whole_gpu_names
from models.part import Part
from models.policy import Policy
from models.snapshot import Snapshot
from models.workloads import Gang

WEEK_S = 7 * 86_400


class GangUse(Part):
    """A gang whose running pods hold whole GPUs, and what was measured of them.

    Attributes
    ----------
    gpus
        Held by its running pods (allocated).
    idle_s
        Seconds for which none of them has worked, up to the measurement; 0 while one works, None where a pod was not
        measured up to the end.
    worked_permille
        Mean use of its pods over the last week, in thousandths of the GPUs that they hold; None without values.
    """

    gang: str
    queue: str
    gpus: int
    idle_s: int | None = None
    worked_permille: int | None = None


class QueueUse(Part):
    """GPUs of a queue's running gangs now (GPUs), and over the last week as far as it was measured (GPU-seconds).

    Attributes
    ----------
    allocated_gpus, idle_gpus, unmeasured_gpus
        Held; held by gangs that are idle for ``idle_after``; held by pods of which there are no values up to the end.
    allocated_gpu_s, worked_gpu_s, idle_gpu_s
        Held while measured; of this at work (held times use); of this without any work.
    """

    queue: str
    allocated_gpus: int = 0
    idle_gpus: int = 0
    unmeasured_gpus: int = 0
    allocated_gpu_s: int = 0
    worked_gpu_s: int = 0
    idle_gpu_s: int = 0


class MeasuredUse(Part):
    """Everything measured, in the order of most idle GPUs; ``idle_after_s`` is the policy's."""

    idle_after_s: int
    gangs: tuple[GangUse, ...] = ()
    queues: tuple[QueueUse, ...] = ()

    def of(self, *, namespaces: Collection[str] = (), queues: Collection[str] = ()) -> MeasuredUse:
        """The gangs of these namespaces and queues, and the queues; empty means all."""
        gangs = tuple(
            one
            for one in self.gangs
            if (not namespaces or one.gang.partition("/")[0] in namespaces)
            and (not queues or one.queue in queues)
        )
        kept = tuple(one for one in self.queues if not queues or one.queue in queues)
        return self.model_copy(update={"gangs": gangs, "queues": kept})


@dataclass
class _Sums:
    """Running sums of one gang."""

    gpus: int = 0
    unmeasured: int = 0
    idle: int | None = None
    held_s: int = 0
    worked_milli_s: int = 0
    idle_s: int = 0


def measured_use(snapshot: Snapshot, policy: Policy) -> MeasuredUse | None:
    """What was measured of the running gangs; None where the snapshot holds no measurement."""
    if not snapshot.use:
        return None
    after = policy.use.idle_after
    names = whole_gpu_names(policy.gpu_models)
    gangs: list[GangUse] = []
    queues: dict[str, dict[str, int]] = {}
    for gang in snapshot.gangs:
        sums = _sums(snapshot, gang, names)
        if not sums.gpus:
            continue
        idle = None if sums.unmeasured else sums.idle
        mean = sums.worked_milli_s // sums.held_s if sums.held_s else None
        gangs.append(
            GangUse(
                gang=gang.full_name,
                queue=gang.queue,
                gpus=sums.gpus,
                idle_s=idle,
                worked_permille=mean,
            )
        )
        _add(
            queues.setdefault(gang.queue, {}),
            allocated_gpus=sums.gpus,
            idle_gpus=sums.gpus if idle is not None and idle >= after else 0,
            unmeasured_gpus=sums.unmeasured,
            allocated_gpu_s=sums.held_s,
            worked_gpu_s=sums.worked_milli_s // 1000,
            idle_gpu_s=sums.idle_s,
        )
    gangs.sort(key=lambda one: (-(one.idle_s or 0) * one.gpus, one.gang))
    return MeasuredUse(
        idle_after_s=after,
        gangs=tuple(gangs),
        queues=tuple(QueueUse(queue=name, **queues[name]) for name in sorted(queues)),
    )


def _sums(snapshot: Snapshot, gang: Gang, names: tuple[str, ...]) -> _Sums:
    found = _Sums()
    for pod in snapshot.pods_of(gang):
        gpus = gpus_in(pod.spec.request, names) if pod.running else 0
        if not gpus:
            continue
        found.gpus += gpus
        use = snapshot.use_by_pod.get(pod.full_name)
        if use is None or use.idle_s is None:
            found.unmeasured += gpus
        else:
            found.idle = use.idle_s if found.idle is None else min(found.idle, use.idle_s)
        if use is not None:
            found.held_s += gpus * use.measured_s
            found.worked_milli_s += gpus * use.measured_s * use.worked_permille
            found.idle_s += gpus * use.idle_total_s
    return found


def _add(sums: dict[str, int], **amounts: int) -> None:
    for name, amount in amounts.items():
        sums[name] = sums.get(name, 0) + amount


def idle_gangs(use: MeasuredUse | None) -> Mapping[str, GangUse]:
    """Full name to gangs that hold GPUs of which none has worked for ``idle_after``."""
    if use is None:
        return {}
    return {
        one.gang: one
        for one in use.gangs
        if one.idle_s is not None and one.idle_s >= use.idle_after_s
    }
