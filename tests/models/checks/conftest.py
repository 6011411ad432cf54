"""Small snapshots for the checks, and the assertion that every check is tested with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from models.checks import REGISTRY, check_snapshot
from models.cluster import Node, SchedulerConfig, SchedulerPlugin
from models.effective import resolve_policy
from models.findings import Finding
from models.policy import Policy
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec, RoleTemplate

GPU = "nvidia.com/gpu"


class Make:
    """Builds values with the defaults of a healthy cluster."""

    gpu = GPU

    @staticmethod
    def amounts(gpus: int = 0, cpu: int = 0, gib: int = 0, **more: int) -> Resources:
        """Cores of CPU, GiB of memory, GPUs; zeros left out."""
        found = {"cpu": cpu * 1000, "memory": gib * 2**30, GPU: gpus, **more}
        return Resources({name: amount for name, amount in found.items() if amount})

    def node(self, name: str = "n1", gpus: int = 8, **more: Any) -> Node:
        size = Resources({**self.amounts(gpus, 64, 512), "pods": 110})
        defaults = {
            "allocatable": size,
            "capacity": size,
            "labels": {"nvidia.com/gpu.product": "H100"},
        }
        return Node(name, **{**defaults, **more})

    def pod(self, name: str = "a-0", gpus: int = 1, **more: Any) -> Pod:
        """A pending pod of namespace ml for Volcano; with ``node`` a running one."""
        spec = {"request": self.amounts(gpus, 4, 16), "scheduler_name": "volcano"}
        for key in tuple(more):
            if key in PodSpec.__dataclass_fields__:
                spec[key] = more.pop(key)
        phase = "Running" if more.get("node") else "Pending"
        return Pod(
            **{"namespace": "ml", "name": name, "spec": PodSpec(**spec), "phase": phase, **more}
        )

    @staticmethod
    def gang(name: str = "a", **more: Any) -> Gang:
        return Gang(**{"namespace": "ml", "name": name, "queue": "eval", **more})

    def job(self, name: str = "a", replicas: int = 2, gpus: int = 1, **more: Any) -> Gang:
        """A Volcano Job with one role ``worker`` whose pods do not exist yet."""
        spec = PodSpec(request=self.amounts(gpus, 4, 16), scheduler_name="volcano")
        template = RoleTemplate("worker", spec, replicas)
        return self.gang(
            name, **{"kind": "Job", "min_member": replicas, "templates": (template,), **more}
        )

    @staticmethod
    def queue(name: str = "eval", **more: Any) -> Queue:
        return Queue(name, **more)

    def snapshot(self, *parts: Any, **more: Any) -> Snapshot:
        """A snapshot of these nodes, pods, gangs and queues; a node and queue eval are added where none is given."""
        kinds: Mapping[str, type] = {"nodes": Node, "pods": Pod, "gangs": Gang, "queues": Queue}
        found = {
            key: tuple(one for one in parts if isinstance(one, kind)) for key, kind in kinds.items()
        }
        found["nodes"] = found["nodes"] or (self.node(),)
        found["queues"] = found["queues"] or (self.queue(),)
        return Snapshot(**{**found, **more})

    @staticmethod
    def scheduler(
        *plugins: str, actions: tuple[str, ...] = ("enqueue", "allocate")
    ) -> SchedulerConfig:
        listed = tuple(SchedulerPlugin(name, 1) for name in plugins)
        return SchedulerConfig("volcano-scheduler.conf", actions, listed)

    @staticmethod
    def findings(snapshot: Snapshot, code: str, **policy: Any) -> list[Finding]:
        """Findings of one code under a policy file with these keys."""
        effective = resolve_policy(snapshot, Policy(**policy))
        return [one for one in check_snapshot(snapshot, effective) if one.code == code]

    def tells(
        self,
        code: str,
        bad: Snapshot,
        good: Snapshot,
        *,
        policy: Mapping[str, Any] | None = None,
        good_policy: Mapping[str, Any] | None = None,
    ) -> Finding:
        """The check speaks about ``bad`` and is silent about its nearest neighbour ``good``; its first finding."""
        policy = policy or {}
        found = self.findings(bad, code, **policy)
        assert found, f"{code} missed it"
        assert not self.findings(good, code, **(policy if good_policy is None else good_policy))
        check = REGISTRY[code]
        assert all(one.severity == check.severity and one.message and one.remedy for one in found)
        return found[0]


@pytest.fixture(scope="session")
def make() -> Make:
    return Make()


@pytest.fixture(scope="session")
def policy_of() -> Callable[..., Any]:
    """An effective policy from a snapshot and keys of a policy file."""
    return lambda snapshot, **keys: resolve_policy(snapshot, Policy(**keys))
