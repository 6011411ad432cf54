from __future__ import annotations

import pytest

from models.selectors import (
    UNSCHEDULABLE_TAINT,
    Expression,
    LabelSelector,
    NodeSelectorTerm,
    Taint,
    Toleration,
    first_untolerated,
)


@pytest.mark.parametrize(
    ("operator", "values", "labels", "holds"),
    [
        ("In", ("a", "b"), {"k": "b"}, True),
        ("In", ("a",), {"k": "b"}, False),
        ("In", ("a",), {}, False),
        ("NotIn", ("a",), {"k": "b"}, True),
        ("NotIn", ("a",), {"k": "a"}, False),
        ("NotIn", ("a",), {}, True),
        ("Exists", (), {"k": ""}, True),
        ("Exists", (), {}, False),
        ("DoesNotExist", (), {}, True),
        ("DoesNotExist", (), {"k": ""}, False),
        ("Gt", ("8",), {"k": "9"}, True),
        ("Gt", ("8",), {"k": "8"}, False),
        ("Gt", ("8",), {"k": "many"}, False),
        ("Gt", ("8",), {}, False),
        ("Gt", (), {"k": "9"}, False),
        ("Lt", ("8",), {"k": "7"}, True),
        ("Lt", ("8",), {"k": "8"}, False),
        ("Near", ("8",), {"k": "8"}, False),
    ],
)
def test_expressions(operator, values, labels, holds):
    assert Expression("k", operator, values).matches(labels) is holds


def test_numbers_beyond_64_bits_and_foreign_digits_match_nothing():
    """Kubernetes parses Gt and Lt as 64-bit decimal integers; Python's int() takes far more."""
    for text in ("1_0", "٣", " 3 ", "9" * 30, "9" * 5000):
        assert not Expression("k", "Gt", ("1",)).matches({"k": text})
        assert not Expression("k", "Lt", (text,)).matches({"k": "1"})


def test_a_selector_without_entries_selects_everything():
    assert LabelSelector().matches({})
    assert LabelSelector().matches({"a": "b"})


def test_all_labels_and_all_expressions_must_hold():
    selector = LabelSelector((("a", "1"),), (Expression("b", "Exists"),))
    assert selector.matches({"a": "1", "b": ""})
    assert not selector.matches({"a": "1"})
    assert not selector.matches({"a": "2", "b": ""})
    assert not selector.matches({"b": ""})


def test_an_empty_node_term_matches_no_node():
    assert not NodeSelectorTerm().matches("n1", {})


def test_node_terms_look_at_labels_and_at_the_name():
    by_name = NodeSelectorTerm(match_fields=(Expression("metadata.name", "In", ("n1",)),))
    assert by_name.matches("n1", {})
    assert not by_name.matches("n2", {"metadata.name": "n1"})
    both = NodeSelectorTerm((Expression("gpu", "Exists"),), by_name.match_fields)
    assert both.matches("n1", {"gpu": "x"})
    assert not both.matches("n1", {})


TAINT = Taint("dedicated", "NoSchedule", "ml")


@pytest.mark.parametrize(
    ("toleration", "holds"),
    [
        (Toleration("dedicated", "Equal", "ml", "NoSchedule"), True),
        (Toleration("dedicated", "Equal", "ml"), True),
        (Toleration("dedicated", "Equal", "other"), False),
        (Toleration("dedicated", "Equal", "ml", "NoExecute"), False),
        (Toleration("dedicated", "Exists"), True),
        (Toleration("dedicated", "Exists", effect="NoExecute"), False),
        (Toleration("other", "Exists"), False),
        (Toleration("", "Exists"), True),
        (Toleration("", "Exists", effect="NoExecute"), False),
        (Toleration("", "Equal"), False),
    ],
)
def test_tolerations(toleration, holds):
    assert toleration.tolerates(TAINT) is holds


def test_only_blocking_taints_keep_pods_away_and_each_needs_a_toleration():
    soft = Taint("old", "PreferNoSchedule")
    second = Taint("broken", "NoExecute")
    tolerated = Toleration("dedicated", "Exists")
    assert first_untolerated([soft], []) is None
    assert first_untolerated([soft, TAINT], []) is TAINT
    assert first_untolerated([TAINT, second], [tolerated]) is second
    assert (
        first_untolerated([TAINT, second], iter([tolerated, Toleration("broken", "Exists")]))
        is None
    )
    assert first_untolerated([], []) is None


def test_a_cordon_is_a_taint_that_can_be_tolerated():
    assert Toleration("", "Exists").tolerates(UNSCHEDULABLE_TAINT)
    assert Toleration("node.kubernetes.io/unschedulable", "Exists").tolerates(UNSCHEDULABLE_TAINT)
    assert first_untolerated([UNSCHEDULABLE_TAINT], []) is UNSCHEDULABLE_TAINT
