"""Where the pods of a gang must or should be together: choices of domains, and subgroups by number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from models.readiness import Supply
from models.resources import PODS
from models.workloads import Gang, NetworkTopology, Pod, SubGroupPolicy
from planner.encode.demands import GangCase
from planner.encode.prefilter import Prefilter, asked_for, still_asked
from planner.encode.topology import allowed_tier
from planner.problem.placement import Gathered, SubGroup
from planner.problem.topology import TopologyForest

_ROLE_KEY = "volcano.sh/task-spec"


class Together:
    """Domains and subgroups of one gang.

    A hard rule with tier k leaves the largest domains of at most tier k to choose from; running pods pin the choice
    to the one that holds them all, and leave none where no domain does.
    """

    def __init__(
        self,
        case: GangCase,
        forest: TopologyForest,
        node_number: Mapping[str, int],
        wishes: bool,
        prefilter: Prefilter | None = None,
    ) -> None:
        self._case, self._forest, self._node_number = case, forest, node_number
        self._wishes, self._prefilter = wishes, prefilter
        self._numbers: dict[tuple[int, tuple[str, ...]], int] = {}
        self._running: dict[int, list[Pod]] = {}
        self._counted: dict[int, int] = {}
        for position, policy in enumerate(case.gang.subgroups):
            for pod in case.pods:
                if (pod.running or pod.phase == "Succeeded") and (
                    key := policy.key_of(pod)
                ) is not None:
                    index = self._numbers.setdefault((position, key), len(self._numbers))
                    self._counted[index] = self._counted.get(index, 0) + 1
                    if pod.running:
                        self._running.setdefault(index, []).append(pod)

    def indices(self, keys: tuple[tuple[str, ...] | None, ...]) -> tuple[int, ...]:
        """Subgroup numbers of a supply; promised pods (no keys) belong to none."""
        return tuple(
            -1 if key is None else self._numbers.setdefault((position, key), len(self._numbers))
            for position, key in enumerate(keys)
        )

    def subgroups(self) -> tuple[SubGroup, ...]:
        """All subgroups numbered so far."""
        policies = self._case.gang.subgroups
        return tuple(
            SubGroup(
                policy=position,
                size=policies[position].size,
                running=len(self._running.get(index, ())),
                counted=self._counted.get(index, 0),
                choices=self._open_to(position, key, index),
            )
            for (position, key), index in self._numbers.items()
        )

    def _open_to(self, position: int, key: tuple[str, ...], index: int) -> tuple[int, ...] | None:
        """Domains of which one must hold a subgroup."""
        policy, running = self._case.gang.subgroups[position], self._running.get(index, ())
        choices = self._choices(policy.topology, running)
        if self._prefilter is None:
            return choices
        waiting = [(p.spec, 1) for p in self._case.pods if p.pending and policy.key_of(p) == key]
        elastic = len(waiting) > max(policy.size - len(running), 0)
        return self._prefilter.open(choices, asked_for(waiting), elastic=elastic)

    @property
    def choices(self) -> tuple[int, ...] | None:
        """Domains of which one must hold the whole gang; None = anywhere."""
        choices = self._choices(self._case.gang.topology, self._running_pods())
        if self._prefilter is None:
            return choices
        asked = asked_for(still_asked(self._case.gang, self._case.pods))
        elastic = asked[PODS] > self._case.need
        return self._prefilter.open(choices, asked, elastic=elastic)

    def partition_choices(self, supply: Supply) -> tuple[int, ...] | None:
        """The same for each partition of pods that do not exist yet."""
        tiers = [
            tier
            for policy in hard_policies(self._case.gang, supply, self._forest)
            if (tier := allowed_tier(self._forest, policy.topology)) is not None
        ]
        return self._forest.within(min(tiers)) if tiers else None

    def gathered(self, supplies: Sequence[Supply]) -> tuple[Gathered, ...]:
        """What the objective wants in few domains: gangs and subgroups with a topology of their own.

        Where the policy's labels make up the domains, it wishes this for every gang of several pods. ``supplies``: one
        for each item of the demand, in its order; promised pods make up subgroups that are not known yet.
        """
        gang = self._case.gang
        if self._case.ready or not self._forest.levels:
            return ()
        found: list[Gathered] = []
        if gang.topology is not None or (self._wishes and gang.min_member > 1):
            nodes = self._nodes(self._running_pods())
            found.append(Gathered(-1, max(gang.min_member, 1), nodes))
        for (position, _), index in self._numbers.items():
            policy = gang.subgroups[position]
            if policy.topology is not None:
                nodes = self._nodes(self._running.get(index, ()))
                found.append(Gathered(index, max(policy.size, 1), nodes))
        for policy in gang.subgroups:
            if policy.topology is not None:
                found += self._to_come(policy, supplies)
        return tuple(found)

    def _to_come(self, policy: SubGroupPolicy, supplies: Sequence[Supply]) -> Iterator[Gathered]:
        """The promised pods that a policy will select; one subgroup where it has no keys."""
        gang = self._case.gang
        items = tuple(i for i, one in enumerate(supplies) if _will_select(gang, one, policy))
        if items:
            pods = sum(supplies[i].count for i in items)
            weight = max(policy.size, 1)
            size = weight if policy.match_label_keys else max(pods, 1)
            yield Gathered(-1, weight, (), items, size)

    def _running_pods(self) -> list[Pod]:
        return [pod for pod in self._case.pods if pod.running]

    def _nodes(self, pods: Iterable[Pod]) -> tuple[int, ...]:
        found = {self._node_number.get(pod.node or "", -1) for pod in pods}
        return tuple(sorted(found))

    def _choices(
        self, rule: NetworkTopology | None, running: Iterable[Pod]
    ) -> tuple[int, ...] | None:
        tier = allowed_tier(self._forest, rule)
        if tier is None:
            return None
        choices, nodes = self._forest.within(tier), self._nodes(running)
        if not nodes:
            return choices
        home = self._forest.home(choices, nodes)
        return () if home is None else (home,)


def hard_policies(gang: Gang, supply: Supply, forest: TopologyForest) -> list[SubGroupPolicy]:
    """Subgroup policies with a binding topology that will select promised pods."""
    return [
        policy
        for policy in gang.subgroups
        if allowed_tier(forest, policy.topology) is not None and _will_select(gang, supply, policy)
    ]


def _will_select(gang: Gang, supply: Supply, policy: SubGroupPolicy) -> bool:
    """Whether a policy will select promised pods; the controller adds the role to their labels."""
    template = gang.template(supply.role)
    if not supply.promised or template is None:
        return False
    marks = {_ROLE_KEY: supply.role, **template.annotations, **template.labels}
    return policy.selector.matches(marks)
