"""What a gang may receive: every legal number of pods per kind (I3), for the oracle."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from models.effective import EffectivePolicy
from models.gpu import gpus_in, whole_gpu_names
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.testing.oracle.admission import admits
from planner.testing.oracle.queue_shares import uncreated

SubGroupKey = tuple[int, tuple[str, ...]]


@dataclass(frozen=True, order=True)
class PodKind:
    """Pods of one gang that no rule tells apart; ``subgroups`` are (policy index, values of its keys)."""

    request: tuple[tuple[str, int], ...]
    nodes: tuple[str, ...]
    role: str
    subgroups: tuple[SubGroupKey, ...]
    exists: bool
    gpus: int

    @property
    def amounts(self) -> Resources:
        """Request of one pod."""
        return Resources(self.request)


@dataclass(frozen=True)
class Option:
    """One legal delivery to a gang: number of pods per kind."""

    counts: tuple[tuple[PodKind, int], ...]

    @cached_property
    def pods(self) -> int:
        """Pods in all."""
        return sum(count for _, count in self.counts)

    @cached_property
    def request(self) -> Resources:
        """Sum of their requests."""
        total: dict[str, int] = {}
        for kind, count in self.counts:
            for name, amount in kind.request:
                total[name] = total.get(name, 0) + amount * count
        return Resources(total)


@dataclass(frozen=True)
class GangView:
    """A gang before the plan, with everything that it may receive.

    Attributes
    ----------
    ready
        Meets its minimum already, so that it does not wait.
    options
        All legal non-empty deliveries after which it is ready.
    minimal
        Those of them that contain no smaller one.
    kind_of
        Full name of an existing pod that may be placed to its kind.
    """

    gang: Gang
    ready: bool
    options: tuple[Option, ...]
    minimal: tuple[Option, ...]
    gpu_names: tuple[str, ...]
    kind_of: Mapping[str, PodKind] = field(default_factory=dict, compare=False)

    @property
    def roles_to_come(self) -> set[str]:
        """Roles of pods that it may receive and that do not exist yet."""
        return {kind.role for one in self.options for kind, _ in one.counts if not kind.exists}

    @property
    def name(self) -> str:
        """Full name."""
        return self.gang.full_name

    @property
    def queue(self) -> str:
        """Name of its queue."""
        return self.gang.queue

    @cached_property
    def least_request(self) -> Resources:
        """Per dimension the least that any minimal delivery requests, without zeros."""
        names = {name for option in self.minimal for name in option.request}
        return Resources(
            {n: min(option.request.amount(n) for option in self.minimal) for n in names}
        ).without_zeros()

    @property
    def gpus(self) -> int:
        """The fewest whole GPUs of any minimal delivery, over all resources that count as GPUs."""
        return min((gpus_in(one.request, self.gpu_names) for one in self.minimal), default=0)

    @property
    def least_pods(self) -> int:
        """Pods of the smallest delivery; 0 for a gang that is ready."""
        return 0 if self.ready else min((option.pods for option in self.minimal), default=0)


def view_gang(
    snapshot: Snapshot, policy: EffectivePolicy, gang: Gang, *, with_rules: bool = False
) -> GangView:
    """The gang as the enumeration sees it; ``with_rules``: somebody else looks at its rules about other pods."""
    gpu_names = whole_gpu_names(policy.policy.gpu_models)
    pods = snapshot.pods_of(gang)
    supply = _supply(snapshot, policy, gang, gpu_names, with_rules=with_rules)
    options = tuple(_legal(gang, pods, supply))
    ready = _is_ready(gang, pods, Option(()))
    kinds = {
        pod.full_name: _kind(snapshot, policy, gang, pod, gpu_names)
        for pod in _placeable(policy, pods)
    }
    return GangView(gang, ready, options, _smallest(options), gpu_names, kinds)


def is_modelled(specs: list[PodSpec]) -> bool:
    """Whether no required rule is left that this version plans as ``unsupported``."""
    return not any(
        spec.pod_affinity
        or spec.pod_anti_affinity
        or spec.spread
        or spec.host_ports
        or spec.special_rules
        for spec in specs
    )


def _supply(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    gang: Gang,
    gpu_names: tuple[str, ...],
    *,
    with_rules: bool,
) -> Counter[PodKind]:
    pods = _placeable(policy, snapshot.pods_of(gang))
    found: Counter[PodKind] = Counter()
    for pod in pods:
        found[_kind(snapshot, policy, gang, pod, gpu_names)] += 1
    specs = [pod.spec for pod in pods]
    for role, count in uncreated(snapshot, gang).items():
        template = gang.template(role)
        if template is not None and count and not template.spec.scheduling_gates:
            specs.append(template.spec)
            stand_in = Pod(
                gang.namespace, "", template.spec, role=role, annotations=template.annotations
            )
            found[_kind(snapshot, policy, gang, stand_in, gpu_names)] += count
    if with_rules:
        return Counter() if any(spec.special_rules for spec in specs) else found
    return found if is_modelled(specs) else Counter()


def _placeable(policy: EffectivePolicy, pods: tuple[Pod, ...]) -> list[Pod]:
    return [
        pod
        for pod in pods
        if pod.pending
        and not pod.spec.scheduling_gates
        and pod.spec.scheduler_name in policy.policy.scheduler_names
    ]


def _kind(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    gang: Gang,
    pod: Pod,
    gpu_names: tuple[str, ...],
) -> PodKind:
    nodes = tuple(
        node.name
        for node in snapshot.nodes
        if admits(
            snapshot, policy, node, queue=gang.queue, spec=pod.spec, annotations=pod.annotations
        )
    )
    return PodKind(
        request=tuple(pod.spec.request.items()),
        nodes=nodes,
        role=pod.role,
        subgroups=_subgroups(gang, pod) if pod.name else (),
        exists=bool(pod.name),
        gpus=gpus_in(pod.spec.request, gpu_names),
    )


def _subgroups(gang: Gang, pod: Pod) -> tuple[SubGroupKey, ...]:
    keys = ((index, policy.key_of(pod)) for index, policy in enumerate(gang.subgroups))
    return tuple((index, key) for index, key in keys if key is not None)


def _legal(gang: Gang, pods: tuple[Pod, ...], supply: Counter[PodKind]) -> Iterator[Option]:
    kinds = sorted(supply)
    steps = [_step(gang, kind) for kind in kinds]
    ranges = (range(0, supply[k] + 1, step) for k, step in zip(kinds, steps, strict=True))
    for counts in itertools.product(*ranges):
        option = Option(tuple((k, n) for k, n in zip(kinds, counts, strict=True) if n))
        if option.counts and _is_ready(gang, pods, option) and _is_whole(gang, pods, option):
            yield option


def _step(gang: Gang, kind: PodKind) -> int:
    """Pods that do not exist yet come in whole partitions."""
    template = None if kind.exists else gang.template(kind.role)
    return max(template.partition_size, 1) if template is not None else 1


def _is_ready(gang: Gang, pods: tuple[Pod, ...], option: Option) -> bool:
    counted = [pod for pod in pods if pod.running or pod.phase == "Succeeded"]
    total = len(counted) + option.pods
    if total == 0 or total < gang.min_member:
        return False
    roles = Counter(pod.role for pod in counted)
    for kind, count in option.counts:
        roles[kind.role] += count
    minima = gang.role_minimum
    if gang.min_member >= sum(minima.values()) and any(roles[r] < m for r, m in minima.items()):
        return False
    if any(not kind.exists for kind, _ in option.counts):
        return True  # pods to come carry no subgroup labels yet
    sizes = _subgroup_sizes(gang, counted, option)
    return all(
        sum(size >= policy.size for (index, _), size in sizes.items() if index == place)
        >= policy.min_subgroups
        for place, policy in enumerate(gang.subgroups)
    )


def _is_whole(gang: Gang, pods: tuple[Pod, ...], option: Option) -> bool:
    """Every subgroup that receives pods is complete afterwards; finished pods are gone."""
    after = _subgroup_sizes(gang, [pod for pod in pods if pod.running], option)
    touched = {key for kind, _ in option.counts for key in kind.subgroups}
    return all(after[key] >= gang.subgroups[key[0]].size for key in touched)


def _subgroup_sizes(gang: Gang, pods: list[Pod], option: Option) -> Counter[SubGroupKey]:
    sizes: Counter[SubGroupKey] = Counter()
    for pod in pods:
        sizes.update(_subgroups(gang, pod))
    for kind, count in option.counts:
        for key in kind.subgroups:
            sizes[key] += count
    return sizes


def _smallest(options: tuple[Option, ...]) -> tuple[Option, ...]:
    kept: list[Option] = []
    for option in sorted(options, key=lambda one: one.pods):
        counts = dict(option.counts)
        if not any(all(counts.get(k, 0) >= n for k, n in one.counts) for one in kept):
            kept.append(option)
    return tuple(kept)
