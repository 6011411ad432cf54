"""Windows, selectors and tolerations as the verifier judges them."""

from __future__ import annotations

import pytest
from verify_builders import node

from models.selectors import Expression, LabelSelector, NodeSelectorTerm, Taint, Toleration
from planner.verify.matching import all_hold, repelling_taint, selects, term_admits
from planner.verify.predicates import is_inside


@pytest.mark.parametrize(
    ("window", "clock", "inside"),
    [
        ("22:00-06:00", "22:00", True),
        ("22:00-06:00", "05:59", True),
        ("22:00-06:00", "06:00", False),
        ("22:00-06:00", "21:59", False),
        ("08:00-18:00", "08:00", True),
        ("08:00-18:00", "18:00", False),
        ("00:00-24:00", "23:59", True),
        ("08:00-08:00", "08:00", False),
        ("nonsense", "08:00", False),
    ],
)
def test_window_without_its_end_and_over_midnight(window: str, clock: str, inside: bool) -> None:
    assert is_inside(window, f"2026-08-20T{clock}:00Z") is inside


def test_window_is_in_utc_whatever_offset_the_time_has() -> None:
    assert is_inside("22:00-06:00", "2026-08-21T00:30:00+02:00")
    assert not is_inside("22:00-06:00", "2026-08-20T23:30:00+02:00")
    assert is_inside("22:00-06:00", "2026-08-20T22:30:00")
    assert not is_inside("22:00-06:00", "")


@pytest.mark.parametrize(
    ("operator", "values", "holds_with_5", "holds_without"),
    [
        ("In", ("5", "6"), True, False),
        ("In", ("6",), False, False),
        ("NotIn", ("5",), False, True),
        ("NotIn", ("6",), True, True),
        ("Exists", (), True, False),
        ("DoesNotExist", (), False, True),
        ("Gt", ("4",), True, False),
        ("Gt", ("5",), False, False),
        ("Lt", ("6",), True, False),
        ("Lt", ("x",), False, False),
        ("Gt", (), False, False),
        ("Near", ("5",), False, False),
    ],
)
def test_operators(
    operator: str, values: tuple[str, ...], holds_with_5: bool, holds_without: bool
) -> None:
    expression = Expression("k", operator, values)
    assert all_hold([expression], {"k": "5"}) is holds_with_5
    assert all_hold([expression], {}) is holds_without


def test_selectors_and_terms_that_say_nothing() -> None:
    assert selects(LabelSelector(), {})
    assert not selects(None, {})
    assert not term_admits(NodeSelectorTerm(), node("n1"))


@pytest.mark.parametrize(
    ("toleration", "covered"),
    [
        (Toleration("k", "Equal", "v"), True),
        (Toleration("k", "Equal", "w"), False),
        (Toleration("k", "Exists"), True),
        (Toleration("k", "Exists", effect="NoExecute"), False),
        (Toleration("", "Exists"), True),
        (Toleration("", "Equal"), False),
        (Toleration("j", "Exists"), False),
    ],
)
def test_tolerations(toleration: Toleration, covered: bool) -> None:
    tainted = node("n1", taints=(Taint("k", "NoSchedule", "v"),))
    assert (repelling_taint(tainted, (toleration,)) is None) is covered


def test_cordon_can_be_tolerated_and_a_preference_never_repels() -> None:
    cordoned = node("n1", unschedulable=True)
    assert repelling_taint(cordoned, ()) is not None
    assert repelling_taint(cordoned, (Toleration("", "Exists"),)) is None
    assert repelling_taint(node("n1", taints=(Taint("k", "PreferNoSchedule"),)), ()) is None
