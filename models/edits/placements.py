"""Edits of where gangs may be placed: only on some nodes, or not on them.

Both become required node affinity by name (``matchFields: metadata.name``) of the pods, so that planner and verifier
treat them like any node affinity of the export.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from models.checks.wording import names_text
from models.edits.edit import Edit, Situation
from models.edits.pods import OfPods
from models.edits.select import Selector, select_gangs, select_nodes, shown
from models.selectors import Expression, NodeSelectorTerm
from models.spoken import Say, english
from models.workloads import PodSpec

NAME_FIELD = "metadata.name"


class _ByNode(OfPods):
    """Pods of the gangs that are placed from now on obey; pods that run stay where they are."""

    nodes: Selector
    operator: ClassVar[str] = ""

    def apply(self, situation: Situation) -> Situation:
        """Add the affinity to every term, since terms are alternatives."""
        names = tuple(node.name for node in select_nodes(situation, self.nodes))
        rule = Expression(NAME_FIELD, self.operator, names)
        changed = self._changed(situation, lambda spec: _with_rule(spec, rule))
        running = self._running(situation)
        if not running:
            return changed
        told = names_text(running)
        return changed.noting(
            f"{told} {'has' if len(running) == 1 else 'have'} running pods; these stay where they are"
        )

    def _running(self, situation: Situation) -> list[str]:
        snapshot = situation.snapshot
        return [
            one.full_name
            for one in select_gangs(situation, self.gangs)
            if any(pod.running for pod in snapshot.pods_of(one))
        ]


class PinGang(_ByNode):
    """The gangs are placed on these nodes or not at all."""

    kind: ClassVar[str] = "pin_gang"
    operator: ClassVar[str] = "In"

    def text(self, say: Say = english) -> str:
        """``place gang team/train-7 only on a-1, a-2``."""
        return say(
            "place gang {gangs} only on {nodes}", gangs=shown(self.gangs), nodes=shown(self.nodes)
        )


class ForbidGang(_ByNode):
    """The gangs are not placed on these nodes."""

    kind: ClassVar[str] = "forbid_gang"
    operator: ClassVar[str] = "NotIn"

    def text(self, say: Say = english) -> str:
        """``place gang team/train-7 not on a-1, a-2``."""
        return say(
            "place gang {gangs} not on {nodes}", gangs=shown(self.gangs), nodes=shown(self.nodes)
        )


def _with_rule(spec: PodSpec, rule: Expression) -> PodSpec:
    if spec.node_affinity is None:
        return replace(spec, node_affinity=(NodeSelectorTerm(match_fields=(rule,)),))
    terms = tuple(
        replace(term, match_fields=(*term.match_fields, rule))
        for term in spec.node_affinity
        if term.match_expressions
        or term.match_fields  # an empty term matches nothing, and stays so
    )
    return replace(spec, node_affinity=terms)


EDITS: tuple[type[Edit], ...] = (PinGang, ForbidGang)
