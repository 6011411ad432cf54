"""Required rules that are not modelled: nothing is placed against them."""

from __future__ import annotations

from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import Gang, NetworkTopology, Pod, PodSpec
from planner.verify.arrivals import promised
from planner.verify.matching import selects
from planner.verify.pod_rules import own_rules
from planner.verify.state import State
from planner.verify.wording import violation

_ROLE = "volcano.sh/task-spec"


def topology_rules(gang: Gang, pods: tuple[Pod, ...]) -> list[str]:
    """A hard topology of a subgroup without keys that pods which do not exist yet will join."""
    for policy in gang.subgroups:
        rule = policy.topology
        hard = rule is not None and rule.mode == "hard"
        bound = hard and rule is not None and _has_tier(rule)
        joined = bound and any(
            selects(
                policy.selector, {_ROLE: template.role, **template.annotations, **template.labels}
            )
            for template in gang.templates
            if promised(gang, pods, template) and not template.spec.scheduling_gates
        )
        if joined and not policy.match_label_keys:
            return ["networkTopology of one subgroup of pods that do not exist yet"]
    return []


def _has_tier(rule: NetworkTopology) -> bool:
    return rule.highest_tier_allowed is not None or rule.highest_tier_name != ""


def spec_rules(spec: PodSpec) -> list[str]:
    """Required rules of a pod specification that no planner of this version models."""
    return list(spec.special_rules)


def may_be_unmodelled(spec: PodSpec) -> list[str]:
    """Rules about other pods that are modelled in part only: a gang with one may wait for it."""
    return own_rules(spec)


def check_unsupported(state: State) -> Iterator[RuleViolation]:
    """No arriving pod has an unmodelled rule."""
    told = "not modelled yet, so nothing may be placed against it; leave the gang waiting"
    for name in state.placed_by_gang:
        gang = state.snapshot.gang_by_name[name]
        for rule in topology_rules(gang, state.snapshot.pods_of(gang)):
            yield violation(RuleId.UNSUPPORTED_WAITS, f"gang/{name}", f"{rule} is {told}")
    for arrival in state.reading.arrivals:
        subject = f"pod/{arrival.pod.full_name}"
        for rule in spec_rules(arrival.pod.spec):
            yield violation(RuleId.UNSUPPORTED_WAITS, subject, f"{rule} is {told}")
