"""I2: which nodes admit a pod, capacity aside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from models.cluster import Node
from models.effective import EffectivePolicy
from models.plan import RuleViolation
from models.queues import Queue
from models.rules import RuleId
from models.workloads import PodSpec
from planner.verify.matching import repelling_taint, term_admits
from planner.verify.state import State
from planner.verify.wording import violation

GROUP_LABEL = "volcano.sh/nodegroup-name"
ZONE_KEY = "volcano.sh/revocable-zone"
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})", re.ASCII)


class Doorkeeper:
    """Judges nodes for pod specifications under a policy."""

    def __init__(self, policy: EffectivePolicy) -> None:
        self.grouped = policy.nodegroup
        zones = policy.policy.revocable_zones
        self.zoned = zones is not None
        self.open_zones = {
            zone for zone, window in (zones or {}).items() if is_inside(window, policy.now)
        }

    def why_closed(self, spec: PodSpec, node: Node, *, marked: bool, queue: Queue | None) -> str:
        """Why a node does not admit pods of a queue, "" where it does.

        ``marked``: the pods carry the annotation ``volcano.sh/revocable-zone: "*"``.
        """
        if node.conditions.get("Ready", "True") != "True":
            return "is not Ready"
        taint = repelling_taint(node, spec.tolerations)
        if taint is not None:
            return f"has taint {taint.key}={taint.value}:{taint.effect}, which it does not tolerate"
        for key, value in spec.node_selector:
            if node.labels.get(key) != value:
                return f"lacks the label {key}={value} of its nodeSelector"
        terms = spec.node_affinity
        if terms is not None and not any(term_admits(term, node) for term in terms):
            return "does not match its required node affinity"
        if self.grouped and not _group_open(node.labels.get(GROUP_LABEL), queue):
            group = node.labels.get(GROUP_LABEL) or "none"
            return f"is in node group {group}, which is closed to its queue"
        return self._why_zone_closed(node, marked=marked)

    def _why_zone_closed(self, node: Node, *, marked: bool) -> str:
        zone = node.labels.get(ZONE_KEY)
        if zone is None or not self.zoned:
            return ""
        if not marked:
            return f"is lent in revocable zone {zone}, and the pod is not marked for it"
        return "" if zone in self.open_zones else f"is in revocable zone {zone}, which is closed"


def _group_open(group: str | None, queue: Queue | None) -> bool:
    rules = queue.node_groups if queue else None
    if rules is None or group is None:
        return False
    if group in rules.anti_preferred:
        return True
    liked = {*rules.required, *rules.preferred}
    return group in liked - set(rules.anti_required)


def is_inside(window: str, now: str) -> bool:
    """Whether a time (RFC 3339; without offset it is UTC) lies in ``HH:MM-HH:MM`` UTC, end excluded.

    A window whose end is before its start goes over midnight. A window or time that cannot be read is closed.
    """
    span = window_seconds(window)
    try:
        moment = datetime.fromisoformat(now.replace("Z", "+00:00"))
    except ValueError:
        return False
    if span is None:
        return False
    moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    # Measured from the start of the window, midnight is nothing special.
    return (3600 * moment.hour + 60 * moment.minute - span[0]) % 86_400 < span[1]


def window_seconds(window: str) -> tuple[int, int] | None:
    """Seconds after midnight at which ``HH:MM-HH:MM`` begins, and its length; None where it cannot be read."""
    match = _CLOCK.fullmatch(window.replace(" ", ""))
    if match is None:
        return None
    first, last = (60 * int(match[i]) + int(match[i + 1]) for i in (1, 3))
    length = (last - first) % (24 * 60) if last != first + 24 * 60 else 24 * 60
    return 60 * first, 60 * length


def check_predicates(state: State) -> Iterator[RuleViolation]:
    """Every arriving pod: Ready, taints, cordon, nodeSelector, node affinity, node group, revocable zone."""
    keeper = Doorkeeper(state.policy)
    known: dict[tuple[int, bool, str, str], str] = {}
    for arrival in state.reading.arrivals:
        spec, marked = arrival.pod.spec, arrival.pod.annotations.get(ZONE_KEY) == "*"
        key = (id(spec), marked, arrival.gang.queue, arrival.node)
        if key not in known:
            node = state.snapshot.node_by_name.get(arrival.node)
            queue = state.queues.listed.get(arrival.gang.queue)
            known[key] = (
                "does not exist"
                if node is None
                else keeper.why_closed(spec, node, marked=marked, queue=queue)
            )
        if known[key]:
            yield violation(
                RuleId.NODE_PREDICATES,
                f"pod/{arrival.pod.full_name}",
                f"node {arrival.node} {known[key]}; choose another node",
            )
