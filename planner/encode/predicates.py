"""I2: which nodes admit which pods, capacity aside.

Pods are reduced to *profiles* (what the predicates look at) and nodes to *signatures* (what any profile can see of
them), so that each pair is judged once however many pods and nodes share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from models.cluster import Node
from models.effective import EffectivePolicy
from models.queues import NodeGroupRules
from models.readiness import REVOCABLE_ZONE_KEY
from models.selectors import (
    UNSCHEDULABLE_TAINT,
    Expression,
    NodeSelectorTerm,
    Taint,
    Toleration,
    first_untolerated,
)
from models.windows import parse_window
from planner.problem.rule_names import is_rule

NODE_GROUP_LABEL = "volcano.sh/nodegroup-name"


@dataclass(frozen=True, slots=True)
class Profile:
    """What the node predicates see of a pod; ``node_groups`` is its queue's rule where the plugin is on."""

    node_selector: tuple[tuple[str, str], ...]
    node_affinity: tuple[NodeSelectorTerm, ...] | None
    tolerations: tuple[Toleration, ...]
    revocable: bool
    node_groups: NodeGroupRules | None = None


class Predicates:
    """Judges profiles against nodes under a policy."""

    def __init__(self, policy: EffectivePolicy) -> None:
        self.node_groups = policy.nodegroup
        zones = policy.policy.revocable_zones
        self.zones: Mapping[str, bool] | None = (
            None
            if zones is None
            else {zone: window_open(window, policy.now) for zone, window in zones.items()}
        )

    def why_closed(self, profile: Profile, node: Node) -> str:
        """Code and words why the node is closed to the profile, "" where it is open.

        The text starts with ``node_selection:`` or ``time_window:``.
        """
        if node.unschedulable and not any(
            one.tolerates(UNSCHEDULABLE_TAINT) for one in profile.tolerations
        ):
            return "node_selection:cordoned"
        if not node.ready:
            return "node_selection:not Ready"
        taint = first_untolerated(node.taints, profile.tolerations)
        if taint is not None:
            return f"node_selection:taint {show_taint(taint)}"
        closing = [key for key, value in profile.node_selector if node.labels.get(key) != value]
        for key, value in profile.node_selector:
            if key in closing and not is_rule(key):
                return f"node_selection:no label {key}={value}"
        terms = profile.node_affinity
        if terms is not None and not any(term.matches(node.name, node.labels) for term in terms):
            return "node_selection:required node affinity"
        if (
            closing
        ):  # rules about other pods come last: they may close a node because of those above
            return f"node_selection:{closing[0].split('/', 2)[2]}"
        return self._why_group_closed(profile, node) or self._why_zone_closed(profile, node)

    def _why_group_closed(self, profile: Profile, node: Node) -> str:
        if not self.node_groups:
            return ""
        group = node.labels.get(NODE_GROUP_LABEL)
        rules = profile.node_groups
        if rules is None or not rules.allows(group):
            return f"node_selection:node group {group or '(none)'} is closed to the queue"
        return ""

    def _why_zone_closed(self, profile: Profile, node: Node) -> str:
        zone = node.labels.get(REVOCABLE_ZONE_KEY)
        if zone is None or self.zones is None:
            return ""
        if not profile.revocable:
            return f"node_selection:revocable zone {zone}, and the pod is not marked for it"
        if not self.zones.get(zone, False):
            return f"time_window:revocable zone {zone} is closed now"
        return ""


def show_taint(taint: Taint) -> str:
    """``key=value:effect`` as kubectl writes it."""
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


def window_open(window: str, now: str) -> bool:
    """Whether ``now`` (RFC 3339) is inside ``HH:MM-HH:MM`` UTC, end excluded.

    It may cross midnight; a malformed window is never open.
    """
    if not now:
        return False
    found = parse_window(window)
    if found is None:
        return False
    moment = datetime.fromisoformat(now.replace("Z", "+00:00")).astimezone(UTC)
    return found.contains(moment.hour * 60 + moment.minute)


def node_signatures(nodes: Sequence[Node], profiles: Sequence[Profile]) -> list[int]:
    """Signature number per node; nodes with the same one look the same to every profile."""
    keys, fields = _tested(profiles)
    known: dict[tuple[object, ...], int] = {}
    result = []
    for node in nodes:
        signature = (
            node.unschedulable,
            node.ready,
            tuple(taint for taint in node.taints if taint.effect != "PreferNoSchedule"),
            tuple(node.labels.get(key) for key in keys),
            node.name if fields else "",
        )
        result.append(known.setdefault(signature, len(known)))
    return result


def _tested(profiles: Sequence[Profile]) -> tuple[list[str], bool]:
    keys = {NODE_GROUP_LABEL, REVOCABLE_ZONE_KEY}
    fields = False
    for profile in profiles:
        keys.update(key for key, _ in profile.node_selector)
        for term in profile.node_affinity or ():
            fields = fields or bool(term.match_fields)
            expressions: tuple[Expression, ...] = term.match_expressions
            keys.update(expression.key for expression in expressions)
    return sorted(keys), fields
