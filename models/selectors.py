"""Label selectors, node selector terms, taints and tolerations, with the matching rules of Kubernetes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expression:
    """One entry of ``matchExpressions``: key, operator (In, NotIn, Exists, DoesNotExist, Gt, Lt), values."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels satisfy the expression; an unknown operator matches nothing."""
        present = self.key in labels
        match self.operator:
            case "In":
                return present and labels[self.key] in self.values
            case "NotIn":
                return not present or labels[self.key] not in self.values
            case "Exists":
                return present
            case "DoesNotExist":
                return not present
            case "Gt" | "Lt":
                return present and self._compares(labels[self.key])
        return False

    def _compares(self, have: str) -> bool:
        value, limit = _integer(have), _integer(self.values[0] if self.values else "")
        if value is None or limit is None:
            return False
        return value > limit if self.operator == "Gt" else value < limit


def _integer(text: str) -> int | None:
    """A 64-bit decimal integer as Kubernetes parses it; Python's own ``int`` takes more forms than that."""
    if _INTEGER.fullmatch(text) is None:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


_INTEGER = re.compile(r"[+-]?[0-9]{1,40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """A Kubernetes LabelSelector; without any entry it selects everything."""

    match_labels: tuple[tuple[str, str], ...] = ()
    match_expressions: tuple[Expression, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """All labels and all expressions hold."""
        return all(labels.get(key) == value for key, value in self.match_labels) and all(
            expression.matches(labels) for expression in self.match_expressions
        )


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """One term of a required node affinity; its parts are AND-ed, an empty term matches nothing."""

    match_expressions: tuple[Expression, ...] = ()
    match_fields: tuple[Expression, ...] = ()

    def matches(self, node_name: str, labels: Mapping[str, str]) -> bool:
        """Whether a node of this name with these labels satisfies the term."""
        if not self.match_expressions and not self.match_fields:
            return False
        fields = {"metadata.name": node_name}
        return all(expression.matches(labels) for expression in self.match_expressions) and all(
            expression.matches(fields) for expression in self.match_fields
        )


@dataclass(frozen=True, slots=True)
class Taint:
    """A node taint; effect is NoSchedule, NoExecute or PreferNoSchedule."""

    key: str
    effect: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Toleration:
    """A pod toleration; an empty key with operator Exists tolerates everything, an empty effect every effect.

    An operator other than Equal and Exists tolerates nothing, as in Kubernetes.
    """

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: Taint) -> bool:
        """Whether this toleration covers the taint."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.operator not in TOLERATION_OPERATORS:
            return False
        if not self.key:
            return self.operator == "Exists"
        if self.key != taint.key:
            return False
        return self.operator == "Exists" or self.value == taint.value


TOLERATION_OPERATORS = ("Equal", "Exists")
BLOCKING_EFFECTS = ("NoSchedule", "NoExecute")
UNSCHEDULABLE_TAINT = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")


def first_untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> Taint | None:
    """The first blocking taint that no toleration covers, or None."""
    accepted = tuple(tolerations)
    for taint in taints:
        if taint.effect in BLOCKING_EFFECTS and not any(one.tolerates(taint) for one in accepted):
            return taint
    return None
