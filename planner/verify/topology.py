"""I6: hard topology of gangs and subgroups; and the domains that started gangs use, level by level."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import Gang, Pod, SubGroupPolicy
from planner.verify.arrivals import Arrival, promised, promised_pod
from planner.verify.domains import Nodes
from planner.verify.standing import RankedState, Standing
from planner.verify.state import State
from planner.verify.subgroups import group_key, selects_promised
from planner.verify.wording import units, violation


def check_topology(state: State) -> Iterator[RuleViolation]:
    """All pods of a gang or subgroup that are there after the plan share a domain of an allowed tier."""
    moved = [state.snapshot.gang_by_name[name] for name in state.moved_gangs]
    receiving = [state.snapshot.gang_by_name[name] for name in state.placed_by_gang]
    for gang in {one.full_name: one for one in (*receiving, *moved)}.values():
        subject = f"gang/{gang.full_name}"
        for rule, tier, nodes in _bound_parts(state, gang):
            if state.domains.circular:
                told = "HyperNodes contain each other, so its topology cannot be kept; leave it waiting"
                yield violation(RuleId.HARD_TOPOLOGY, subject, told)
                break
            if not state.domains.share(nodes, tier):
                told = f"{rule}is on {units(len(nodes), 'node')} that share no domain of tier {tier} or less"
                told += "; place it inside one"
                yield violation(RuleId.HARD_TOPOLOGY, subject, told)
        for told in _split_partitions(state, gang):
            yield violation(RuleId.HARD_TOPOLOGY, subject, told)


def _bound_parts(state: State, gang: Gang) -> Iterator[tuple[str, int, Nodes]]:
    """Words, allowed tier and nodes of the gang and of every subgroup that a hard rule binds."""
    places = _locations(state, gang)
    tier = state.domains.tier_of(gang.topology)
    if tier is not None:
        every = {node for _, node in places}
        every.update(one.node for one in _unnamed(state, gang))
        yield "", tier, frozenset(every)
    for policy in gang.subgroups:
        tier = state.domains.tier_of(policy.topology)
        if tier is None:
            continue
        groups: dict[tuple[str, ...], set[str]] = {}
        for pod, node in places:
            key = group_key(policy, pod)
            if key is not None:
                groups.setdefault(key, set()).add(node)
        for key, nodes in sorted(groups.items()):
            yield f"subgroup {policy.name} {'/'.join(key)} ", tier, frozenset(nodes)


def _locations(state: State, gang: Gang) -> list[tuple[Pod, str]]:
    """Named pods after the plan, with their nodes."""
    arrivals = state.placed_by_gang.get(gang.full_name, [])
    found = [(one.pod, one.node) for one in arrivals if one.exists]
    moved = {}
    if gang.full_name in state.moved_gangs:
        moved = {one.pod.full_name: one.node for one in state.reading.arrivals if one.moved}
    found += [(pod, moved.get(pod.full_name, pod.node or "")) for pod in state.staying(gang)]
    return found


def _unnamed(state: State, gang: Gang) -> list[Arrival]:
    return [one for one in state.placed_by_gang.get(gang.full_name, []) if not one.exists]


def _split_partitions(state: State, gang: Gang) -> Iterator[str]:
    """Pods that do not exist yet make up subgroups of their policy's size: each domain receives whole ones."""
    for policy in gang.subgroups:
        tier = state.domains.tier_of(policy.topology)
        arrivals = [one for one in _unnamed(state, gang) if selects_promised(policy, one.pod)]
        if tier is None or not arrivals or _has_partial(state, gang, policy):
            continue
        inside: Counter[Nodes] = Counter()
        for one in arrivals:
            home = next(iter(state.domains.choices(tier, [one.node])), frozenset())
            inside[home] += one.count
        if not policy.match_label_keys:
            whole = len(inside) == 1 and frozenset() not in inside
        else:
            whole = frozenset() not in inside and not any(
                count % max(policy.size, 1) for count in inside.values()
            )
        if not whole:
            yield (
                f"subgroups {policy.name} of {units(max(policy.size, 1), 'pod')} are split between domains of "
                f"tier {tier}; place whole ones"
            )


def _has_partial(state: State, gang: Gang, policy: SubGroupPolicy) -> bool:
    """Unnamed pods may complete a subgroup that has some pods."""
    sizes = Counter(
        key for pod, _ in _locations(state, gang) if (key := group_key(policy, pod)) is not None
    )
    return any(size < policy.size for size in sizes.values())


def domain_values(state: RankedState, started: list[Standing]) -> dict[str, int]:
    """``domains.<level>``: places of every started gang with a topology, weighted by its pods.

    Subgroups with a topology of their own count as well, those of pods to come too. Where the policy's labels make up
    the domains, gangs of two pods or more count without asking. No tier where nothing that waits would count.
    """
    places = state.domains.places
    if not any(_wishes(state, one.gang) for one in state.standings.values() if one.startable):
        return {}
    return {
        f"domains.{level}": sum(_weighted(state, one.gang, place) for one in started)
        for level, place in places.items()
    }


def _wishes(state: State, gang: Gang) -> bool:
    groups = any(
        policy.topology is not None
        and (
            any(group_key(policy, pod) is not None for pod in state.snapshot.pods_of(gang))
            or _to_come(state, gang, policy)
        )
        for policy in gang.subgroups
    )
    return _whole(state, gang) or groups


def _whole(state: State, gang: Gang) -> bool:
    by_label = bool(state.policy.policy.topology_labels) and not state.snapshot.hyper_nodes
    return gang.topology is not None or (by_label and gang.min_member > 1)


def _to_come(state: State, gang: Gang, policy: SubGroupPolicy) -> bool:
    """Pods that do not exist yet, and are not gated, will be selected."""
    pods = state.snapshot.pods_of(gang)
    return any(
        not template.spec.scheduling_gates
        and promised(gang, pods, template)
        and selects_promised(policy, promised_pod(gang, template))
        for template in gang.templates
    )


def _of_unnamed(state: State, gang: Gang, policy: SubGroupPolicy, place: dict[str, str]) -> int:
    """Places of pods without names, each once for every whole or begun subgroup that its pods may make up."""
    counts: Counter[str] = Counter()
    for one in _unnamed(state, gang):
        if selects_promised(policy, one.pod):
            counts[place.get(one.node, one.node)] += one.count
    size = max(policy.size, 1) if policy.match_label_keys else max(counts.total(), 1)
    return sum(math.ceil(count / size) for count in counts.values())


def _weighted(state: State, gang: Gang, place: dict[str, str]) -> int:
    named = _locations(state, gang)
    total = 0
    if _whole(state, gang):
        nodes = {node for _, node in named} | {one.node for one in _unnamed(state, gang)}
        total += max(gang.min_member, 1) * len({place.get(node, node) for node in nodes})
    for policy in gang.subgroups:
        if policy.topology is None:
            continue
        groups: dict[tuple[str, ...], set[str]] = {}
        for pod, node in named:
            key = group_key(policy, pod)
            if key is not None:
                groups.setdefault(key, set()).add(place.get(node, node))
        places = sum(len(one) for one in groups.values()) + _of_unnamed(state, gang, policy, place)
        total += max(policy.size, 1) * places
    return total
