"""Random gangs of every shape, with their pods in every state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from models.resources import CPU, MEMORY, Resources
from models.selectors import Expression, LabelSelector, NodeSelectorTerm, Toleration
from models.workloads import Gang, NetworkTopology, Pod, PodSpec, RoleTemplate, SubGroupPolicy
from planner.testing.random_nodes import (
    DEDICATED,
    GIB,
    GPU,
    MODEL_LABEL,
    MODELS,
    NETWORK_CARD,
    POOL_LABEL,
    POOLS,
    SECOND_GPU,
    ZONE_LABEL,
    Occupancy,
)
from planner.testing.random_sizes import Size

NAMESPACE = "ml"
GROUP_ANNOTATION = "scheduling.k8s.io/group-name"
ROLE_ANNOTATION = "volcano.sh/task-spec"
WAITING_TIME = "sla-waiting-time"
RING_LABEL = "ring"
ENDS = "2026-11-01T12:00:20Z"
"""When terminating pods are gone: 20 s after the time of planning."""
PRIORITIES = (("", 0), ("", 0), ("normal", 100), ("high", 1000))


def random_spec(rng: Random, size: Size) -> PodSpec:
    """One pod's request and its demands on the node."""
    gpus = rng.choice(size.gpus)
    amounts = {CPU: max(gpus, 1) * rng.choice((250, 500, 1000, 2000))}
    if rng.random() < 0.8:
        amounts[MEMORY] = max(gpus, 1) * rng.choice((1, 2, 4, 8)) * GIB
    if gpus:
        amounts[GPU if rng.random() > size.rare / 3 else SECOND_GPU] = gpus
    if rng.random() < size.rare / 3:
        amounts[NETWORK_CARD] = 1
    if rng.random() < size.rare / 4:
        amounts = {}
    selector = ((POOL_LABEL, rng.choice(POOLS)),) if rng.random() < size.rare else ()
    affinity = None
    if gpus and rng.random() < size.rare:
        wanted = Expression(MODEL_LABEL, rng.choice(("In", "NotIn")), (rng.choice(MODELS),))
        affinity = (NodeSelectorTerm((wanted,)),)
    tolerates = rng.random() < 2 * size.rare
    return PodSpec(
        request=Resources(amounts),
        node_selector=selector,
        node_affinity=affinity,
        tolerations=(Toleration(DEDICATED.key, "Exists"),) if tolerates else (),
        scheduler_name="volcano",
    )


class GangFactory:
    """Makes gangs one by one; running pods are booked on the nodes."""

    def __init__(
        self, rng: Random, size: Size, occupancy: Occupancy, queues: Sequence[str]
    ) -> None:
        self._rng = rng
        self._size = size
        self._occupancy = occupancy
        self._queues = queues
        self._minute = 0
        self._last: tuple[Gang, list[Pod]] | None = None

    def make(self, name: str, *, running: bool) -> tuple[Gang, tuple[Pod, ...]]:
        """A gang with its pods; ``running`` asks for bound pods, as far as there is room."""
        rng = self._rng
        shapes: list[Callable[[Gang], tuple[Gang, list[Pod]]]] = [
            self._plain,
            self._plain,
            self._mixed,
            self._roles,
            self._subgroups,
            self._job,
        ]
        if not running:
            shapes.append(self._lump)
        if self._last is not None and rng.random() < self._size.twins:
            gang, pods = self._like(*self._last, name)
        else:
            gang, pods = rng.choice(shapes)(self._identity(name))
        self._last = (gang, pods)
        return gang, tuple(self._with_states(pods, running=running))

    def implicit(self, name: str) -> tuple[Gang, tuple[Pod, ...]]:
        """A pod of the scheduler without a PodGroup."""
        spec = random_spec(self._rng, self._size)
        gang = replace(
            self._identity(name), kind="implicit", queue="default", min_member=1, annotations={}
        )
        gang = replace(gang, topology=None)
        gang = replace(gang, priority_class_name="", priority=0, created=self._created())
        pod = Pod(NAMESPACE, name, spec, gang=gang.full_name, created=gang.created)
        return gang, (pod,)

    def _like(self, gang: Gang, pods: list[Pod], name: str) -> tuple[Gang, list[Pod]]:
        """A younger gang that no rule tells from this one."""
        created = self._created()
        twin = replace(gang, name=name, aliases=(f"{NAMESPACE}/{name}",), created=created)
        members = [
            replace(
                pod,
                name=f"{name}-{place}",
                gang=twin.full_name,
                annotations={**pod.annotations, GROUP_ANNOTATION: name},
                owner_name=name if pod.owner_name else "",
                created=created,
            )
            for place, pod in enumerate(pods)
        ]
        return twin, members

    def _identity(self, name: str) -> Gang:
        rng = self._rng
        class_name, priority = rng.choice(PRIORITIES)
        waiting = rng.random() < 2 * self._size.rare
        topology = None
        if rng.random() < self._size.rare / 3:
            topology = NetworkTopology(rng.choice(("hard", "soft")), highest_tier_allowed=1)
        return Gang(
            NAMESPACE,
            name,
            aliases=(f"{NAMESPACE}/{name}",),
            queue=rng.choice(self._queues),
            priority_class_name=class_name,
            priority=priority,
            annotations={WAITING_TIME: rng.choice(("5m", "1h30m", "90s"))} if waiting else {},
            topology=topology,
            created=self._created(),
        )

    def _created(self) -> str:
        if self._rng.random() > self._size.rare / 2:
            self._minute += 1
        return f"2026-11-01T{self._minute // 60:02}:{self._minute % 60:02}:00Z"

    def _plain(self, gang: Gang) -> tuple[Gang, list[Pod]]:
        spec = random_spec(self._rng, self._size)
        count = self._rng.randint(*self._size.pods)
        pods = [self._pod(gang, place, spec) for place in range(count)]
        return replace(gang, min_member=self._minimum(count)), pods

    def _mixed(self, gang: Gang) -> tuple[Gang, list[Pod]]:
        specs = [random_spec(self._rng, self._size) for _ in range(2)]
        count = self._rng.randint(*self._size.pods)
        pods = [self._pod(gang, place, self._rng.choice(specs)) for place in range(count)]
        return replace(gang, min_member=self._minimum(count)), pods

    def _roles(self, gang: Gang) -> tuple[Gang, list[Pod]]:
        rng = self._rng
        specs = {role: random_spec(rng, self._size) for role in ("master", "worker")}
        count = max(2, rng.randint(*self._size.pods))
        roles = ["master", *("worker" for _ in range(count - 1))]
        pods = [self._pod(gang, n, specs[role], role) for n, role in enumerate(roles)]
        minima = {"master": 1, "worker": rng.randint(0, count - 1)}
        loose = rng.random() < 0.3
        minimum = rng.randint(1, count) if loose else sum(minima.values())
        return replace(gang, min_member=minimum, role_minimum=minima), pods

    def _subgroups(self, gang: Gang) -> tuple[Gang, list[Pod]]:
        """Pods in rings; at times of two kinds, with a role that needs one pod of each kind."""
        rng = self._rng
        count = max(2, rng.randint(*self._size.pods))
        rings = rng.randint(1, 2)
        policy = SubGroupPolicy(
            name="rings",
            selector=LabelSelector(),
            match_label_keys=(RING_LABEL,),
            size=max(1, count // rings),
            min_subgroups=rng.randint(0, rings),
        )
        specs = [random_spec(rng, self._size) for _ in range(rng.choice((1, 1, 2)))]
        roles = ("master", "worker") if len(specs) > 1 and rng.random() < 0.5 else ("", "")
        pods = []
        for place in range(count):
            kind = rng.randrange(len(specs))
            pod = self._pod(gang, place, specs[kind], roles[kind])
            pods.append(replace(pod, labels={RING_LABEL: str(place % rings)}))
        minima = {role: 1 for role in roles if any(pod.role == role for pod in pods) and role}
        minimum = max(policy.min_subgroups * policy.size, len(minima))
        made = replace(gang, min_member=minimum, role_minimum=minima)
        return replace(made, subgroups=(policy,)), pods

    def _job(self, gang: Gang) -> tuple[Gang, list[Pod]]:
        """A Volcano Job: every role has its minimum; none, some or all of its pods exist."""
        rng = self._rng
        names = ("master", "worker")[: rng.randint(1, 2)]
        most = max(1, self._size.pods[1] // len(names))
        templates = tuple(
            RoleTemplate(
                role,
                replace(random_spec(rng, self._size), priority_class_name=gang.priority_class_name),
                rng.randint(1, most),
                annotations={ROLE_ANNOTATION: role},
            )
            for role in names
        )
        minima = {one.role: rng.randint(1, one.replicas) for one in templates}
        pods: list[Pod] = []
        for template in templates:
            existing = rng.choice((0, 0, template.replicas, rng.randint(0, template.replicas)))
            for _ in range(existing):
                pod = self._pod(gang, len(pods), template.spec, template.role)
                pods.append(replace(pod, owner_kind="Job", owner_name=gang.name))
        total = sum(one.replicas for one in templates)
        minimum = rng.choice((sum(minima.values()), rng.randint(1, total)))
        made = replace(gang, kind="Job", min_member=minimum, role_minimum=minima, max_retry=3)
        return replace(made, templates=templates), pods

    def _lump(self, gang: Gang) -> tuple[Gang, list[Pod]]:
        """A PodGroup before its pods exist: an even share of minResources each."""
        spec = random_spec(self._rng, self._size)
        plain = PodSpec(request=spec.request, scheduler_name="volcano")
        count = self._rng.randint(*self._size.pods)
        if not plain.request:
            return replace(gang, min_member=count), []
        lump = plain.request.times(count)
        made = replace(gang, min_member=count, min_resources=lump)
        return replace(made, templates=(RoleTemplate("", plain, count),)), []

    def _pod(self, gang: Gang, place: int, spec: PodSpec, role: str = "") -> Pod:
        annotations = {GROUP_ANNOTATION: gang.name}
        if self._rng.random() < self._size.rare:
            annotations[ZONE_LABEL] = "*"
        if role:
            annotations[ROLE_ANNOTATION] = role
        return Pod(
            NAMESPACE,
            f"{gang.name}-{place}",
            spec,
            gang=gang.full_name,
            role=role,
            annotations=annotations,
            created=gang.created,
        )

    def _minimum(self, count: int) -> int:
        if self._rng.random() < self._size.rare:
            return self._rng.choice((0, count + 1))
        return self._rng.randint(1, count)

    def _with_states(self, pods: list[Pod], *, running: bool) -> list[Pod]:
        rng = self._rng
        bound = rng.randint(1, len(pods)) if running and pods else 0
        if bound == 0 and pods and rng.random() < self._size.rare / 2:
            bound = 1
        return [self._with_state(pod, bound=place < bound) for place, pod in enumerate(pods)]

    def _with_state(self, pod: Pod, *, bound: bool) -> Pod:
        rng, rare = self._rng, self._size.rare
        node = self._occupancy.take(rng, pod.spec) if bound else None
        if node is not None:
            leaving = rng.random() < rare
            ends = ENDS if leaving else ""
            return replace(pod, node=node, phase="Running", terminating=leaving, ends=ends)
        chance = rng.random()
        if chance < rare / 3 and RING_LABEL not in pod.labels:
            return replace(pod, phase="Succeeded")
        if chance < rare / 2:
            return replace(pod, phase="Failed")
        if chance < rare:
            return replace(pod, spec=replace(pod.spec, scheduling_gates=("wait-for-quota",)))
        if chance < rare * 1.25:
            return replace(pod, spec=replace(pod.spec, scheduler_name="default-scheduler"))
        return pod
