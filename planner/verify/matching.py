"""Label selectors, node selector terms and taints, judged by the verifier itself.

Semantics: Kubernetes ``labels.Selector`` and ``nodeaffinity``; an operator that does not exist matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from models.cluster import Node
from models.selectors import Expression, LabelSelector, NodeSelectorTerm, Taint, Toleration

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
CORDON = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")


def _beyond(have: str | None, values: tuple[str, ...], *, above: bool) -> bool:
    if have is None or not values:
        return False
    if not (_WHOLE_NUMBER.fullmatch(have) and _WHOLE_NUMBER.fullmatch(values[0])):
        return False
    distance = int(have) - int(values[0])
    return distance > 0 if above else distance < 0


_OPERATORS: Mapping[str, Callable[[str | None, tuple[str, ...]], bool]] = {
    "In": lambda have, values: have is not None and have in values,
    "NotIn": lambda have, values: have is None or have not in values,
    "Exists": lambda have, values: have is not None,
    "DoesNotExist": lambda have, values: have is None,
    "Gt": lambda have, values: _beyond(have, values, above=True),
    "Lt": lambda have, values: _beyond(have, values, above=False),
}


def all_hold(expressions: Iterable[Expression], labels: Mapping[str, str]) -> bool:
    """Every expression holds on these labels."""
    for one in expressions:
        judge = _OPERATORS.get(one.operator)
        if judge is None or not judge(labels.get(one.key), one.values):
            return False
    return True


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector picks these labels; none picks nothing, an empty one everything."""
    if selector is None:
        return False
    wanted = all(labels.get(key) == value for key, value in selector.match_labels)
    return wanted and all_hold(selector.match_expressions, labels)


def term_admits(term: NodeSelectorTerm, node: Node) -> bool:
    """Whether a node satisfies one term of a required node affinity; an empty term admits no node."""
    if not (term.match_expressions or term.match_fields):
        return False
    return all_hold(term.match_expressions, node.labels) and all_hold(
        term.match_fields, {"metadata.name": node.name}
    )


def repelling_taint(node: Node, tolerations: tuple[Toleration, ...]) -> Taint | None:
    """A NoSchedule or NoExecute taint of the node that no toleration covers; a cordon counts as one."""
    taints = (*node.taints, CORDON) if node.unschedulable else node.taints
    for taint in taints:
        blocking = taint.effect in ("NoSchedule", "NoExecute")
        if blocking and not covered(taint, tolerations):
            return taint
    return None


def covered(taint: Taint, tolerations: tuple[Toleration, ...]) -> bool:
    """Whether some toleration covers a taint."""
    return any(_covers(one, taint) for one in tolerations)


def _covers(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect):
        return False
    exists = toleration.operator == "Exists"
    if toleration.key == "":
        return exists
    equals = toleration.operator == "Equal" and toleration.value == taint.value
    return toleration.key == taint.key and (exists or equals)
