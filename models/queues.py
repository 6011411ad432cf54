"""Volcano queues (``scheduling.volcano.sh`` Queue)."""

from __future__ import annotations

from dataclasses import dataclass

from models.resources import NO_RESOURCES, Resources

ROOT_QUEUE = "root"
DEFAULT_QUEUE = "default"


@dataclass(frozen=True, slots=True)
class NodeGroupRules:
    """``spec.affinity`` of a queue: node groups it requires, prefers, must not or rather not use."""

    required: tuple[str, ...] = ()
    preferred: tuple[str, ...] = ()
    anti_required: tuple[str, ...] = ()
    anti_preferred: tuple[str, ...] = ()

    def allows(self, group: str | None) -> bool:
        """Whether nodes of this group (None = unlabelled) are open to the queue; nodegroup plugin, strict."""
        if group is None:
            return False
        wanted = group in self.required or group in self.preferred
        return (wanted and group not in self.anti_required) or group in self.anti_preferred


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue with all Volcano fields; resource maps keep listed zeros.

    Attributes
    ----------
    parent
        Name as written; "" means the root queue.
    capability
        Hard upper limit per listed dimension (cpu or memory of 0 is no limit).
    deserved
        Entitlement of the capacity plugin per listed dimension.
    guarantee
        Reserved amount (``spec.guarantee.resource``).
    allocated
        ``status.allocated`` as reported, for plausibility checks only.
    implicit
        True for the queue ``default`` that exists without being listed; it has no limits.
    """

    name: str
    parent: str = ""
    weight: int = 1
    capability: Resources = NO_RESOURCES
    deserved: Resources = NO_RESOURCES
    guarantee: Resources = NO_RESOURCES
    reclaimable: bool = True
    priority: int = 0
    state: str = "Open"
    node_groups: NodeGroupRules | None = None
    allocated: Resources = NO_RESOURCES
    created: str = ""
    implicit: bool = False

    @property
    def parent_name(self) -> str:
        """Parent with the root made explicit; "" only for the root itself."""
        if self.name == ROOT_QUEUE:
            return ""
        return self.parent or ROOT_QUEUE
