"""The effective policy: defaults, then scheduler ConfigMap, then file, then flags, with the origin of each key."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from models.cluster import SchedulerPlugin
from models.policy import Origin, Policy, parse_policy
from models.snapshot import Snapshot


@dataclass(frozen=True)
class EffectivePolicy:
    """A policy without open choices; what reaches the planner.

    Attributes
    ----------
    queue_model
        ``proportion`` or ``capacity``.
    evict
        Evictions that are allowed, subset of (preempt, reclaim).
    now
        Time of planning (RFC 3339) or "" where the snapshot holds no time stamp.
    origins
        Policy key to where its value came from.
    policy
        The merged policy file with every key filled.
    """

    policy: Policy
    queue_model: str
    hierarchy: bool
    evict: tuple[str, ...]
    nodegroup: bool
    pdb: bool
    sla: bool
    now: str
    origins: Mapping[str, Origin]

    @property
    def admits_first(self) -> bool:
        """Pending PodGroups have to pass the scheduler's admission (I9)."""
        return self.policy.admission == "live"

    @property
    def prefilters_pending(self) -> bool:
        """A topology domain has to hold all pods that a gang asks for, not its minimum only (I10)."""
        return self.policy.topology_prefilter == "pending"

    def document(self) -> dict[str, Any]:
        """Every key with value and origin, for the plan document."""
        values = self.policy.model_dump(mode="json", by_alias=True)
        return {
            key: {"value": value, "origin": self.origins.get(key, "default")}
            for key, value in values.items()
        }


def resolve_policy(
    snapshot: Snapshot, file: Policy | None = None, flags: Mapping[str, Any] | None = None
) -> EffectivePolicy:
    """Merge the sources of the policy; the command line wins over the file, the file over the ConfigMap.

    ``flags`` holds policy keys given on the command line. ``hierarchy`` is kept only under ``capacity`` (the only
    Volcano model with a queue tree).

    Raises
    ------
    InputError
        A flag has an unknown key or a value of the wrong kind.
    """
    from_file = {key: getattr(file, key) for key in file.model_fields_set} if file else {}
    layers: list[tuple[Origin, Mapping[str, Any]]] = [
        ("snapshot", _from_snapshot(snapshot)),
        ("scheduler ConfigMap", _from_scheduler(snapshot)),
        ("file", {key: value for key, value in from_file.items() if value is not None}),
        ("flag", {key: value for key, value in (flags or {}).items() if value is not None}),
    ]
    values: dict[str, Any] = {
        "hierarchy": False,
        "evict": (),
        "nodegroup": False,
        "pdb": False,
        "sla": False,
        "admission": "ignore",
        "topology_prefilter": "minimum",
    }
    origins: dict[str, Origin] = dict.fromkeys(Policy.model_fields, "default")
    for origin, layer in layers:
        for key, value in layer.items():
            values[key] = value
            origins[key] = origin
    if values.get("queue_model") != "capacity":
        values["hierarchy"] = False
    defaults = {key: getattr(Policy(), key) for key in Policy.model_fields}
    policy = parse_policy({**defaults, **values}, source="policy")
    return EffectivePolicy(
        policy=policy,
        queue_model=policy.queue_model or "proportion",
        hierarchy=bool(policy.hierarchy),
        evict=policy.evict or (),
        nodegroup=bool(policy.nodegroup),
        pdb=bool(policy.pdb),
        sla=bool(policy.sla),
        now=policy.now or snapshot.as_of,
        origins=origins,
    )


def with_keys(
    policy: EffectivePolicy, keys: Mapping[str, Any], origin: Origin = "scenario"
) -> EffectivePolicy:
    """The same policy with some keys set to other values (in the words of the policy file).

    Every other key stays as it is, also where the snapshot would now suggest another value.

    Raises
    ------
    InputError
        Unknown key or bad value.
    """
    named = parse_policy(keys, source="set_policy").model_fields_set
    merged = {**policy.policy.model_dump(by_alias=True), **keys}
    found = parse_policy(merged, source="set_policy")
    if found.queue_model != "capacity" and found.hierarchy:
        found = found.model_copy(update={"hierarchy": False})
    return EffectivePolicy(
        policy=found,
        queue_model=found.queue_model or "proportion",
        hierarchy=bool(found.hierarchy),
        evict=found.evict or (),
        nodegroup=bool(found.nodegroup),
        pdb=bool(found.pdb),
        sla=bool(found.sla),
        now=found.now or policy.now,
        origins={**policy.origins, **dict.fromkeys(sorted(named), origin)},
    )


def _from_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    has_deserved = any(queue.deserved for queue in snapshot.queues)
    found: dict[str, Any] = {"queue_model": "capacity" if has_deserved else "proportion"}
    if snapshot.as_of:
        found["now"] = snapshot.as_of
    return found


_EVICTING_ACTIONS = {
    "preempt": "preempt",
    "gangpreempt": "preempt",
    "reclaim": "reclaim",
    "gangreclaim": "reclaim",
}


def _from_scheduler(snapshot: Snapshot) -> dict[str, Any]:
    config = snapshot.scheduler
    if config is None:
        return {}
    found: dict[str, Any] = {
        "evict": tuple(
            sorted({_EVICTING_ACTIONS[a] for a in config.actions if a in _EVICTING_ACTIONS})
        ),
        "admission": "live" if "enqueue" in config.actions else "ignore",
        "topology_prefilter": "pending",
    }
    capacity, proportion = config.plugin("capacity"), config.plugin("proportion")
    if capacity is not None:
        found["queue_model"] = "capacity"
        found["hierarchy"] = capacity.enabled_hierarchy
    elif proportion is not None:
        found["queue_model"] = "proportion"
    for key in ("nodegroup", "pdb", "sla"):
        if config.plugin(key) is not None:
            found[key] = True
    level = _number(capacity, "ancestorReclaimLevel")
    if level is not None and level >= 0:
        found["ancestor_reclaim_level"] = int(level)
    factor = _number(config.plugin("overcommit"), "overcommit-factor")
    if factor is not None and factor >= 1:  # Volcano takes its default for anything below 1
        found["overcommit_factor"] = factor
    zones = _revocable_zones(config.plugin("tdm"))
    if zones:
        found["revocable_zones"] = zones
    return found


def _number(plugin: SchedulerPlugin | None, key: str) -> float | None:
    """A finite number among the arguments of a plugin, None where there is none that can be read."""
    text = plugin.arguments.get(key, "") if plugin is not None else ""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _revocable_zones(plugin: SchedulerPlugin | None) -> dict[str, str]:
    prefix = "tdm.revocable-zone."
    arguments = plugin.arguments if plugin is not None else {}
    return {
        key.removeprefix(prefix): value
        for key, value in arguments.items()
        if key.startswith(prefix)
    }
