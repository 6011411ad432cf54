"""The cluster's hardware and its cluster-wide rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.resources import NO_RESOURCES, Resources
from models.selectors import LabelSelector, Taint


@dataclass(frozen=True, slots=True)
class Node:
    """One node as ``kubectl get nodes`` shows it.

    Attributes
    ----------
    allocatable
        What pods may request in sum (base units, ``pods`` included). A dimension that is not listed is 0.
    capacity
        What the machine has; larger than allocatable where devices are unhealthy or reserved.
    conditions
        Condition type to status ("True", "False", "Unknown").
    """

    name: str
    allocatable: Resources = NO_RESOURCES
    capacity: Resources = NO_RESOURCES
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    unschedulable: bool = False
    created: str = ""

    @property
    def ready(self) -> bool:
        """Condition Ready is True or was not reported."""
        return self.conditions.get("Ready", "True") == "True"


@dataclass(frozen=True, slots=True)
class HyperNodeMember:
    """One member rule of a HyperNode: exactly one of name, pattern or selector is set."""

    type: str
    exact_name: str = ""
    pattern: str = ""
    labels: LabelSelector | None = None


@dataclass(frozen=True, slots=True)
class HyperNode:
    """A topology domain (``topology.volcano.sh`` HyperNode); a smaller tier is closer."""

    name: str
    tier: int
    tier_name: str = ""
    members: tuple[HyperNodeMember, ...] = ()


@dataclass(frozen=True, slots=True)
class PriorityClass:
    """A ``scheduling.k8s.io`` PriorityClass."""

    name: str
    value: int
    global_default: bool = False
    preemption_policy: str = "PreemptLowerPriority"


@dataclass(frozen=True, slots=True)
class PodDisruptionBudget:
    """A ``policy`` PodDisruptionBudget; selector None selects no pod."""

    namespace: str
    name: str
    selector: LabelSelector | None
    disruptions_allowed: int = 0


@dataclass(frozen=True, slots=True)
class SchedulerPlugin:
    """One plugin of ``volcano-scheduler.conf`` with its tier (0 = first) and its arguments as text."""

    name: str
    tier: int
    arguments: Mapping[str, str] = field(default_factory=dict)
    enabled_hierarchy: bool = False


@dataclass(frozen=True, slots=True)
class SchedulerConfig:
    """The Volcano scheduler ConfigMap of the export: actions in order, plugins tier by tier."""

    source: str
    actions: tuple[str, ...] = ()
    plugins: tuple[SchedulerPlugin, ...] = ()

    def plugin(self, name: str) -> SchedulerPlugin | None:
        """The first plugin of this name, or None."""
        return next((one for one in self.plugins if one.name == name), None)
