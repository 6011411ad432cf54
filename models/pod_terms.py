"""Rules of a pod about other pods, required or preferred."""

from __future__ import annotations

from dataclasses import dataclass

from models.selectors import LabelSelector, NodeSelectorTerm


@dataclass(frozen=True, slots=True)
class PodAffinityTerm:
    """A pod affinity or anti-affinity term; selector None selects no pod, namespaces () = the pod's own.

    Attributes
    ----------
    same_labels, other_labels
        ``matchLabelKeys`` and ``mismatchLabelKeys``: the selected pods have the owner's value of these labels, or
        another one.
    """

    topology_key: str
    selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    same_labels: tuple[str, ...] = ()
    other_labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SpreadConstraint:
    """A topology spread constraint.

    Attributes
    ----------
    min_domains
        With fewer eligible domains the fewest matching pods of a domain count as 0.
    same_labels
        ``matchLabelKeys``: the selected pods have the owner's value of these labels.
    ignores_affinity
        ``nodeAffinityPolicy: Ignore``: domains count that the pod's node selector and affinity exclude.
    honors_taints
        ``nodeTaintsPolicy: Honor``: nodes with taints that the pod does not tolerate do not count.
    """

    topology_key: str
    max_skew: int
    selector: LabelSelector | None = None
    min_domains: int = 1
    same_labels: tuple[str, ...] = ()
    ignores_affinity: bool = False
    honors_taints: bool = False


@dataclass(frozen=True, slots=True)
class PreferredNodes:
    """A preferred node affinity term with its weight (1-100)."""

    weight: int
    term: NodeSelectorTerm


@dataclass(frozen=True, slots=True)
class PreferredPods:
    """A preferred pod affinity or anti-affinity term with its weight (1-100)."""

    weight: int
    term: PodAffinityTerm


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a pod would rather have: nodes, pods near and apart, and ``ScheduleAnyway`` spread constraints."""

    nodes: tuple[PreferredNodes, ...] = ()
    near: tuple[PreferredPods, ...] = ()
    apart: tuple[PreferredPods, ...] = ()
    spread: tuple[SpreadConstraint, ...] = ()
