"""Which pods a term of an affinity rule looks at.

Semantics: Kubernetes ``framework.AffinityTerm``: the pod's namespace is listed or chosen by the namespace selector,
and the label selector matches; ``matchLabelKeys`` add the owner's own values to the selector.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.selectors import Expression, LabelSelector

NAMESPACE_NAME: Final = "kubernetes.io/metadata.name"
"""The one label that every namespace has; others are not part of an export."""


@dataclass(frozen=True, slots=True)
class Reach:
    """A selector with its namespaces.

    Attributes
    ----------
    chosen
        Namespaces chosen by label on top of the listed ones, None = none.
    """

    selector: LabelSelector | None
    namespaces: tuple[str, ...]
    chosen: LabelSelector | None = None

    @property
    def unsure(self) -> bool:
        """Namespaces are chosen by labels that the export does not hold."""
        if self.chosen is None:
            return False
        keys = {key for key, _ in self.chosen.match_labels}
        keys |= {one.key for one in self.chosen.match_expressions}
        return not keys <= {NAMESPACE_NAME}

    def selects(self, namespace: str, labels: Mapping[str, str], *, doubtful: bool = False) -> bool:
        """Whether it looks at such a pod; ``doubtful`` is the answer where the export does not tell."""
        if self.selector is None or not self.selector.matches(labels):
            return False
        if namespace in self.namespaces:
            return True
        if self.unsure:
            return doubtful
        return self.chosen is not None and self.chosen.matches({NAMESPACE_NAME: namespace})

    def words(self) -> str:
        """``app=train``, with what else it asks for; ``any label`` for an empty selector."""
        if self.selector is None:
            return "no pod"
        parts = [f"{key}={value}" for key, value in self.selector.match_labels]
        parts += [
            part
            for one in self.selector.match_expressions
            if (part := expression_words(one)) not in parts
        ]
        return ",".join(parts) or "any label"


def expression_words(one: Expression) -> str:
    """One expression as ``kubectl`` takes it: ``app=train``, ``app in (a, b)``, ``!app`` as ``no app``."""
    match one.operator:
        case "In" if len(one.values) == 1:
            return f"{one.key}={one.values[0]}"
        case "In":
            return f"{one.key} in ({', '.join(one.values)})"
        case "NotIn":
            return f"{one.key} not in ({', '.join(one.values)})"
        case "Exists":
            return one.key
        case "DoesNotExist":
            return f"no {one.key}"
    return f"{one.key} {one.operator} {' '.join(one.values)}"


def reach_of(term: PodAffinityTerm, namespace: str, labels: Mapping[str, str]) -> Reach:
    """Reach of a pod's term; the pod's own namespace where it names none."""
    named = term.namespaces or (() if term.namespace_selector is not None else (namespace,))
    same, other = term.same_labels, term.other_labels
    return Reach(with_own(term.selector, labels, same, other), named, term.namespace_selector)


def spread_reach(one: SpreadConstraint, namespace: str, labels: Mapping[str, str]) -> Reach:
    """Pods of the owner's namespace that a spread constraint counts."""
    return Reach(with_own(one.selector, labels, one.same_labels, ()), (namespace,))


def with_own(
    selector: LabelSelector | None,
    labels: Mapping[str, str],
    same: tuple[str, ...],
    other: tuple[str, ...],
) -> LabelSelector | None:
    """The selector with the owner's values of some labels; keys that the owner lacks count for nothing."""
    if selector is None:
        return None
    more = [Expression(key, "In", (labels[key],)) for key in same if key in labels]
    more += [Expression(key, "NotIn", (labels[key],)) for key in other if key in labels]
    new = tuple(one for one in more if one not in selector.match_expressions)
    return LabelSelector(selector.match_labels, (*selector.match_expressions, *new))
