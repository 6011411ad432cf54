"""What rules between pods come to for the pods of one face."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.workloads import PodAffinityTerm, SpreadConstraint


@dataclass(slots=True)
class Stance:
    """Requests and closed nodes that stand for rules, and rules that nothing stands for.

    Attributes
    ----------
    asks
        Rule dimension to what one pod takes of it.
    shut
        Words to the nodes that are closed to the pod.
    apart, near, spread
        Rules of the pod that are not modelled.
    """

    asks: dict[str, int] = field(default_factory=dict)
    shut: dict[str, frozenset[str]] = field(default_factory=dict)
    apart: list[PodAffinityTerm] = field(default_factory=list)
    near: list[PodAffinityTerm] = field(default_factory=list)
    spread: list[SpreadConstraint] = field(default_factory=list)

    def close(self, words: str, nodes: frozenset[str]) -> None:
        """Close nodes to the pod."""
        if nodes:
            self.shut[words] = self.shut.get(words, frozenset()) | nodes
