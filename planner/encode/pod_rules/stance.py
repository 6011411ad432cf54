"""What rules between pods come to for the pods of one face."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Stance:
    """Requests and closed nodes that stand for rules, and rules that nothing stands for.

    Attributes
    ----------
    asks
        Rule dimension to what one pod takes of it.
    shut
        Words to the nodes that are closed to the pod.
    marks
        Names of rules that count the pod.
    why
        Words for the rules of the pod that are not modelled.
    """

    asks: dict[str, int] = field(default_factory=dict)
    shut: dict[str, frozenset[str]] = field(default_factory=dict)
    marks: set[str] = field(default_factory=set)
    why: set[str] = field(default_factory=set)

    def close(self, words: str, nodes: frozenset[str]) -> None:
        """Close nodes to the pod."""
        if nodes:
            self.shut[words] = self.shut.get(words, frozenset()) | nodes
