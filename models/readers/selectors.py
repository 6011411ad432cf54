"""Label selectors, node selector terms, taints and tolerations of raw objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from models.readers.fields import (
    BadObject,
    as_text,
    mapping,
    mappings,
    printable,
    shown,
    text,
    texts,
)
from models.selectors import Expression, LabelSelector, NodeSelectorTerm, Taint, Toleration

_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def read_selector(raw: Mapping[str, Any], key: str) -> LabelSelector | None:
    """A label selector; None where it is missing (selects nothing), empty where it is ``{}`` (selects all)."""
    if raw.get(key) is None:
        return None
    selector = mapping(raw, key)
    return LabelSelector(
        match_labels=label_pairs(mapping(selector, "matchLabels"), "matchLabels"),
        match_expressions=_expressions(selector, "matchExpressions"),
    )


def label_pairs(labels: Mapping[str, Any], key: str) -> tuple[tuple[str, str], ...]:
    """Key-value pairs, sorted."""
    return tuple(
        sorted((printable(name, key), as_text(value, key)) for name, value in labels.items())
    )


def read_node_terms(raw: Mapping[str, Any]) -> tuple[NodeSelectorTerm, ...]:
    """``nodeSelectorTerms`` of a required node affinity."""
    return tuple(map(read_node_term, mappings(raw, "nodeSelectorTerms")))


def read_node_term(term: Mapping[str, Any]) -> NodeSelectorTerm:
    """One term of a node affinity."""
    return NodeSelectorTerm(
        _expressions(term, "matchExpressions"), _expressions(term, "matchFields")
    )


def read_taints(spec: Mapping[str, Any]) -> tuple[Taint, ...]:
    """Taints of a node."""
    return tuple(
        Taint(key=text(one, "key"), effect=text(one, "effect"), value=text(one, "value"))
        for one in mappings(spec, "taints")
    )


def read_tolerations(entries: Sequence[Mapping[str, Any]]) -> tuple[Toleration, ...]:
    """Tolerations of a pod; ``tolerationSeconds`` only matters after a taint appears and is dropped."""
    found = (
        Toleration(
            key=text(one, "key"),
            operator=text(one, "operator") or "Equal",
            value=text(one, "value"),
            effect=text(one, "effect"),
        )
        for one in entries
    )
    return tuple(dict.fromkeys(found))


def _expressions(raw: Mapping[str, Any], key: str) -> tuple[Expression, ...]:
    return tuple(_expression(one) for one in mappings(raw, key))


def _expression(raw: Mapping[str, Any]) -> Expression:
    operator = text(raw, "operator")
    if operator not in _OPERATORS:
        raise BadObject(f"operator {shown(operator)} is none of {', '.join(_OPERATORS)}")
    values = texts(raw, "values")
    return Expression(key=text(raw, "key"), operator=operator, values=values)
